"""What a sync would do: which documents are new, changed, moved or gone, which edges come and go. Writes nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rg_core.address.local import doc_key
from rg_core.config import Config
from rg_core.documents import history, scan
from rg_core.documents.parse import Parsed, parse
from rg_core.documents.projects import Project, place, projects
from rg_core.errors import UserError
from rg_core.store.documents import DocumentStore
from rg_core.store.texts import Document, EdgeChange, Page, Root, TextEdge

NEWEST = 200  # versions of one file


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A document that is new, changed or moved, with the commits that it has not got yet."""

    address: str
    project: str
    path: str
    base: str  # the directory that its commits' paths are relative to
    inside: str  # that directory's path in the project, with a slash at its end, or ""
    text: str
    parsed: Parsed
    commits: tuple[history.Commit, ...]
    former: str  # its key until now, "" where that stays
    mtime: int
    size: int
    new: bool


@dataclass(slots=True)
class Plan:
    """What to write for one or more roots."""

    pages: list[PagePlan] = field(default_factory=list)
    touched: list[tuple[str, int, int]] = field(default_factory=list)  # same text: key, mtime, size
    gone: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)  # every document that is there
    looked: set[str] = field(default_factory=set)  # every file that was looked at, by the key it has or would have
    edges: list[EdgeChange] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)  # as they are afterwards
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def changes(self) -> int:
        """How many documents change."""
        return len(self.pages) + len(self.gone)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written but times."""
        return not (self.pages or self.gone)


def plan(
    store: DocumentStore,
    user: str,
    config: Config,
    roots: Iterable[Root],
    step: Callable[[], None] = lambda: None,
) -> Plan:
    """Compare the files of some roots with what is stored. `step` is called for each document that is read.

    Raises:
        UserError: for a root whose project or directory is gone, or whose repository cannot be read.
    """
    found = Plan()
    for root in roots:
        _add(found, store, user, config, root, step)
    return found


def _add(into: Plan, store: DocumentStore, user: str, config: Config, root: Root, step: Callable[[], None]) -> None:
    project = _project(config, root)
    base, only = (root.path, ".") if os.path.isdir(root.path) else os.path.split(root.path)
    directory, inside = place(project, base)
    head = _head(base, root)
    files, left_out = scan.files(
        base, only, "" if inside == "." else inside, root.globs, config.capture.exclude_projects,
        repository=head is not None,
    )  # fmt: skip
    into.left_out += left_out
    stored = store.pages(user, project.name)
    keys = {doc_key(project.name, file.path): file for file in files}
    gone = {
        key: page
        for key, page in stored.items()
        if page.kind == "document" and not page.deleted and key not in keys and holds(root.path, directory, page.path)
    }
    commits = _Commits(base, inside, only, root, head)
    for key, file in keys.items():
        if key in into.looked:
            continue
        into.looked.add(key)
        page = stored.get(key)
        if (
            page
            and not page.deleted
            and (page.mtime, page.size) == (file.mtime, file.size)
            and not commits.of(file.path, known=True)
        ):
            into.seen.append(key)
            continue
        step()
        _one(into, store, user, config, project, base, file, page, gone, commits)
    into.gone += gone
    for key in gone:
        into.edges += [EdgeChange(key, "-", edge.verb, edge.target, edge.section) for edge in _edges(store, user, key)]
    into.roots.append(
        Root(root.project, root.path, directory, root.globs, root.history, (head or "") if root.history else "")
    )


def _one(
    into: Plan, store: DocumentStore, user: str, config: Config, project: Project, base: str, file: scan.File,
    page: Page | None, gone: dict[str, Page], commits: _Commits,
) -> None:  # fmt: skip
    """Plan one document whose file may have changed."""
    key = doc_key(project.name, file.path)
    try:
        text = scan.read(file)
    except ValueError as why:
        into.left_out[str(why)] += 1
        if page and not page.deleted:
            gone[key] = page
        return
    into.seen.append(key)
    former = "" if page else commits.former(project.name, file.path, gone) or _same_text(store, user, text, gone)
    before = page or (gone.pop(former) if former else None)
    news = commits.of(file.path, known=before is not None)
    if before and not before.deleted and not former and not news and _text(store, user, key) == text:
        into.touched.append((key, file.mtime, file.size))
        return
    parsed = parse(text, project.name, file.path, config.documents.prefixes, front_edges=config.documents.front_matter)
    into.pages.append(
        PagePlan(
            key,
            project.name,
            file.path,
            base,
            commits.inside,
            text,
            parsed,
            tuple(news[-NEWEST:]),
            former,
            file.mtime,
            file.size,
            before is None,
        )
    )
    had = _edges(store, user, former or key) if before and not before.deleted else ()
    into.edges += _edge_changes(key, had, parsed)


def _edge_changes(key: str, before: Iterable[TextEdge], after: Parsed) -> Iterator[EdgeChange]:
    had = {(edge.verb, edge.target): edge.section for edge in before}
    has = {(edge.verb, edge.target): edge.section for edge in after.edges}
    for sign, some, others in (("+", has, had), ("-", had, has)):
        for verb, target in sorted(some.keys() - others.keys()):
            yield EdgeChange(key, sign, verb, target, some[verb, target])  # type: ignore[arg-type]


class _Commits:
    """The commits of a root's files, read from Git when the first file needs them."""

    def __init__(self, base: str, inside: str, only: str, root: Root, head: str | None) -> None:
        self.base, self.only, self.root, self.head = base, only, root, head
        self.inside = "" if inside in ("", ".") else f"{inside}/"
        self._whole: Mapping[str, list[history.Commit]] | None = None
        self._recent: Mapping[str, list[history.Commit]] | None = None

    def of(self, path: str, *, known: bool) -> Sequence[history.Commit]:
        """The commits of a file that are new here, oldest first: all, or of a known one those since the last sync."""
        if not self.head or not self.root.history:
            return ()
        return (self._since() if known else self._all()).get(path.removeprefix(self.inside), ())

    def former(self, project: str, path: str, gone: Mapping[str, Page]) -> str:
        """The key of the stored document that was moved to this path since the last sync; "" if none was."""
        for commit in self.of(path, known=True):
            key = doc_key(project, self.inside + commit.former)
            if commit.former != commit.path and key in gone:
                return key
        return ""

    def _all(self) -> Mapping[str, list[history.Commit]]:
        if self._whole is None:
            self._whole = history.commits(self.base, self.only)
        return self._whole

    def _since(self) -> Mapping[str, list[history.Commit]]:
        if self._recent is None:
            last = self.root.head
            if last and last != self.head and history.is_ancestor(self.base, last):
                self._recent = history.commits(self.base, self.only, last)
            else:  # nothing new; or a history that was rewritten: then the files' texts tell what changed
                self._recent = {}
        return self._recent


def _project(config: Config, root: Root) -> Project:
    known = projects(config)
    if root.project not in known:
        raise UserError(
            f"{root.path} was added to project {root.project}, which is not configured any more; add it: rg-memory "
            f"project add {root.project} DIR, or: rg-memory documents remove {root.path}"
        )
    if not os.path.exists(root.path):
        raise UserError(
            f"{root.path} is not there; put it back, or take its documents out: rg-memory documents remove {root.path}"
        )
    return known[root.project]


def _head(base: str, root: Root) -> str | None:
    """The commit that is checked out; None where Git is not to be asked.

    A broken repository is read as a plain directory only where the user said so.
    """
    try:
        return history.head(base)
    except history.NoGit:
        if root.history:
            raise
        return None


def holds(path: str, directory: str, document: str) -> bool:
    """Whether an added path holds the document at this path relative to the project's directory."""
    absolute = os.path.join(directory, *document.split("/"))
    return absolute == path or absolute.startswith(path.rstrip(os.sep) + os.sep)


def _same_text(store: DocumentStore, user: str, text: str, gone: Mapping[str, Page]) -> str:
    """The one document that is gone and said just this."""
    same = [key for key in gone if _text(store, user, key) == text] if len(gone) <= 50 else []
    return same[0] if len(same) == 1 else ""


def _text(store: DocumentStore, user: str, key: str) -> str | None:
    document = _stored(store, user, key)
    return document.text if document else None


def _edges(store: DocumentStore, user: str, key: str) -> Sequence[TextEdge]:
    document = _stored(store, user, key)
    return document.edges if document else ()


def _stored(store: DocumentStore, user: str, key: str) -> Document | None:
    reading = store.read(user, key)
    return reading.resource if reading and isinstance(reading.resource, Document) else None
