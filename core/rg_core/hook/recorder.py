"""From an Event to what is recorded and what the model is told. Hot.

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
from rg_core.hook.nudge import MOST, nudge, short
from rg_core.record import record
from rg_core.touches.outbox import (
    Caller,
    Settings,
    identify,
    let_go,
    look_up,
    open_outbox,
    read_settings,
    write,
    write_settings,
)
from rg_core.touches.touch import FETCHED, PROMPTED, Touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from sqlite3 import Connection

    from rg_core.address.found import Remotes
    from rg_core.address.model import Address
    from rg_core.touches.known import Known

    Exploring = ToolStarted | ToolEnded | MemoryRead | PromptSubmitted

SAME = 10  # seconds


@record
class Hooked:
    """How an event reached us."""

    harness: str
    environ: Mapping[str, str]
    tool: str  # the `resource` tool's full name here
    tells: bool  # whether a note given at this event reaches a model that has the tool


@record
class Outcome:
    """What comes of an event: a note for the model, and whether a Sweep should start."""

    note: str | None = None
    sweep: bool = False


def handle(
    event: Exploring | SessionEnded,
    hooked: Hooked,
    *,
    ending: bool = False,
    trace: Callable[[str], object] | None = None,
) -> Outcome:
    """Record an event and find what the model should be told: at most one transaction and one lookup.

    Args:
        event: what an adapter read.
        hooked: where it came from.
        ending: the process ends right after this, so that no time is spent on tidying.
        trace: is called with every SQL statement that runs.

    Raises:
        OSError: if the local file cannot be created.
        DatabaseError: if it cannot be used in time.
        Exception: what the readers of addresses raise for input that they do not expect.
    """
    addresses = () if isinstance(event, SessionEnded) else _addresses(event, hooked.environ)
    if not addresses and not isinstance(event, SessionEnded):
        return Outcome()
    path = paths.outbox_file(hooked.environ)
    db = open_outbox(path, trace=trace)
    try:
        settings = _settings(db, hooked.environ)
        if not settings.user:
            return Outcome()
        if isinstance(event, SessionEnded):
            return Outcome(sweep=settings.sweep_auto)
        return Outcome(_recorded(db, settings, event, addresses, hooked))
    finally:
        let_go(db, path, ending=ending)


def _recorded(
    db: Connection, settings: Settings, event: Exploring, addresses: Sequence[Address], hooked: Hooked
) -> str | None:
    """Write what the event says; the Nudge, if there is one."""
    now = time.time()
    if isinstance(event, MemoryRead):
        who = (event.session, hooked.harness, event.tool_use_id, event.agent, event.agent_type)
        write(db, caller=Caller(str(addresses[0]), *who), at=_time(now))
        return None
    if _excluded(event, settings):
        return None
    known = _known(db, addresses) if hooked.tells and event.session else []
    touches, earlier = _touches(event, addresses, settings.user, hooked.harness, now)
    told = [str(question) for question, _ in known]
    if not touches and not told:
        return None
    fresh = write(db, touches, earlier=earlier, nudge=(event.session, told), at=_time(now))
    news = [(question, row) for question, row in known if str(question) in fresh]
    return nudge(news, hooked.tool) if news else None


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


def _settings(db: Connection, environ: Mapping[str, str]) -> Settings:
    """The settings row, refreshed when config.toml is no longer the one that it was read from."""
    settings = read_settings(db)
    stamp = _stamp(paths.config_file(environ))
    if settings is None or settings.stamp != stamp:
        settings = _refreshed(environ, stamp, settings)
        write_settings(db, settings)
    return settings


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return f"none {path}"
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino} {path}"


def _refreshed(environ: Mapping[str, str], stamp: str, before: Settings | None) -> Settings:
    """Settings from config.toml; while that is broken, who the user is and what is excluded stay as they were."""
    from rg_core import config
    from rg_core.errors import UserError

    try:
        now = config.load(environ)
    except UserError:
        if before is None:
            return Settings(stamp, "")
        return Settings(stamp, before.user, before.exclude_projects, before.exclude_tools, before.sweep_auto)
    home = environ.get("HOME") or os.path.expanduser("~")
    projects = tuple(home + path[1:] if path[:2] in ("~", "~/") else path for path in now.capture.exclude_projects)
    return Settings(stamp, now.user, projects, now.capture.exclude_tools, now.sweep.auto)


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


def _known(db: Connection, addresses: Sequence[Address]) -> list[tuple[Address, Known]]:
    """What memory has of these, as pairs of what was asked and the row that answers it."""
    asked = [address for address in addresses if short(address)][: MOST * 4]
    single = [str(address) for address in asked if not address.is_listing]
    listings = [
        (listings_of(address.repository, address.kind), str(address)) for address in asked if address.is_listing
    ]
    rows = look_up(db, single, listings)
    by_key = {row.address: row for row in rows}
    found = []
    for address in asked:
        if not address.is_listing:
            row = by_key.get(str(address))
        elif rows:
            from rg_core.address.matching import choose

            chosen = choose(rows, address)
            row = chosen[0] if chosen else None
        else:
            row = None
        if row is not None:
            found.append((address, row))
    return found[:MOST]


def _touches(
    event: ToolStarted | ToolEnded | PromptSubmitted, addresses: Sequence[Address], user: str, harness: str, now: float
) -> tuple[list[Touch], dict[str, tuple[str, str]]]:
    """The Touches of an event, and for events without an id what they would have been called a window earlier."""
    identity, certain = _identity(event)
    if isinstance(event, ToolEnded) and not certain:
        return [], {}  # its start cannot be known again, and has been recorded
    window = int(now // SAME)
    at, since = _time(now), _time(now - SAME)
    touches, earlier = [], {}
    for address in addresses:
        asked = (*identity, str(address), address.order)
        touch_id = identify(*asked) if certain else identify(*asked, str(window))
        if not certain:
            earlier[touch_id] = (identify(*asked, str(window - 1)), since)
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


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
