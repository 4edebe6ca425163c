"""From an Event to what is recorded and what the model is told. Hot; opens no database (rg_core.touches.events).

A Touch's id makes it the same Touch however often and by however many hooks its event is delivered:
- of a call with a tool_use_id: session, tool_use_id, address and order; nothing of the harness;
- of a prompt with an id: session, that id, its text, address and order;
- of an event without an id: session, agent, tool, input (or the prompt's text), address, order and the time, in
  windows of SAME seconds, where the window before counts too. So two deliveries of one event are one Touch, and so are
  two real calls, equal to the letter, within SAME seconds; after that they are two.
"""

from __future__ import annotations

import os
import time

from rg_core import paths
from rg_core.address.model import listings_of
from rg_core.harness.events import MemoryRead, PromptSubmitted, SessionEnded, ToolEnded, ToolStarted
from rg_core.record import record
from rg_core.times import written
from rg_core.touches.events import record_read, record_touches, tell
from rg_core.touches.settings import current
from rg_core.touches.touch import FETCHED, PROMPTED, AnnouncedRead, Touch, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rg_core.address.found import Remotes
    from rg_core.address.model import Address
    from rg_core.touches.known import Known
    from rg_core.touches.settings import Settings

    Exploring = ToolStarted | ToolEnded | MemoryRead | PromptSubmitted

SAME = 10  # seconds
MOST = 5  # addresses that one Nudge names


@record
class Hooked:
    """How an event reached us."""

    harness: str
    environ: Mapping[str, str]
    tool: str  # the `resource` tool's full name here
    tells: bool  # whether a note given at this event reaches a model that has the tool
    recorded: Callable[[], object]  # is called when the event is recorded
    nudges: bool = True  # whether that note may be of what memory has of GitHub


@record
class Outcome:
    """What comes of an event: a note for the model, and whether a Sweep should start."""

    note: str | None = None
    sweep: bool = False


def handle(event: Exploring | SessionEnded, hooked: Hooked) -> Outcome:
    """Record an event, and then find what the model should be told. No database is opened, nobody is waited for.

    Raises:
        OSError: if the event cannot be recorded. What fails after that costs the note, never the record.
        Exception: what the readers of addresses raise for input that they do not expect.
    """
    addresses = () if isinstance(event, SessionEnded) else _addresses(event, hooked.environ)
    documents = _documents(event, hooked)
    if not addresses and not documents and not isinstance(event, SessionEnded):
        return Outcome()
    settings = current(hooked.environ)
    if not settings.user:
        return Outcome()
    if isinstance(event, SessionEnded):
        return Outcome(sweep=settings.sweep_auto)
    when = time.time_ns()
    data = paths.data_dir(hooked.environ)
    if isinstance(event, MemoryRead):
        caller = AnnouncedRead(
            str(addresses[0]), event.session, hooked.harness, event.tool_use_id, event.agent, event.agent_type
        )
        record_read(data, caller, when, written(when / 1e9))
        hooked.recorded()
        return Outcome()
    if _excluded(event, settings):
        return Outcome()
    touches, earlier = _touches(event, addresses, settings.user, hooked.harness, when / 1e9)
    if touches:
        record_touches(data, touches, when, earlier=earlier, since=written(when / 1e9 - SAME))
        hooked.recorded()
    if not (hooked.tells and event.session):
        return Outcome()
    notes = []
    try:
        if hooked.nudges:
            notes.append(_note(data, settings.user, event.session, addresses, hooked.tool, written(when / 1e9)))
        if documents and settings.upstream_note:
            from rg_core.hook.upstream import upstream

            notes.append(upstream(documents, data, settings.user, event.session, event.cwd, written(when / 1e9)))
    except Exception:  # noqa: BLE001, S110 - a broken index, a full disk: the Touch is recorded
        pass
    return Outcome("\n".join(filter(None, notes)) or None)


def _documents(event: Exploring | SessionEnded, hooked: Hooked) -> Sequence[str]:
    """What a prompt says that may be the name of a document; nothing where nobody could be told."""
    if not (isinstance(event, PromptSubmitted) and hooked.tells and event.session):
        return ()
    from rg_core.hook.upstream import names_in

    return names_in(event.text, paths.data_dir(hooked.environ))


def _note(data: str, user: str, session: str, addresses: Sequence[Address], tool: str, at: str) -> str | None:
    """The Nudge, if there is something that this session was not told yet."""
    found, searches = _known(data, addresses)
    news = [(question, row) for question, row in found if tell(data, user, session, str(question), at)]
    notes = []
    if news:
        from rg_core.hook.nudge import nudge

        notes.append(nudge(news, tool))
    if searches:
        from rg_core.address.github.search import recall_call
        from rg_core.hook.nudge import search_nudge

        calls = [(question, recall_call(question), row) for question, row in searches]
        notes.append(
            search_nudge(
                [(call, row) for question, call, row in calls if call and tell(data, user, session, str(question), at)],
                tool,
            )
        )
    return "\n".join(filter(None, notes)) or None


def _addresses(
    event: ToolStarted | ToolEnded | MemoryRead | PromptSubmitted, environ: Mapping[str, str]
) -> Sequence[Address]:
    from rg_core import address

    def remotes(directory: str) -> Remotes | None:
        from rg_core import git

        return git.remotes(directory, environ)

    if isinstance(event, MemoryRead) and event.tool != "resource":
        from rg_core.touches.callers import caller_key

        return (caller_key(event.tool, event.input),)  # type: ignore[return-value] # only its text is used
    if isinstance(event, MemoryRead):
        asked = event.input.get("address") if isinstance(event.input, dict) else event.input
        found = address.of_argument(asked) if isinstance(asked, str) else None
    elif isinstance(event, PromptSubmitted):
        found = address.of_prompt(event.text)
    else:
        found = address.of_call(event.tool, event.input, event.cwd or paths.here(), remotes, environ)
    return found.addresses if found else ()


def _excluded(event: ToolStarted | ToolEnded | PromptSubmitted, settings: Settings) -> bool:
    if not (settings.exclude_projects or settings.exclude_tools):
        return False
    from fnmatch import fnmatchcase

    if not isinstance(event, PromptSubmitted) and any(fnmatchcase(event.tool, tool) for tool in settings.exclude_tools):
        return True
    cwd = event.cwd or paths.here()
    if not cwd:
        return False
    for place in {os.path.normcase(cwd), os.path.normcase(os.path.realpath(cwd))}:
        for project in settings.exclude_projects:
            pattern = os.path.normcase(project).rstrip(os.sep) or os.sep
            if fnmatchcase(place, pattern) or fnmatchcase(place, pattern.rstrip(os.sep) + os.sep + "*"):
                return True
    return False


def _known(data: str, addresses: Sequence[Address]) -> tuple[list[tuple[Address, Known]], list[tuple[Address, Known]]]:
    """What memory has of these, as pairs of what was asked and the row that answers it; and what can be searched there.

    A note that promises what memory does not keep, a diff or the state of checks, teaches to ignore notes.
    """
    from rg_core.address.parts import kept
    from rg_core.touches.known import ADDRESS, look_up

    asked = [address for address in addresses if kept(address) and len(str(address)) <= ADDRESS][: MOST * 4]
    single = [str(address) for address in asked if not address.is_listing]
    listings = [
        (listings_of(address.repository, address.kind), str(address)) for address in asked if address.is_listing
    ]
    rows = look_up(data, single, listings)
    by_key = {row.address: row for row in rows}
    found, searches = [], []
    for address in asked:
        if not address.is_listing:
            row = by_key.get(str(address))
        elif rows:
            from rg_core.address.matching import choose, searchable

            chosen = choose(rows, address)
            row = chosen[0] if chosen else None
            if row is None and (whole := searchable(rows, address)):
                searches.append((address, whole))
        else:
            row = None
        if row is not None:
            found.append((address, row))
    return found[:MOST], searches[:MOST]


def _touches(
    event: ToolStarted | ToolEnded | PromptSubmitted, addresses: Sequence[Address], user: str, harness: str, now: float
) -> tuple[list[Touch], list[str]]:
    """The Touches of an event, and for events without an id what they would have been called a window earlier."""
    identity, certain = _identity(event)
    if isinstance(event, ToolEnded) and not certain:
        return [], []  # its start cannot be known again, and has been recorded
    window, at = int(now // SAME), written(now)
    touches: list[Touch] = []
    earlier: list[str] = []
    for address in addresses:
        asked = (*identity, str(address), address.order)
        touch_id = identify(*asked) if certain else identify(*asked, str(window))
        if not certain:
            earlier.append(identify(*asked, str(window - 1)))
        touches.append(
            Touch(
                id=touch_id,
                user=user,
                address=str(address),
                kind=address.kind,
                provenance=PROMPTED if isinstance(event, PromptSubmitted) else FETCHED,
                at=at,
                session=event.session,
                harness=harness,
                limit=address.limit,
                order=address.order if address.is_listing else "",
                tool_name=getattr(event, "tool", ""),
                tool_use_id=getattr(event, "tool_use_id", ""),
                agent=event.agent,
                agent_type=getattr(event, "agent_type", ""),
            )
        )
    return touches, earlier


def _identity(event: ToolStarted | ToolEnded | PromptSubmitted) -> tuple[tuple[str, ...], bool]:
    """What makes two deliveries the same event, and whether they are so at any distance of time."""
    if isinstance(event, PromptSubmitted):
        return ("prompt", event.session, event.agent, event.prompt_id, event.text), bool(event.prompt_id)
    if event.tool_use_id:
        return ("call", event.session, event.tool_use_id), True
    return ("call", event.session, event.agent, event.tool, repr(event.input)), False
