"""GitHub over REST: all there is without a token, what GraphQL refuses, moved numbers, READMEs.

Redirects are followed (a renamed repository, a transferred issue); what they lead to is known by its own body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar

from rg_core.address.model import Address
from rg_core.github import content, question
from rg_core.github.client import RAW, Client, RestAnswer
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.github.errors import Malformed, Refused
from rg_core.store.model import Item

Trouble = Literal["not_found", "not_public", "deleted"]
PAGE = {"per_page": "100"}
FINAL = (410, 451)


class Missing(Exception):
    """There is nothing (public) there; `trouble` says how GitHub put it, `home` the repository that is not public."""

    def __init__(self, trouble: Trouble, home: SourceRepository | None = None) -> None:
        super().__init__(trouble)
        self.trouble, self.home = trouble, home


@dataclass(frozen=True, slots=True)
class RestRow:
    """A row of a REST list: the index row, and the body it came in."""

    index: IndexRow
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of a REST list. `total` is -1 where the list does not count; `next` is a URL."""

    rows: tuple[RestRow, ...]
    total: int
    next: str | None


P = ParamSpec("P")
T = TypeVar("T")


def _sound(get: Callable[P, T]) -> Callable[P, T]:
    """Have a missing field of an answer be an error of GitHub's."""

    @wraps(get)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return get(*args, **kwargs)
        except (AttributeError, KeyError, TypeError) as error:
            raise Malformed(f"GitHub's answer lacks {error}") from error

    return guarded


class Rest:
    """Asks REST; `anonymous` without the token, which then does not hide what an organisation denies it."""

    def __init__(self, client: Client, *, anonymous: bool = False) -> None:
        self.client = client
        self.anonymous = anonymous
        self._repositories: dict[str, SourceRepository] = {}

    @_sound
    def repository(self, name: str) -> SourceRepository:
        """The repository of this name, old names followed; asked once in a run.

        Raises:
            Missing: if it is not there or not public.
        """
        key = name.lower()
        if key not in self._repositories:
            body = self._body(f"/repos/{name}")
            self._repositories[key] = content.rest_repository(body)
        if not self._repositories[key].public:
            raise Missing("not_public", self._repositories[key])
        return self._repositories[key]

    def readme(self, home: SourceRepository) -> str:
        """The README as GitHub picks it, whatever its name and place; "" if there is none or it is no text."""
        reply = self._get(f"/repos/{home.name}/readme", accept=RAW)
        if reply.status != 200:
            if reply.status != 404:
                self._refuse(reply)
            return ""
        raw = reply.body if isinstance(reply.body, bytes) else b""
        return "" if b"\0" in raw else raw.decode("utf-8", "replace")

    @_sound
    def issue(self, name: str, number: int) -> RestRow:
        """An issue or pull request, whose repository is another one after a transfer.

        Raises:
            Missing: if it is not there, not public, or deleted.
        """
        home = self.repository(name)
        body = self._body(f"/repos/{name}/issues/{number}")
        where = str(body.get("repository_url", "")).rpartition("/repos/")[2]
        if where.lower() not in ("", home.name.lower()):
            home = self.repository(where)
        return RestRow(content.rest_index_row(body, home), body)

    @_sound
    def item(self, row: RestRow, fetched_at: str, *, events: bool = True) -> Item:
        """A whole item. `events`: ask for who mentions it, one request.

        Raises:
            Malformed: if a field is missing.
        """
        body, home = row.body, row.index.repository
        path = f"/repos/{home.name}/issues/{body['number']}"
        comments = list(self._all(f"{path}/comments")) if body.get("comments", 1) else []
        timeline = list(self._all(f"{path}/timeline", optional=True)) if events else []
        if not content.is_pull(body):
            return content.rest_item(body, home, fetched_at, comments=comments, timeline=timeline)
        path = f"/repos/{home.name}/pulls/{body['number']}"
        pull = self._body(path)
        return content.rest_item(
            body,
            home,
            fetched_at,
            pull=pull,
            comments=comments,
            reviews=self._all(f"{path}/reviews"),
            review_comments=self._all(f"{path}/comments") if pull.get("review_comments", 1) else (),
            files=self._all(f"{path}/files") if pull.get("changed_files", 1) else (),
            timeline=timeline,
        )

    @_sound
    def page(
        self, address: Address, home: SourceRepository | None, after: str | None, milestone: str | None = None
    ) -> ListPage:
        """A page of a listing: the first, or the one that a page before named. `home` None: of a search anywhere."""
        if home is None:
            return self._search(address, None, after, milestone)
        address = question.at(address, home.name)
        asked = question.rest(address)
        if asked is None:
            return self._search(address, home, after, milestone)
        path, parameters = asked
        reply = self._get(after) if after else self._get(path, parameters)
        self._refuse(reply)
        rows = [body for body in reply.body if _keeps(address, body)]
        return ListPage(tuple(RestRow(content.rest_index_row(body, home), body) for body in rows), -1, reply.next)

    def _search(
        self, address: Address, home: SourceRepository | None, after: str | None, milestone: str | None
    ) -> ListPage:
        text = question.search(address, milestone)
        reply = self._get(after) if after else self._get("/search/issues", {"q": text, **PAGE})
        self._refuse(reply)
        rows = []
        for body in reply.body["items"]:
            name = body["repository_url"].rpartition("/repos/")[2]
            if home is not None and name.lower() != home.name.lower():
                continue  # a search text may name other repositories
            with suppress(Missing):
                rows.append(RestRow(content.rest_index_row(body, home or self.repository(name)), body))
        total = -1 if reply.body.get("incomplete_results") else reply.body["total_count"]
        return ListPage(tuple(rows), total, reply.next)

    @_sound
    def milestone(self, name: str, number: int) -> str:
        """The title of a milestone.

        Raises:
            Missing: if there is none of this number.
        """
        return str(self._body(f"/repos/{name}/milestones/{number}")["title"])

    def _body(self, path: str) -> dict[str, Any]:
        reply = self._get(path)
        self._refuse(reply)
        body: dict[str, Any] = reply.body
        return body

    def _all(self, path: str, *, optional: bool = False) -> Iterator[dict[str, Any]]:
        reply = self._get(path, PAGE)
        if optional and reply.status in (404, 410):
            return
        while True:
            self._refuse(reply)
            yield from reply.body
            if reply.next is None:
                return
            reply = self._get(reply.next)

    def _get(self, path: str, params: dict[str, str] | None = None, **more: Any) -> RestAnswer:
        reply = self.client.get(path, params, anonymous=self.anonymous, **more)
        if reply.status in FINAL:  # rare, and believed for good: only when it is said twice
            reply = self.client.get(path, params, anonymous=self.anonymous, **more)
        return reply

    def _refuse(self, reply: RestAnswer) -> None:
        if reply.status == 404:
            raise Missing("not_found")
        if reply.status == 451:
            raise Missing("not_public")
        said = self.client.said(reply.body)
        if reply.status == 410:  # also where a repository has no issues
            raise Missing("deleted" if "deleted" in said else "not_found")
        if reply.status >= 300:
            raise Refused(f"GitHub answered {reply.status}", reply.status, said)


def _keeps(address: Address, body: dict[str, Any]) -> bool:
    """Whether a row of the list answers the question: lists of issues hold pull requests, closed ones merged ones."""
    if address.kind == "issues":
        return not content.is_pull(body)
    return address.state != "merged" or bool(body.get("merged_at"))
