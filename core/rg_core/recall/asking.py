"""The arguments of a recall, as a model or a person gives them, made into a Question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rg_core.address.model import Address
from rg_core.errors import UserError
from rg_core.reading.query import instant
from rg_core.recall.answer import Question

KINDS = ("issue", "pull_request", "repository", "document", "note")
MOST = 50
LONGEST = 200_000  # characters of a query
ARGUMENTS = ("query", "as_of", "kinds", "repository", "project", "limit", "page")


def question(arguments: Mapping[str, Any]) -> Question:
    """Check arguments; more is understood than the schema promises ("2" for a page, one kind for a list of one).

    Raises:
        UserError: saying which argument is wrong and what a right one looks like.
    """
    if unknown := sorted(arguments.keys() - set(ARGUMENTS)):
        raise UserError(f"unknown argument {str(unknown[0])[:60]!r}; recall takes {', '.join(ARGUMENTS)}")
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        raise UserError('query is missing; say what you look for, such as "why are retries limited to five"')
    if len(query) > LONGEST:
        raise UserError(f"a query has at most {LONGEST:,} characters, not {len(query):,}; say what you look for")
    as_of = _text(arguments, "as_of", "a time in ISO 8601, e.g. 2026-04-15T00:00:00Z")
    return Question(
        _clean(query),
        instant(as_of) if as_of else None,
        _kinds(arguments.get("kinds")),
        _repository(_text(arguments, "repository", 'a repository such as "owner/repo"')),
        _text(arguments, "project", "the name of a project"),
        _number(arguments, "limit", 10, MOST),
        _number(arguments, "page", 1, 1_000),
    )


def _clean(query: str) -> str:
    return query.encode("utf-8", "replace").decode().strip()


def _text(arguments: Mapping[str, Any], name: str, what: str) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UserError(f"{name} is {what}")
    return value.strip()


def _kinds(value: Any) -> tuple[str, ...]:
    kinds = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(kinds, list | tuple) or any(kind not in KINDS for kind in kinds):
        raise UserError(f"kinds is a list of some of {', '.join(KINDS)}")
    return tuple(dict.fromkeys(kinds))


def _repository(text: str) -> str:
    if not text:
        return ""
    from rg_core.address import of_argument

    found = of_argument(text).addresses
    if len(found) != 1 or found[0].repository == "*":
        raise UserError(f'{text[:200]!r} is no repository; give one such as "owner/repo"')
    return Address("repository", found[0].repository).repository


def _number(arguments: Mapping[str, Any], name: str, default: int, most: int) -> int:
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise UserError(f"{name} is a whole number from 1 to {most}; not {str(value)[:40]!r}")
    return value
