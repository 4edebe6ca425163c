"""Which repository gh means: -R values, remotes of the working directory, and gh's ranking of them.

Source: cli/cli context/{context,remote}.go, git/client.go, internal/ghrepo.
"""

from __future__ import annotations

from rg_core.address.found import NoAddress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.address.found import Remote, Remotes

GITHUB = "github.com"
_RANK = {"upstream": 0, "github": 1, "origin": 2}


def flag_repository(value: str, gh_host: str = "") -> str:
    """owner/repo of a `-R` value or GH_REPO: [HOST/]OWNER/REPO or a URL.

    Raises:
        NoAddress: for another host than github.com, or a value gh refuses.
    """
    host_and_path = split_remote(value) if ":" in value else None
    if host_and_path is None:
        parts = value.split("/")
        if len(parts) not in (2, 3) or not all(parts):
            raise NoAddress(f"not an OWNER/REPO: {value[:80]}")
        host_and_path = (parts[0] if len(parts) == 3 else gh_host or GITHUB), "/".join(parts[-2:])
    host, path = host_and_path
    if normal_host(host) != GITHUB:
        raise NoAddress(f"{host[:60]} is not github.com")
    return path


def split_remote(url: str) -> tuple[str, str] | None:
    """(host, owner/repo) of a remote's URL (https, ssh, git, scp-like), or None if it is none of a repository."""
    import re

    match = re.match(
        r"(https?|ssh|git|git\+ssh|git\+https)://(?:[^@/\s]*@)?([^@/\s:]+)(?::\d*)?/+([^\s?#]+)\Z", url, re.IGNORECASE
    )
    if match:
        host, path = match[2], match[3]
    elif match := re.match(r"(?:[^@/\s:]+@)?([^@/\s:]+):(?!//)/?([^\s]+)\Z", url):
        host, path = match[1], match[2]
    else:
        return None
    path = path.strip("/").removesuffix(".git")
    return (host, path) if path.count("/") == 1 else None


def normal_host(host: str) -> str:
    """A host as gh compares it: lower-case, without www., GitHub's ssh host over port 443 being github.com."""
    host = host.lower().removeprefix("www.")
    return GITHUB if host == "ssh.github.com" else host


def base_repository(remotes: Remotes, gh_host: str = "") -> str:
    """owner/repo that gh takes for a working directory with these remotes (not on a terminal: the first wins).

    Raises:
        NoAddress: if no remote is on github.com, or GH_HOST names another host.
    """
    if gh_host and normal_host(gh_host) != GITHUB:
        raise NoAddress(f"GH_HOST is {gh_host[:60]}, not github.com")
    ranked = sorted(remotes, key=lambda name: (_RANK.get(name.lower(), 3), name))
    candidates = [(name, path) for name in ranked if (path := _path(remotes[name]))]
    for name, path in candidates:
        remote = remotes[name]
        resolved = "" if isinstance(remote, str) else remote.get("gh-resolved", "")
        if resolved == "base":
            return path
        if resolved:
            return flag_repository(resolved)
    if not candidates:
        raise NoAddress("the working directory has no remote on github.com")
    return candidates[0][1]


def _path(remote: Remote) -> str | None:
    urls = (remote,) if isinstance(remote, str) else (remote.get("url", ""), remote.get("pushurl", ""))
    for url in urls:
        split = split_remote(url)
        if split:
            return split[1] if normal_host(split[0]) == GITHUB else None
    return None
