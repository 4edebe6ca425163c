"""Events as hooks write them: one new file each, in the directory `events` of the data directory. Hot.

A hook opens no database: it waits for nobody and nobody for it. It creates `.<name>` exclusively, writes one JSON
object, closes it and renames it to `<name>`, which is the time in nanoseconds, 20 digits, and 8 random bytes. Whoever
lists the directory leaves names with a dot alone. rg_core.touches.drain takes the events into the file of Touches.

What an event holds is what a Touch holds, never the payload; at most LARGEST bytes:

- {"v": 1, "kind": "touch", "at", "user", "session", "harness", "provenance", "tool_name", "tool_use_id", "agent",
  "agent_type", "rows": [[id, address, kind, limit, order, earlier id]], "since"}; where a Touch with the earlier id is
  there since that time, the row is that Touch.
- {"v": 1, "kind": "read", "at", "address", "session", "harness", "tool_use_id", "agent", "agent_type"}: who is about to
  read memory.

`told/<digest of a session>/<digest of an address>` remembers of which address a session was told: its exclusive
creation is the test. It holds user, session, address and time, separated by tabs.
"""

from __future__ import annotations

import os

from rg_core.quickjson import dumps
from rg_core.touches.published import create
from rg_core.touches.touch import identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rg_core.touches.touch import AnnouncedRead, Touch

V = 1
LARGEST = 65_536  # bytes: one write, whole or failed
MOST = 100  # addresses of one event
LONGEST = 200  # characters of a text that is not an address


def events(data: str) -> str:
    """Where events wait, below the data directory."""
    return os.path.join(data, "events")


def told(data: str) -> str:
    """Where it is remembered who was told of what, below the data directory."""
    return os.path.join(data, "told")


def record_touches(
    data: str, touches: Sequence[Touch], when: int, *, earlier: Sequence[str] = (), since: str = ""
) -> None:
    """Record the Touches of one event; on disk, for any kill -9, when this returns.

    Args:
        data: the data directory.
        touches: what was explored, at least one; all of one event.
        when: nanoseconds since 1970; events are taken in this order.
        earlier: for each Touch the id that the same event would have had a while ago, where it has none of its own.
        since: the time from which on such an id counts.

    Raises:
        OSError: if it cannot be written whole; then nothing is left behind.
    """
    first = touches[0]
    event: dict[str, object] = {
        "v": V,
        "kind": "touch",
        "at": first.at,
        "user": first.user,
        "session": short(first.session),
        "harness": first.harness,
        "provenance": first.provenance,
        "tool_name": short(first.tool_name),
        "tool_use_id": short(first.tool_use_id),
        "agent": short(first.agent),
        "agent_type": short(first.agent_type),
        "since": since,
    }
    head, rows = dumps(event)[:-1] + ', "rows": [', []
    room = LARGEST - len(head) - 2
    for index, touch in enumerate(touches[:MOST]):
        own = [touch.id, touch.address, touch.kind, touch.limit, touch.order, earlier[index] if earlier else ""]
        row = dumps(own)
        room -= len(row) + 2
        if room < 0:
            break
        rows.append(row)
    if rows:
        _write(events(data), when, f"{head}{', '.join(rows)}]}}".encode())


def record_read(data: str, caller: AnnouncedRead, when: int, at: str) -> None:
    """Record who is about to read memory; raises what `record_touches` does."""
    event = {
        "v": V,
        "kind": "read",
        "at": at,
        "address": caller.address,
        "session": short(caller.session),
        "harness": caller.harness,
        "tool_use_id": short(caller.tool_use_id),
        "agent": short(caller.agent),
        "agent_type": short(caller.agent_type),
    }
    _write(events(data), when, dumps(event).encode())


def tell(data: str, user: str, session: str, address: str, at: str) -> bool:
    """Whether this session is told of this address now, for the first time; false where that cannot be remembered."""
    session = short(session)
    path = told_file(data, session, address)
    try:
        file = create(path)
    except OSError:  # it is there, or cannot be made
        return False
    try:
        line = "\t".join(short(text) for text in (user, session, address, at)).encode()
        whole = os.write(file, line) == len(line)
    except OSError:
        whole = False
    finally:
        os.close(file)
    if not whole:
        os.unlink(path)
    return whole


def told_file(data: str, session: str, address: str) -> str:
    """The file that remembers that a session was told of an address."""
    return os.path.join(told(data), identify(session), identify(address))


def short(text: str) -> str:
    """A text as events hold it: cut, and without what no UTF-8 has or a line cannot hold."""
    return text[:LONGEST].replace("\t", " ").replace("\n", " ").encode("utf-8", "replace").decode()


def _write(directory: str, when: int, data: bytes) -> None:
    name = f"{max(when, 0):020}-{os.urandom(8).hex()}"
    aside = os.path.join(directory, "." + name)
    file = create(aside)
    try:
        try:
            written = os.write(file, data)
        finally:
            os.close(file)
        if written != len(data):
            raise OSError("the event was not written whole")
        os.rename(aside, os.path.join(directory, name))
    except BaseException:
        os.unlink(aside)
        raise
