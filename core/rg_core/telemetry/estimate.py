"""What an answer from memory would have cost from GitHub: bytes between two ends, and requests. Pure.

The lower end is the text alone, as the leanest route loads it; the upper what the REST answers hold. Overheads beside
the text are the smallest found in published example payloads, so that the upper end is low too. A page that a web tool
would have summarised is not estimated. Estimates are stored with their event: a better one does not rewrite the past.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rg_core.store.model import Item, Repository, Row
from rg_core.store.texts import Document

VERSION = 1  # of the constants below
BYTES_A_TOKEN = 4
ISSUE, PULL_REQUEST, REPOSITORY = 1_969, 14_746, 4_774
COMMENT, REVIEW_COMMENT, LABEL = 1_364, 1_887, 170
PER_REQUEST = 100  # comments, or rows of a listing


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes of the text itself, bytes of GitHub's JSON, and requests."""

    floor_bytes: int = 0
    json_bytes: int = 0
    requests: int = 0


NOTHING = Estimate()


def of_resource(resource: Item | Repository | Document) -> Estimate:
    """An issue or pull request with all its comments, a repository with its README, a document or a note."""
    if isinstance(resource, Document):
        return Estimate(size(resource.text), size(resource.text), 0)
    if isinstance(resource, Repository):
        floor = size(resource.name, resource.description, resource.readme)
        return Estimate(floor, floor + REPOSITORY, 1)
    floor = size(resource.title, resource.body, *(comment.body for comment in resource.comments))
    overhead = ISSUE if resource.kind == "issue" else PULL_REQUEST
    overhead += sum(REVIEW_COMMENT if comment.path else COMMENT for comment in resource.comments)
    overhead += LABEL * len(resource.labels)
    return Estimate(floor, floor + overhead, _requests(len(resource.comments)))


def of_listing(rows: Iterable[Row], member_count: int, kind: str) -> Estimate:
    """A listing (`kind`: issues or pulls) of `member_count` rows, of which these are known: the rest is as they are."""
    lines = [size(str(row.number), row.title, row.state, *row.labels) + 3 + len(row.labels) for row in rows]
    floor = round(sum(lines) / len(lines) * member_count) if lines else 0
    return Estimate(floor, member_count * (ISSUE if kind == "issues" else PULL_REQUEST), _requests(member_count))


def size(*texts: str) -> int:
    """UTF-8 bytes."""
    return sum(len(text) if text.isascii() else len(text.encode("utf-8", "replace")) for text in texts)


def _requests(count: int) -> int:
    return max(1, -(-count // PER_REQUEST))
