"""The one way in which memory writes a time: ISO 8601 in UTC, whole seconds, so that times compare as text. Hot."""

from __future__ import annotations

import time

FORMAT = "%Y-%m-%dT%H:%M:%SZ"
DAY = 86_400  # seconds


def written(seconds: float) -> str:
    """A time in seconds since 1970 as memory writes it."""
    return time.strftime(FORMAT, time.gmtime(seconds))


def now(ago: float = 0) -> str:
    """The time, or that of so many seconds ago."""
    return written(time.time() - ago)


def stamp(moment: datetime) -> str:
    """A moment in UTC as memory writes it."""
    return moment.strftime(FORMAT).rjust(20, "0")  # strftime pads no year below 1000


def seconds(text: str) -> float:
    """Seconds since 1970, from ISO 8601: a date is its midnight, no zone is UTC.

    Raises:
        ValueError: if it is no such time.
    """
    return _read(text).timestamp()


def instant(text: str) -> str:
    """A time that somebody wrote in ISO 8601, as memory writes it: a date is its midnight, no zone is UTC.

    Raises:
        ValueError: if it is no such time.
    """
    return stamp(_read(text))


def _read(text: str) -> datetime:
    from datetime import UTC, datetime

    try:
        read = datetime.fromisoformat(text.strip())
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"beyond the calendar: {text!r}") from error


TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
