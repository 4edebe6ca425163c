"""Numbers -> words. Pure; a number that is not known is never turned into a zero."""

from __future__ import annotations

from datetime import datetime, timedelta

from rg_core.nouns import counted

FEW = 5  # under so many, counts are shown instead of per cent
BYTES_A_TOKEN = 4  # declared, not measured
NONE = "–"
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
CLASSES = {
    "historical": "how it was before",
    "architectural": "how things connect",
    "current_state": "how it is now",
    "decision": "why we decided",
    "other": "anything else",
}
EVENTS = {
    None: "first known",
    "version_bumped": "new version",
    "pull_request": "pull request",
}


def tokens(bytes_: int) -> str:
    """Bytes as tokens of four bytes: 317 k, 1.3 M."""
    return number(bytes_ / BYTES_A_TOKEN)


def number(value: float) -> str:
    """A number in at most four places: 940, 12.4 k, 317 k, 1.3 M."""
    size = abs(value)
    if size >= 999_500:
        return f"{value / 1e6:.1f} M"
    if size >= 99_950:
        return f"{value / 1e3:.0f} k"
    if size >= 1_000:
        return f"{value / 1e3:.1f} k"
    return f"{value:.0f}"


def spelled(count: int) -> str:
    """Small numbers as a word, at the beginning of a sentence."""
    return (SMALL[count] if count < len(SMALL) else f"{count:,}").capitalize()


def share(part: int, whole: int) -> str:
    """79%; with fewer than FEW the counts themselves; a dash where there is nothing to divide."""
    if not whole:
        return NONE
    return f"{part / whole:.0%}" if whole >= FEW else f"{part} of {whole}"


def per_cent(part: int, whole: int) -> float:
    """For widths of bars, 0 to 100."""
    return round(100 * part / whole, 1) if whole else 0.0


def day(instant: str) -> str:
    """19 Oct, of an ISO time or date."""
    at = datetime.fromisoformat(instant)
    return f"{at.day} {at:%b}"


def date(instant: str) -> str:
    """19 Oct 2026, of an ISO time or date."""
    at = datetime.fromisoformat(instant)
    return f"{at.day} {at:%b %Y}"


def clock(instant: str) -> str:
    """19 Oct 18:33, in UTC as everything is."""
    return f"{day(instant)} {datetime.fromisoformat(instant):%H:%M}"


def span(since: str, until: str) -> str:
    """20 October to 30 November 2026: both days belong to it, so `until` is the instant after the last."""
    first = datetime.fromisoformat(since)
    last = datetime.fromisoformat(until) - timedelta(seconds=1)
    year = "" if first.year == last.year else f" {first.year}"
    return f"{first.day} {first:%B}{year} to {last.day} {last:%B %Y}"


def ago(instant: str, now: str) -> str:
    """today, 2 days ago, 3 months ago."""
    days = (datetime.fromisoformat(now) - datetime.fromisoformat(instant)).days
    if days < 1:
        return "today"
    if days < 60:
        return f"{counted(days, 'days')} ago"
    return f"{counted(days // 30, 'months')} ago" if days < 730 else f"{counted(days // 365, 'years')} ago"


def event(name: str | None) -> str:
    """What ended the State before."""
    return EVENTS.get(name, (name or "").replace("_", " "))
