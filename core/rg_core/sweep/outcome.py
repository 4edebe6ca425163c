"""What a step of the Sweep can say of a request. Values only; rg_core.sweep.answers is where they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rg_core.github import question
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.github.errors import GitHubError
from rg_core.github.rest import Missing
from rg_core.sweep.plan import Request


@dataclass(frozen=True, slots=True)
class Members:
    """The index rows that answer a request, in order; an item's is one. They are not stored yet."""

    rows: Mapping[str, IndexRow]  # by node_id
    total: int = -1  # as GitHub counts; -1 where it does not say
    ended: bool = True  # whether the rows are all there are
    home: SourceRepository | None = None  # the repository they were found in; None: in several

    def key(self, request: Request) -> str:
        """The key under which a listing is stored: the one that was asked, in the repository's name of today."""
        return str(question.at(request.address, self.home.name)) if self.home else request.key


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that the request asks for is in memory."""

    members: Members


@dataclass(frozen=True, slots=True)
class NotFound:
    """GitHub has nothing there. `deleted`: it said that there was something."""

    deleted: bool = False


@dataclass(frozen=True, slots=True)
class NotPublic:
    """It is there and may not be stored. `home`: its repository, where GitHub names it."""

    home: SourceRepository | None = None


@dataclass(frozen=True, slots=True)
class Limited:
    """It must wait for the end of a rate limit."""


@dataclass(frozen=True, slots=True)
class Waits:
    """It is left to the next run, because of a problem."""

    problem: GitHubError


Outcome: TypeAlias = Members | Stored | NotFound | NotPublic | Limited | Waits


def of_missing(missing: Missing) -> Outcome:
    """What REST said of something that it does not give."""
    if missing.trouble == "not_public":
        return NotPublic(missing.home)
    return NotFound(deleted=missing.trouble == "deleted")
