"""A number and what it counts; a Nudge counts by itself, as a module more costs every hook time."""

from __future__ import annotations

ENDINGS = (("ies", "y"), ("sses", "ss"), ("s", ""), ("", ""))


def counted(count: int, plural: str) -> str:
    """A number and its noun, which is given in the plural: 1 repository, 2,000 repositories, 1 pull request."""
    noun = plural.replace("_", " ")
    if count == 1:
        many, one = next(ending for ending in ENDINGS if noun.endswith(ending[0]))
        noun = noun.removesuffix(many) + one
    return f"{count:,} {noun}"
