"""When a wording of a document began and what happened between two of them. Pure."""

from __future__ import annotations

from typing import Literal

from rg_core import times
from rg_core.documents.parse import Parsed

EventType = Literal[
    "renamed", "retitled", "version_bumped", "superseded", "retired", "merged", "edited", "deleted", "rewritten"
]
ENDS: dict[EventType, tuple[str, ...]] = {  # by the first word of a status
    "superseded": ("superseded", "replaced"),
    "retired": ("retired", "deprecated", "archived", "withdrawn", "rejected"),
    "merged": ("merged",),
}


def event(before: Parsed, after: Parsed, *, moved: bool) -> EventType:
    """What happened between two wordings; where several things did, the weightiest."""
    ended, was = end_of(after.status), end_of(before.status)
    if ended and ended != was:
        return ended
    if moved:
        return "renamed"
    if after.version != before.version:
        return "version_bumped"
    return "retitled" if after.title != before.title else "edited"


def end_of(status: str) -> EventType | None:
    """The event by which a document came to this status, if it is one that ends it."""
    words = status.replace("-", " ").split()
    return next((name for name, statuses in ENDS.items() if words and words[0] in statuses), None)


def began(seen: str, before: Parsed | None, before_began: str, after: Parsed, now: str) -> str:
    """When a wording began: its front matter's date where its version changed too, else when it was seen to.

    A first wording counts as a change of version. A date in the future, or before the predecessor's, is not believed.
    """
    if before is None or before.version != after.version:
        said = date_of(after.date)
        if said and before_began <= said <= now:
            return said
    return seen


def date_of(text: str) -> str | None:
    """A date or time of front matter as memory writes times; None if it is none."""
    try:
        return times.instant(text)
    except ValueError:
        return None
