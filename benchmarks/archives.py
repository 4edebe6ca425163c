"""Public corpora out of local clones, at the commits that recall was measured with: nothing of them is kept here.

A tracker is the `archive.json` that some repositories keep in their branch gh-pages (martinthomson/i-d-template).
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rg_core.store.model import Comment, Item

EIPS, ERCS, PEPS, KEPS = "f767a1e8", "9c718c7c", "ba4deeb7", "64765b4b"
TRACKERS = {"esni": "db491bf3", "mp": "d7d8cbca", "oauth": "b17c753c", "udp": "515c1687"}
FACT = re.compile(r"^([A-Za-z-]+): *(.*)$", re.MULTILINE)


class Clones:
    """Local clones, looked through for commits."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = places

    def with_commit(self, commit: str) -> Path | None:
        """The clone that has a commit."""
        for place in self._places:
            seen = subprocess.run(["git", "-C", place, "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True)
            if not seen.returncode:
                return place
        return None

    def files(self, commit: str, folder: str) -> Iterator[tuple[str, str]]:
        """The text files below a folder of a commit, with their paths.

        Raises:
            LookupError: no clone has the commit.
        """
        place = self.with_commit(commit)
        if place is None:
            raise LookupError(f"no clone has the commit {commit}")
        packed = subprocess.run(
            ["git", "-C", place, "archive", "--format=tar", commit, folder], capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            for member in tar:
                if member.isfile() and (file := tar.extractfile(member)):
                    yield member.name, file.read().decode("utf-8", "replace")


def documents(clones: Clones, corpus: str) -> list[tuple[str, str, str, str]]:
    """The documents of eips, peps or keps: name, date, title, text.

    Raises:
        LookupError: a clone is missing.
    """
    return {"eips": _eips, "peps": _peps, "keps": _keps}[corpus](clones)


def tracker(clones: Clones, name: str) -> list[Item]:
    """The issues and pull requests of a tracker, with the comments of their conversations: so was it measured.

    Raises:
        LookupError: a clone is missing.
    """
    (text,) = (text for _, text in clones.files(TRACKERS[name], "archive.json"))
    return items(json.loads(text), reviews=False)


def items(archive: Mapping[str, Any], *, reviews: bool = True) -> list[Item]:
    """What an archive.json holds, as memory would; without the comments of reviews if they are not wanted."""
    kinds = (("issue", archive["issues"]), ("pull_request", archive["pulls"]))
    return [
        _item(kind, archive["repo"], row, row.get("reviews") if reviews else ()) for kind, rows in kinds for row in rows
    ]


def _item(kind: Any, repository: str, row: Mapping[str, Any], reviews: Any) -> Item:
    said = [*row["comments"]]
    for review in reviews or ():
        said += [one for one in (review, *(review.get("comments") or ())) if one.get("body")]
    comments = [
        Comment(f"C_{row['number']}_{place}", one.get("author") or "ghost", one["createdAt"],
                one.get("updatedAt") or one["createdAt"], one["body"])
        for place, one in enumerate(said)
    ]  # fmt: skip
    return Item(
        kind=kind, node_id=f"I_{repository}_{row['number']}", repository_id="R", repository=repository,
        number=row["number"], title=row["title"], body=row["body"] or "", state=row["state"].lower(),
        author=row["author"] or "ghost", labels=tuple(row["labels"]), assignees=tuple(row["assignees"]),
        milestone=None, milestone_number=None, created_at=row["createdAt"], updated_at=row["updatedAt"],
        closed_at=row["closedAt"], fetched_at=row["updatedAt"], merged_at=row.get("mergedAt"),
        base_ref=row.get("baseRefName"), comments=tuple(sorted(comments, key=lambda one: one.created_at)),
    )  # fmt: skip


def _eips(clones: Clones) -> list[tuple[str, str, str, str]]:
    found = {}
    for commit, folder in ((EIPS, "EIPS"), (ERCS, "ERCS")):
        for path, text in clones.files(commit, folder):
            if path.endswith(".md") and text.startswith("---"):
                _, head, body = text.split("---", 2)
                said = _facts(head)
                if "eip" in said and said.get("status") != "Moved":
                    found[f"EIP-{said['eip']}"] = (said.get("created", ""), said.get("title", ""), body)
    return [(name, *rest) for name, rest in found.items()]


def _peps(clones: Clones) -> list[tuple[str, str, str, str]]:
    found = []
    for path, text in clones.files(PEPS, "peps"):
        if re.fullmatch(r"peps/pep-\d+\.rst", path):
            head, _, body = text.partition("\n\n")
            said = _facts(head)
            found.append((f"PEP-{int(said['PEP'])}", said.get("Created", ""), said["Title"], body))
    return found


def _keps(clones: Clones) -> list[tuple[str, str, str, str]]:
    files = dict(clones.files(KEPS, "keps"))
    found = []
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if name == "kep.yaml" and f"{folder}/README.md" in files:
            said = _facts(text)
            date = said.get("last-updated") or said.get("creation-date", "")
            found.append(
                (f"KEP-{said.get('kep-number', '')}", date, said.get("title", ""), files[f"{folder}/README.md"])
            )
    return found


def _facts(head: str) -> Mapping[str, str]:
    """The plain facts of a head: what stands behind a name and a colon."""
    return {name: value.strip("\"' ") for name, value in FACT.findall(head)}
