"""What GitHub's lists and searches answer, over a World. The truth that tests compare with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tests.github_standin.world import Repo, Thing, World

TOKEN = re.compile(r'(-?)(?:([a-z-]+):)?("(?:\\.|[^"\\])*"|[^\s"]+)', re.IGNORECASE)
SORTS: dict[str, Callable[[Thing], object]] = {
    "created": lambda thing: (thing.created_at, thing.id),
    "updated": lambda thing: (thing.updated_at, thing.id),
    "comments": lambda thing: (len(thing.comments), thing.id),
    "popularity": lambda thing: (len(thing.comments), thing.id),
}


def has_labels(thing: Thing, labels: Iterable[str], *, every: bool) -> bool:
    """Whether a thing has all (or any) of the labels; label names are case-insensitive."""
    own = {label.lower() for label in thing.labels}
    return (all if every else any)(label.lower() in own for label in labels)


def is_by(thing: Thing, author: str) -> bool:
    """Whether `author`, as filters write it (bots as name[bot] or app/name), opened the thing."""
    login = (thing.author or "").lower()
    return login == author.lower() or f"app/{login.removesuffix('[bot]')}" == author.lower()


def ordered(things: Iterable[Thing], sort: str, descending: bool) -> list[Thing]:
    """The things by created, updated or comments."""
    return sorted(things, key=SORTS[sort], reverse=descending)  # type: ignore[arg-type]


def select(
    repo: Repo,
    *,
    pull: bool,
    states: Sequence[str] = (),
    any_label: Sequence[str] = (),
    every_label: Sequence[str] = (),
    author: str = "",
    assignee: str | None = "",
    milestone: str = "",
    since: str = "",
) -> list[Thing]:
    """The issues or pull requests of a repository that pass the filters. assignee None: nobody; "*": anybody."""
    found = [thing for thing in repo.things.values() if thing.pull == pull]
    if states:
        found = [thing for thing in found if thing.state in states]
    if any_label:
        found = [thing for thing in found if has_labels(thing, any_label, every=False)]
    if every_label:
        found = [thing for thing in found if has_labels(thing, every_label, every=True)]
    if author:
        found = [thing for thing in found if is_by(thing, author)]
    if assignee != "":
        found = [thing for thing in found if _assigned(thing, assignee)]
    if milestone:
        found = [thing for thing in found if _in_milestone(thing, milestone)]
    if since:
        found = [thing for thing in found if thing.updated_at >= since]
    return found


def _assigned(thing: Thing, assignee: str | None) -> bool:
    if assignee is None:
        return not thing.assignees
    return bool(thing.assignees) if assignee == "*" else assignee.lower() in [a.lower() for a in thing.assignees]


def _in_milestone(thing: Thing, milestone: str) -> bool:
    if milestone in ("*", "none"):
        return (thing.milestone is None) == (milestone == "none")
    title = thing.repo.milestones.get(thing.milestone or 0, "")
    return milestone == str(thing.milestone) or milestone.lower() == title.lower()


class Unreadable(Exception):
    """A `repo:` that the asker cannot read: REST answers 422."""


def search(world: World, query: str, readable: Callable[[Repo], bool]) -> list[Thing]:
    """Lexical issue search: qualifiers ANDed, repeated repo: ORed, words all present; best match unless sort: says."""
    tokens = [(minus == "-", (name or "").lower(), _unquoted(value)) for minus, name, value in TOKEN.findall(query)]
    named = [world.find(value) for minus, name, value in tokens if name == "repo" and not minus]
    if named and not any(repo is not None and readable(repo) for repo in named):
        raise Unreadable
    repos = [repo for repo in (named or list(world.repos.values())) if repo is not None and readable(repo)]
    found = [thing for repo in dict.fromkeys(repos) for thing in repo.things.values()]
    for minus, name, value in tokens:
        if name not in ("repo", "sort"):
            found = [thing for thing in found if _passes(thing, name, value) != minus]
    words = [value.lower() for minus, name, value in tokens if not name and not minus]
    sort = next((value for _, name, value in tokens if name == "sort"), "" if words else "created-desc")
    if not sort:
        return sorted(found, key=lambda thing: (-sum(_text(thing).count(word) for word in words), thing.number))
    field, _, direction = sort.partition("-")
    return ordered(found, field, direction != "asc")


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def _text(thing: Thing) -> str:
    return "\n".join([thing.title, thing.body, *(remark.body for remark in thing.comments)]).lower()


def _passes(thing: Thing, name: str, value: str) -> bool:
    value = value.lower()
    if not name:
        return value.strip("()") in _text(thing)
    if name in ("is", "type", "state"):
        return {
            "issue": not thing.pull,
            "pr": thing.pull,
            "pull-request": thing.pull,
            "open": thing.state == "OPEN",
            "closed": thing.state != "OPEN",
            "merged": thing.state == "MERGED" and name == "is",
            "unmerged": thing.pull and thing.state != "MERGED",
            "public": thing.repo.visibility == "PUBLIC",
            "private": thing.repo.visibility != "PUBLIC",
        }.get(value, False)
    if name == "label":
        return has_labels(thing, [value], every=True)
    if name == "author":
        return is_by(thing, value)
    if name == "assignee":
        return _assigned(thing, value)
    if name == "milestone":
        title = thing.repo.milestones.get(thing.milestone or 0, "")
        return thing.milestone is not None and (value == "*" or title.lower() == value)
    if name == "no":
        return {"assignee": not thing.assignees, "milestone": thing.milestone is None, "label": not thing.labels}[value]
    if name == "base":
        return thing.pull and thing.base.lower() == value
    return False
