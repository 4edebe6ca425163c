"""The remotes of a working directory, read from its Git files without starting a process.

Gives up (None) on what it does not follow, rather than guess: `include`s, ssh aliases it cannot resolve.
The ranking of remotes is rg_core.address.github.remotes. Hot: os and re only.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_FILE = 1_000_000  # bytes; a larger configuration is not read
MAX_PARENTS = 40

_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][\w-]*)\s*(?:=\s*(.*))?\Z", re.DOTALL)
_SSH_HOST = re.compile(r"(?:ssh://(?:[^@/]*@)?|(?:[^@/\s:]+@)?)([^@/:\s]+)(?=[:/])", re.IGNORECASE)


def remotes(directory: str, environ: Mapping[str, str]) -> dict[str, dict[str, str]] | None:
    """{remote's name: {"url", "pushurl", "gh-resolved"}} of the checkout that `directory` is in.

    URLs come after insteadOf and pushInsteadOf of the repository's and the user's configuration, as `git remote -v`
    shows them. None: no checkout, or one whose configuration is not followed here.
    """
    try:
        common = _common_dir(directory)
        if common is None:
            return None
        texts = [text for path in _global_files(environ) if (text := _read(path)) is not None]
        own = _read(os.path.join(common, "config"))
        if own is None:
            return None
        entries = [entry for text in [*texts, own] for entry in _entries(text)]
        found = _remotes(entries, _entries(own))
        return None if found is None else _unaliased(found, environ)
    except (OSError, ValueError):
        return None


def _common_dir(directory: str) -> str | None:
    """The Git directory that holds the configuration: of a worktree, that of its main checkout."""
    here = os.path.abspath(directory)
    for _ in range(MAX_PARENTS):
        path = os.path.join(here, ".git")
        if os.path.isdir(path):
            return path
        if os.path.isfile(path):
            text = _read(path) or ""
            if not text.startswith("gitdir:"):
                return None
            git_dir = os.path.join(here, text[7:].strip())
            common = _read(os.path.join(git_dir, "commondir"))
            return os.path.join(git_dir, common.strip()) if common else git_dir
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    return None


def _global_files(environ: Mapping[str, str]) -> list[str]:
    """The user's configuration files; the system's is left out, as is common for it to hold no URLs."""
    if "GIT_CONFIG_GLOBAL" in environ:
        return [environ["GIT_CONFIG_GLOBAL"]] if environ["GIT_CONFIG_GLOBAL"] else []
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    config = environ.get("XDG_CONFIG_HOME") or (os.path.join(home, ".config") if home else "")
    files = [os.path.join(config, "git", "config")] if config else []
    return files + ([os.path.join(home, ".gitconfig")] if home else [])


def _read(path: str) -> str | None:
    """A file's text, None where there is none; what is no regular file may hold us up for ever, and is none."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb", opener=_at_once) as file:
            data = file.read(MAX_FILE + 1)
    except OSError:
        return None
    if len(data) > MAX_FILE:
        raise ValueError("too large")
    return data.decode(errors="replace")


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for somebody to write, should a pipe have taken the file's place."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _entries(text: str) -> list[tuple[str, str, str, str]]:
    """(section, subsection, key, value) of each entry, section and key in lower case."""
    entries = []
    section = subsection = ""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        line = line.strip()
        if match := _SECTION.match(line):
            section, subsection = match[1].lower(), re.sub(r"\\(.)", r"\1", match[2] or "")
            line = line[match.end() :].strip()
        if not line or line[0] in "#;":
            continue
        if entry := _ENTRY.match(line):
            entries.append(
                (section, subsection, entry[1].lower(), _value(entry[2] if entry[2] is not None else "true"))
            )
    return entries


def _value(text: str) -> str:
    """A value without its comment and quotes."""
    if '"' not in text and "\\" not in text:
        return re.split(r"\s*[#;]", text, maxsplit=1)[0].strip()
    parts, quoted, index = [], False, 0
    while index < len(text):
        character = text[index]
        if character == "\\":
            index += 1
            parts.append({"n": "\n", "t": "\t"}.get(text[index : index + 1], text[index : index + 1]))
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            parts.append(character)
        index += 1
    return "".join(parts).strip()


def _remotes(
    entries: list[tuple[str, str, str, str]], own: list[tuple[str, str, str, str]]
) -> dict[str, dict[str, str]] | None:
    found: dict[str, dict[str, str]] = {}
    fetch_rules: list[tuple[str, str]] = []
    push_rules: list[tuple[str, str]] = []
    for section, subsection, key, value in entries:
        if section == "url" and key == "insteadof":
            fetch_rules.append((value, subsection))
        elif section == "url" and key == "pushinsteadof":
            push_rules.append((value, subsection))
        elif section == "remote" and subsection and key in ("url", "pushurl", "gh-resolved"):
            found.setdefault(subsection, {}).setdefault(key, value)
    if any(section.startswith("include") and key == "path" for section, _, key, _ in own):
        return None  # the included file may set other remotes
    for remote in found.values():
        url = remote.get("url", "")
        if "pushurl" in remote:
            remote["pushurl"] = _rewritten(remote["pushurl"], fetch_rules)
        elif url and (pushed := _rewritten(url, push_rules)) != url:
            remote["pushurl"] = pushed
        if url:
            remote["url"] = _rewritten(url, fetch_rules)
    return found


def _rewritten(url: str, rules: list[tuple[str, str]]) -> str:
    """The URL after the longest insteadOf that it begins with."""
    fitting = [(len(prefix), prefix, base) for prefix, base in rules if prefix and url.startswith(prefix)]
    if not fitting:
        return url
    _, prefix, base = max(fitting)
    return base + url[len(prefix) :]


def _unaliased(found: dict[str, dict[str, str]], environ: Mapping[str, str]) -> dict[str, dict[str, str]] | None:
    """The remotes with ssh aliases (`Host` in ~/.ssh/config) replaced by the hosts they stand for."""
    ssh_hosts: list[tuple[list[str], str]] | None = None
    for remote in found.values():
        for key in ("url", "pushurl"):
            url = remote.get(key, "")
            if "://" in url and not url.lower().startswith("ssh://"):
                continue
            match = _SSH_HOST.match(url)
            if match is None or match[1].lower() in ("github.com", "ssh.github.com"):
                continue
            if ssh_hosts is None:
                ssh_hosts = _ssh_hosts(environ)
                if ssh_hosts is None:
                    return None
            name = next((name for patterns, name in ssh_hosts if _matches(match[1], patterns)), "")
            if name:
                remote[key] = url[: match.start(1)] + name + url[match.end(1) :]
            elif "." not in match[1]:
                return None  # an alias that is defined elsewhere
    return found


def _matches(host: str, patterns: list[str]) -> bool:
    """Whether a Host line speaks of this host: * and ? as in ssh_config(5), and no pattern with ! that fits."""
    fitting = [pattern for pattern in patterns if _fits(host, pattern.lstrip("!"))]
    return bool(fitting) and not any(pattern.startswith("!") for pattern in fitting)


def _fits(host: str, pattern: str) -> bool:
    wild = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(wild, host, re.DOTALL) is not None


def _ssh_hosts(environ: Mapping[str, str]) -> list[tuple[list[str], str]] | None:
    """(patterns, HostName) of ~/.ssh/config in order; None where it includes other files or matches conditionally."""
    text = _read(os.path.join(environ.get("HOME") or environ.get("USERPROFILE") or "", ".ssh", "config"))
    hosts: list[tuple[list[str], str]] = []
    patterns: list[str] = ["*"]  # what stands before the first Host is said of all
    for line in (text or "").splitlines():
        words = line.strip().replace("=", " ", 1).replace('"', " ").split()
        if len(words) < 2 or words[0].startswith("#"):
            continue
        keyword = words[0].lower()
        if keyword in ("include", "match"):
            return None
        if keyword == "host":
            patterns = words[1:]
        elif keyword == "hostname":
            hosts.append((patterns, words[1]))
    return hosts
