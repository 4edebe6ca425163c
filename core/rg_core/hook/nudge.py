"""The words that reach the model from a hook: the Nudge and the Hint. Hot, pure.

Titles are other people's text: they pass the border, are quoted on one line, and cut short.
"""

from __future__ import annotations

from rg_core import border
from rg_core.quickjson import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rg_core.address.model import Address
    from rg_core.touches.known import Known

TITLE = 80  # characters


def nudge(found: Sequence[tuple[Address, Known]], tool: str) -> str:
    """One line that says what memory has of what the model is fetching, and the call that reads it."""
    things = "; ".join(_described(question, row) for question, row in found)
    calls = " or ".join(f'{tool}({{"address": {quote(str(question))}}})' for question, _ in found[:1])
    each = "" if len(found) == 1 else ", and so for each of them"
    return f"Memory already has {things}. Read it without fetching: {calls}{each}. What changed since is not in it."


def search_nudge(found: Sequence[tuple[str, Known]], tool: str) -> str:
    """A line a search that only GitHub can answer: the call of `recall` that searches the same items in memory."""
    prefix = tool.removesuffix("resource")
    return "\n".join(
        f"Memory holds all {_counted(row.member_count, 'item')} of {row.address}, fetched {row.fetched_at}. Search "
        f"them without fetching: {prefix}{call}. What changed since is not in it."
        for call, row in found
    )


def hint(tool: str) -> str:
    """One line that says that the `resource` tool exists and when to call it."""
    return (
        "GitHub issues, pull requests, repositories and lists of them that were fetched before are in memory. Before "
        f'fetching one with gh, curl, a page or GitHub\'s MCP server, call {tool}({{"address": "owner/repo#123"}}). '
        "The address may also be a github.com URL, owner/repo, or a gh command such as `gh issue list -R owner/repo`. "
        f'A miss says so. Without an address, {tool.removesuffix("resource")}recall({{"query": "..."}}) searches '
        "memory, the project's documents and notes included."
    )


def _described(question: Address, row: Known) -> str:
    if not question.is_listing:
        title = f" ({quoted(row.title)}, {_counted(row.comments, 'comment')})" if row.title else ""
        return f"{question}{title}, fetched {row.fetched_at}"
    own = row.address == str(question)
    size = f"{row.member_count} of {row.total_count}" if row.total_count >= 0 else f"{row.member_count}"
    source = f"{size} members" if own else f"from {row.address}, {size} members"
    return f"{question} ({source}), fetched {row.fetched_at}"


def quoted(title: str) -> str:
    """Somebody's text as a quotation of at most TITLE characters that cannot end itself or begin a new line."""
    clean = border.line(title[: TITLE * 4]).replace('"', "'").replace("<", "‹").replace(">", "›")
    return f'titled "{clean[: TITLE - 1] + "…" if len(clean) > TITLE else clean}"'


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
