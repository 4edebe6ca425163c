"""What the reading commands share: the open store, and answers as text for a person."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rg_core import paths
from rg_core.address.model import ANY_REPOSITORY, GITHUB, place, repository_of, without_scheme
from rg_core.config import Config, load
from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.nouns import counted
from rg_core.reading.framing import clean, one_line
from rg_core.reading.query import Answer, Rows, finder
from rg_core.reading.render import blocks, history_line, tied
from rg_core.store import open_store
from rg_core.store.model import StateFacts
from rg_core.store.protocol import Store

HEADINGS = {"# ": "bold", GITHUB: "bold", "--- ": "dim", "created ": "dim", "as of ": "dim", "derived ": "dim"}
MORE_ROWS = 200  # of a listing for a person


@contextmanager
def opened(environ: Mapping[str, str]) -> Iterator[tuple[Config, Store]]:
    """The configuration and the store it names, open.

    Raises:
        UserError, StoreUnavailable: saying what to do.
    """
    config = load(environ)
    store = open_store(config, environ)
    try:
        yield config, store
    finally:
        store.close()


@contextmanager
def own_texts(environ: Mapping[str, str], argument: str) -> Iterator[OwnTexts | None]:
    """The user's documents and notes, if the argument is about one of them.

    Raises:
        UserError, StoreUnavailable: saying what to do.
    """
    texts = OwnTexts(load(environ), environ, paths.here())
    try:
        yield texts if texts.concerns(argument) else None
    finally:
        texts.close()


def resource_key(argument: str) -> str:
    """The canonical key of the one issue, pull request or repository that an argument names.

    Raises:
        UserError: if it names none, several or a listing.
    """
    found = finder(os.environ)(argument)
    if len(found.addresses) != 1 or found.addresses[0].is_listing:
        why = "a listing has no versions" if found.addresses else found.why
        raise UserError(f"{argument[:200]!r} names no issue, pull request or repository: {why}")
    return str(found.addresses[0])


def shown(found: Answer) -> str:
    """An answer for a person: its facts, then everything that is stored."""
    if found.outcome == "miss":
        why = f": {one_line(found.why, 2_000)}" if found.why else ""
        when = f" as of {found.as_of}" if found.as_of else ""
        return f"not in memory{when}: {one_line(found.asked, 2_000)}{why}"
    seen = "seen" if found.is_local else "fetched"
    head = [f"{one_line(found.asked, 2_000)}  {found.outcome}, {seen} {found.fetched_at} ({_age(found.age_days())})"]
    if found.as_of:
        head.append(f"as of {found.as_of}" + (", superseded by a newer version" if found.superseded else ""))
    if found.deleted_at:
        head.append(f"{'deleted' if found.is_local else 'deleted on GitHub'}, as seen {found.deleted_at}")
    if found.listing:
        return "\n".join([*head, *_rows(found, found.listing)])
    assert found.reading
    head += tied(found)
    return "\n".join(head) + "\n\n" + "\n\n".join(blocks(found.reading.resource))


def history_text(asked: str, chain: list[StateFacts], causes: Mapping[str, str]) -> str:
    """A chain of States for a person."""
    return "\n".join(
        [
            f"{asked}  {counted(len(chain), 'versions')}, oldest first",
            *(history_line(facts, dict(causes)) for facts in chain),
        ]
    )


def _rows(found: Answer, rows: Rows) -> Iterator[str]:
    of = "" if rows.complete else f" of {rows.total if rows.total >= 0 else 'an unknown number'}"
    yield f"{rows.member_count}{of} in {found.question.order if found.question else ''} order"
    if found.outcome == "subsumed":
        yield f"derived from {one_line(rows.source.address, 2_000)}, fetched {rows.source.fetched_at}"
    several = repository_of(rows.source.address) == ANY_REPOSITORY
    width = max((len(_name(row.address, several=several)) for row in rows.rows[:MORE_ROWS]), default=0)
    for row in rows.rows[:MORE_ROWS]:
        labels = f"  [{clean(', '.join(row.labels))}]" if row.labels else ""
        name = _name(row.address, several=several)
        yield f"{name:>{width}}  {row.state:<6}  {row.updated_at[:10]}  {one_line(row.title, 300)}{labels}"
    if len(rows.rows) > MORE_ROWS:
        yield f"... {len(rows.rows) - MORE_ROWS} more; --json prints them all"


def _name(address: str, *, several: bool) -> str:
    return without_scheme(address) if several else f"#{place(address)[1]}"


def _age(days: float) -> str:
    return "today" if days < 1 else f"{days:g} days ago"
