"""gh command lines -> Addresses: gh issue|pr|repo view, list, diff, checks, search and api.

Source: cli/cli pkg/cmd/{issue,pr,repo,search,api}.
"""

from __future__ import annotations

from rg_core.address import parts
from rg_core.address.found import UNKNOWN, NoAddress
from rg_core.address.github.gh_flags import ALIASES, COMMANDS, read
from rg_core.address.model import Address

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from rg_core.address.github.gh_flags import Flags
    from rg_core.address.github.where import Surroundings

_READING = frozenset({"view", "list", "status", "diff", "checks"})
_NO_ADDRESS = {
    "issue status": "gh issue status shows each user a different list",
    "pr status": "gh pr status shows each user a different list",
    "pr checkout": "gh pr checkout fetches code, not the pull request",
    "repo clone": "gh repo clone fetches code",
    "repo list": "a list of repositories is not kept",
    "search repos": "a list of repositories is not kept",
    "search code": "code is not kept",
    "search commits": "commits are not kept",
}


def of_gh(words: list[str], where: Surroundings, readers: Sequence[list[str]] = ()) -> list[Address]:
    """The Addresses of the words after `gh`; only GraphQL asks for several at once.

    Args:
        words: the command line.
        where: what it is run in.
        readers: the words of the programs that read its output (rg_core.address.piped).

    Raises:
        NoAddress: for what fetches none, what gh refuses, and what only the shell could tell.
        ValueError: for a name or number GitHub does not allow.
    """
    command, rest = _command(words)
    if command == "api":
        from rg_core.address.github.gh_api import of_api

        return of_api(read(command, rest), where, readers)
    if command not in COMMANDS:
        raise NoAddress(_why_not(command))
    flags = read(command, rest)
    if any(UNKNOWN in argument for argument in flags.arguments):
        raise NoAddress(
            "an argument of gh that depends on the shell: an unset variable, a glob or another command's output"
        )
    if flags.switch("web") if "web" in flags.values else False:
        raise NoAddress("--web opens a browser: nothing is fetched")
    if "json" not in flags.values and ("jq" in flags.values or "template" in flags.values):
        raise NoAddress("gh refuses --jq and --template without --json")
    address = _address(command, flags, where)
    address.asked = _asked(command, flags, readers)
    return [address]


def _address(command: str, flags: Flags, where: Surroundings) -> Address:
    if command.startswith("search "):
        from rg_core.address.github.gh_list import of_search

        return of_search(command, flags, where)
    if command.endswith(" list"):
        from rg_core.address.github.gh_list import of_list

        return of_list(command, flags, where)
    return _repository(flags, where) if command == "repo view" else _item(command, flags, where)


def _asked(command: str, flags: Flags, readers: Sequence[list[str]]) -> tuple[str, ...]:
    """What of it the command shows."""
    if command in ("pr diff", "pr checks"):
        return (parts.UNTOLD,)
    fields = ",".join(flags.values.get("json", ()))
    program = " ".join(flags.values.get("jq", flags.values.get("template", [])))
    if UNKNOWN in fields:
        return (parts.UNTOLD,)
    if fields:
        readers = [words for words in readers if words]  # all of what is asked for may be kept in a variable
    left: tuple[str, ...] = ()
    if program or readers:
        from rg_core.address.piped import shown

        left = shown(program, readers, lines=not fields and command.endswith(" view"))
    return parts.of_json(fields, left) if fields else left


def _command(words: list[str]) -> tuple[str, list[str]]:
    """The command (`issue view`) and the words after it; a -R before it is moved behind it, as cobra does."""
    names: list[str] = []
    moved: list[str] = []
    position = 0
    while position < len(words) and len(names) < 2:
        word = words[position]
        position += 1
        if word in ("-R", "--repo"):
            moved += words[position - 1 : position + 1]
            position += 1
        elif word.startswith(("-R", "--repo=")):
            moved.append(word)
        elif word.startswith("-"):
            raise NoAddress(f"gh {word[:30]} fetches nothing".replace(UNKNOWN, "?"))
        else:
            names.append(word)
            if names == ["api"]:
                break
    if len(names) == 2:
        names[1] = ALIASES.get(names[1], names[1])
    return " ".join(names), moved + words[position:]


def _why_not(command: str) -> str:
    if command in _NO_ADDRESS:
        return _NO_ADDRESS[command]
    group, _, verb = command.partition(" ")
    if UNKNOWN in command:
        return "a gh command that depends on the shell"
    if group in ("issue", "pr") and verb and verb not in _READING:
        return f"gh {command[:40]} writes, or is no command of gh: nothing to remember is fetched"
    return f"gh {command[:40]} fetches no issue, pull request or repository".replace("gh  ", "gh ")


def _item(command: str, flags: Flags, where: Surroundings) -> Address:
    issues = command == "issue view"
    if len(flags.arguments) != 1:
        if not flags.arguments and not issues:
            raise NoAddress("only Git knows the pull request of the current branch")
        raise NoAddress(f"gh {command} takes one argument, {len(flags.arguments)} given")
    argument = flags.arguments[0]
    digits = argument.removeprefix("#")
    if digits.isascii() and digits.isdigit() and len(digits) <= 10:
        return Address("item", where.repository(flags.last("repo")), number=int(digits))
    url = _item_url(argument) if "://" in argument else None
    if url is None or (url[3].lower() == "issues" and not issues):
        raise NoAddress(
            f"{argument[:80]!r} is not an issue number" if issues else f"{argument[:80]!r} is a branch to gh {command}"
        )
    return Address("item", _on_github(url[1], url[2]), number=int(url[4]))


def _item_url(text: str) -> re.Match[str] | None:
    import re

    return re.match(
        r"https?://([^/?#\s]+)/([^/?#\s]+/[^/?#\s]+)/(issues|pull)/([0-9]{1,10})(?=[/?#.]|\Z)", text, re.IGNORECASE
    )


def _repository(flags: Flags, where: Surroundings) -> Address:
    if len(flags.arguments) > 1:
        raise NoAddress("gh repo view takes one repository")
    if branch := flags.last("branch"):
        raise NoAddress(f"the README of the branch {branch[:40]}, not of the default branch")
    if not flags.arguments:
        return Address("repository", where.repository())
    argument = flags.arguments[0]
    if "/" not in argument:
        raise NoAddress("gh repo view NAME is a repository of the user who asks")
    from rg_core.address.github.remotes import flag_repository

    return Address("repository", flag_repository(argument, where.variable("GH_HOST")))


def _on_github(host: str, repository: str) -> str:
    from rg_core.address.github.remotes import GITHUB, normal_host

    if normal_host(host.rpartition("@")[2].partition(":")[0]) != GITHUB:
        raise NoAddress(f"{host[:60]} is not github.com")
    return repository
