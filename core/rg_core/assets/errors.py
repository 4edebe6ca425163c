"""Why an act on an asset is refused: one word that scripts and agents can rely on, and a sentence for people."""

from __future__ import annotations

from collections.abc import Iterable

from rg_core.errors import UserError


class Refused(UserError):
    """An expected refusal. `right` is the missing right of a `forbidden`."""

    def __init__(self, word: str, message: str, right: str = "") -> None:
        super().__init__(message)
        self.word = word
        self.right = right


def no_identity() -> Refused:
    """Nobody is configured: assets belong to people."""
    return Refused("no_identity", "no identity; say who you are: rg-memory config set identity.user_id NAME")


def no_project(name: str = "", known: Iterable[str] = ()) -> Refused:
    """The directory belongs to no project, or there is none of the name that was given; `known` are those there are."""
    if name:
        there = f"there are {', '.join(known)}; " if known else ""
        return Refused(
            "no_project", f"there is no project {name[:80]!r}; {there}add it: rg-memory project add NAME DIR"
        )
    return Refused(
        "no_project",
        "this directory belongs to no project; name one with --project NAME, or add it: rg-memory project add NAME DIR",
    )


def not_found(id: str) -> Refused:
    """Missing, unreadable and in another project: one text for all of them."""
    return Refused("not_found", f"there is no asset {id[:80]!r} that you may read; see: rg-memory asset list --all")


def read_only() -> Refused:
    """The MCP server may not write."""
    return Refused(
        "read_only", "assets are read-only through MCP here; a person allows it: rg-memory config set assets.mcp write"
    )


def conflict(asked: int, head: int) -> Refused:
    """Somebody was faster."""
    return Refused(
        "conflict", f"version {asked} is no longer the newest, {head} is; see rg-memory asset show, and try again"
    )


def human_only(command: str) -> Refused:
    """A decision of people; `command` is what a person would run."""
    return Refused("human_only", f"this is for a person to decide: {command}")


def forbidden(right: str) -> Refused:
    """Readable, but the right is missing."""
    if right == "owner":
        return Refused("forbidden", "only its owner can do this", right)
    how = f"rg-memory asset govern ID --allow user:NAME={right}"
    return Refused("forbidden", f"you lack the right to {right} it; its owner can allow it: {how}", right)


def archived(id: str) -> Refused:
    """Archived assets never change again."""
    return Refused("archived", f"asset {id} is archived and does not change any more; register a new one")


def invalid(field: str, takes: str) -> Refused:
    """A value that the field does not take."""
    return Refused("invalid", f"{field}: {takes}")


def bad_transition(before: str, after: str, possible: str) -> Refused:
    """The lifecycle has no such step; `possible` are those that it has."""
    return Refused("bad_transition", f"{before} cannot become {after}; possible: {possible}")
