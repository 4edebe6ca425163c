"""The arguments of the `resource` tool, checked, and what a model is told of those that are wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rg_core.errors import UserError
from rg_core.harness.tool_names import TOOL
from rg_core.reading.parts import ranged
from rg_core.reading.query import instant

MOST_ADDRESSES = 10
LONGEST_FIND = 500  # characters
HISTORY = re.compile(r"history(?:[ :]?([1-9][0-9]{0,8}))?", re.IGNORECASE)
NO_ADDRESS = 'address is missing; give text such as "owner/repo#123", a GitHub URL or "gh issue list -R o/r"'


@dataclass(frozen=True, slots=True)
class ResourceArguments:
    """What is asked of one address, or of several."""

    addresses: tuple[str, ...]
    page: int = 1
    history: bool = False
    outline: bool = False
    comments: tuple[int, int] | None = None  # first and last, from 1
    find: str = ""
    as_of: str | None = None


def question(arguments: Mapping[str, Any]) -> ResourceArguments:
    """Check the tool's arguments; more is understood than the schema promises ("2" for a page, null for absent).

    Raises:
        UserError: saying which argument is wrong and what a right one looks like.
    """
    if unknown := sorted(arguments.keys() - {"address", "page", "find", "as_of"}):
        raise UserError(f"unknown argument {unknown[0][:60]!r}; {TOOL} takes address, page, find and as_of")
    as_of = arguments.get("as_of")
    if as_of is not None and not isinstance(as_of, str):
        raise UserError("as_of is a time in ISO 8601, e.g. 2026-04-15T00:00:00Z")
    find = arguments.get("find")
    if find is not None and (not isinstance(find, str) or len(find) > LONGEST_FIND):
        raise UserError(f"find is text of at most {LONGEST_FIND} characters: the words to look for in it")
    asked = ResourceArguments(
        _addresses(arguments.get("address")), find=(find or "").strip(), **_page(arguments.get("page"))
    )
    if len(asked.addresses) > 1 and (asked.page > 1 or asked.history or asked.comments):
        raise UserError("several addresses go with find, page 'outline' and as_of only; ask for one at a time")
    return asked if as_of is None else ResourceArguments(**_fields(asked) | {"as_of": instant(as_of)})


def _fields(asked: ResourceArguments) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in ResourceArguments.__slots__}


def _addresses(given: Any) -> tuple[str, ...]:
    listed = given if isinstance(given, list) else [given]
    if not listed or not all(isinstance(address, str) and address.strip() for address in listed):
        raise UserError(NO_ADDRESS)
    if len(listed) > MOST_ADDRESSES:
        raise UserError(f"{len(listed)} addresses are too many for one call; give at most {MOST_ADDRESSES}")
    return tuple(dict.fromkeys(address.strip() for address in listed))


def _page(page: Any) -> dict[str, Any]:
    if page is None:
        return {}
    if isinstance(page, float) and page.is_integer():
        page = int(page)
    if isinstance(page, str):
        word = page.strip()
        if match := HISTORY.fullmatch(word):
            return {"page": int(match[1] or 1), "history": True}
        if word.lower() == "outline":
            return {"outline": True}
        if comments := ranged(word):
            return {"comments": comments}
        page = int(word) if word.isascii() and word.isdigit() and len(word) < 10 else word
    if isinstance(page, bool) or not isinstance(page, int) or not 1 <= page < 10**9:
        raise UserError(
            'page is a whole number from 1 on, "outline", "history" or comments such as "40-60"; '
            f"not {str(page)[:40]!r}"
        )
    return {"page": page}
