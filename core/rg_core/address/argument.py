"""The argument of the `resource` tool and of `rg-memory show` -> Address: whatever a person or a model may write."""

from __future__ import annotations

import re

from rg_core.address.found import Found, Gather, NoAddress
from rg_core.address.model import GITHUB, Address, scheme_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rg_core.address.found import ReadRemotes

MAX_ARGUMENT = 20_000
_ITEM = re.compile(r"([\w.-]+/[\w.-]+)(?:#|/(?:issues?|pulls?)/#?)([0-9]{1,10})(?:[/?#].*)?\Z", re.ASCII | re.DOTALL)
_NAME = re.compile(r"[\w-]+/[\w.-]+\Z", re.ASCII)
_LISTING = re.compile(r"[\w-]+/[\w.-]+/(?:issues|pulls|labels/|milestone/)", re.ASCII)
_REMOTE = re.compile(r"(?:ssh|git|git\+ssh)://|[\w.-]+@[\w.-]+:", re.ASCII | re.IGNORECASE)
_URL = re.compile(r"(?:https?://|(?:www\.|api\.|redirect\.)?github\.com[/:])", re.IGNORECASE)
_GH = re.compile(r"(?:(?:-R|--repo)[ =]?\S+\s+)?(?:issue|pr|repo|search|api)\s")
_COMMAND = re.compile(r"(?:[A-Za-z_]\w*=\S*\s+)*(?:\S*/)?(?:gh|curl|wget|http|https|xh|env)(?:\.exe)?\s")
_MARKDOWN = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)\Z")


def of_argument(text: str, cwd: str, remotes: ReadRemotes, environ: Mapping[str, str]) -> Found:
    """The Address of an argument; see rg_core.address.of_argument."""
    if len(text) > MAX_ARGUMENT:
        return Found((), "too long for an address")
    text = text.strip()
    if match := _MARKDOWN.match(text):
        text = match[1]
    while len(text) > 1 and (text[0], text[-1]) in (("<", ">"), ("`", "`"), ("'", "'"), ("(", ")")):
        text = text[1:-1].strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].strip()
    if text.startswith(("{", "[")):
        return _json(text, cwd, remotes, environ)
    if _COMMAND.match(text) or _GH.match(text):
        from rg_core.address.calls import of_call

        command = text if _COMMAND.match(text) else f"gh {text}"
        return of_call("bash", {"command": command}, cwd, remotes, environ)
    gather = Gather()
    gather.attempt(_one, text if scheme_of(text) == GITHUB else _sentence(text))
    return gather.found("")


def _sentence(text: str) -> str:
    """The text without what ends the sentence that it stood in; /.. at its end is a step, not the end of one."""
    bare = text.rstrip(".,;")
    return text if bare.endswith("/") and text[len(bare) :].startswith(".") else bare


def _one(text: str) -> Address:
    from rg_core.address.github.api_paths import steps
    from rg_core.address.github.urls import of_url

    if scheme_of(text) == GITHUB:
        return Address.parse(text)
    if text.startswith("repo://"):
        from rg_core.address.github.mcp_tools import of_resource

        return of_resource(text)
    if _REMOTE.match(text):
        from rg_core.address.github.remotes import flag_repository

        return Address("repository", flag_repository(text))
    if _URL.match(text):
        return of_url(text)
    if match := _ITEM.match(text):
        steps(text.partition("?")[0])
        return Address("item", match[1], number=int(match[2]))
    if re.match(r"/?(?:repos|search)/", text):
        from rg_core.address.github.api_paths import of_path
        from rg_core.address.github.urls import pairs

        path, _, query = text.partition("?")
        return of_path(path, dict(pairs(query)))
    if _NAME.match(text.removesuffix("/")) or _LISTING.match(text):
        return of_url(f"https://github.com/{text}")
    if re.match(r"(?:#|GH-)?[0-9]+\Z", text, re.IGNORECASE):
        raise NoAddress("a number does not say which repository: write owner/repo#number")
    raise NoAddress(
        "this is no address; write owner/repo, owner/repo#number, a GitHub URL, a gh command or a github: key"
    )


def _json(text: str, cwd: str, remotes: ReadRemotes, environ: Mapping[str, str]) -> Found:
    """MCP arguments as JSON, with or without the tool's name."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Found((), "not JSON")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return Found((), "no JSON object of arguments")
    from rg_core.address.calls import of_call

    for key in ("address", "resource"):
        if isinstance(value.get(key), str) and not value[key].lstrip().startswith("{"):
            return of_argument(value[key], cwd, remotes, environ)
    return of_call(_tool(value), value, cwd, remotes, environ)


def _tool(value: Mapping[str, object]) -> str:
    """The tool that would take such arguments."""
    if "command" in value or "cmd" in value:
        return "bash"
    if any(name in value for name in ("issue_number", "issueNumber")):
        return "issue_read"
    if any(name in value for name in ("pullNumber", "pull_number", "number")):
        return "pull_request_read"
    if "query" in value or "q" in value:
        return "search_issues"
    if "path" in value:
        return "get_file_contents"
    if "base" in value or "head" in value:
        return "list_pull_requests"
    if value.keys() & {
        "state",
        "labels",
        "perPage",
        "per_page",
        "page",
        "orderBy",
        "direction",
        "since",
        "sort",
        "after",
    }:
        return "list_issues"
    return "ui_get"  # owner and repo alone: the repository
