"""The REST half of the stand-in: bodies and routes over a World."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.github_standin import lists
from tests.github_standin.world import Remark, Repo, Thing, World, legacy_id


@dataclass
class Reply:
    """An answer before it is sent."""

    status: int
    body: Any = None  # JSON, or bytes
    headers: dict[str, str] = field(default_factory=dict)
    items: int = 0


@dataclass
class Rest:
    """Answers GET requests. `readable` says what this asker may see."""

    world: World
    readable: Callable[[Repo], bool]
    base: str  # e.g. http://127.0.0.1:4711
    legacy: bool = False  # node_ids in the legacy format

    def get(self, path: str, query: dict[str, str], accept: str) -> Reply:
        """Answer one GET."""
        if path == "/search/issues":
            return self._search(query)
        if match := re.fullmatch(r"/repositories/(\d+)(/.*)?", path):
            repo = next((r for r in self.world.repos.values() if r.id == int(match[1])), None)
            return self._in_repository(repo, match[2] or "", query, accept)
        if match := re.fullmatch(r"/repos/([^/]+/[^/]+)(/.*)?", path):
            repo = self.world.repos.get(match[1].lower())
            moved = self.world.renamed.get(match[1].lower())
            if repo is None and moved is not None and self.readable(moved):
                return self._to(f"/repositories/{moved.id}{match[2] or ''}")
            return self._in_repository(repo, match[2] or "", query, accept)
        return _missing()

    def _to(self, path: str) -> Reply:
        url = self.base + path
        return Reply(301, {"message": "Moved Permanently", "url": url}, {"Location": url})

    def _in_repository(self, repo: Repo | None, path: str, query: dict[str, str], accept: str) -> Reply:
        if repo is None or not self.readable(repo):
            return _missing()
        if repo.disabled:
            return Reply(451, {"message": "Repository access blocked", "block": {"reason": "dmca"}})
        if path == "":
            return Reply(200, self.repository(repo))
        if path == "/readme":
            return _readme(repo, accept)
        if path in ("/issues", "/pulls"):
            return self._list(repo, path == "/pulls", query)
        if match := re.fullmatch(r"/milestones/(\d+)", path):
            title = repo.milestones.get(int(match[1]))
            return Reply(200, {"number": int(match[1]), "title": title}) if title else _missing()
        if match := re.fullmatch(r"/(issues|pulls)/(\d+)(?:/([a-z]+))?", path):
            return self._item(repo, match[1], int(match[2]), match[3] or "", query)
        return _missing()

    def _item(self, repo: Repo, kind: str, number: int, part: str, query: dict[str, str]) -> Reply:
        thing = repo.things.get(number)
        if thing is None:
            moved = self.world.transferred.get((repo.id, number))
            if moved is not None and self.readable(moved.repo) and kind == "issues" and not part:
                return self._to(f"/repositories/{moved.repo.id}/issues/{moved.number}")
            if number in repo.gone:
                return Reply(410, {"message": "This issue was deleted"})
            return _missing()
        if repo.issues_disabled and not thing.pull:
            return Reply(410, {"message": "Issues are disabled for this repo"})
        if kind == "pulls" and not thing.pull:
            return _missing()
        parts: dict[tuple[str, str], Callable[[], Sequence[Any]]] = {
            ("issues", "comments"): lambda: [self.remark(r, "IC", "IssueComment") for r in thing.comments],
            ("issues", "timeline"): lambda: self._timeline(thing),
            ("pulls", "comments"): lambda: [self.remark(r, "PRRC", "X") for t in thing.threads for r in t.comments],
            ("pulls", "reviews"): lambda: [self.remark(r, "PRR", "PullRequestReview") for r in thing.reviews],
            ("pulls", "files"): lambda: [{"filename": path, "status": "modified"} for path in thing.files[:3000]],
        }
        if not part:
            return Reply(200, self.pull(thing) if kind == "pulls" else self.issue(thing), items=1)
        if (kind, part) not in parts:
            return _missing()
        return self._page(f"/repositories/{repo.id}/{kind}/{number}/{part}", parts[kind, part](), query)

    def _list(self, repo: Repo, pulls: bool, query: dict[str, str]) -> Reply:
        state = query.get("state", "open")
        states = {"open": ["OPEN"], "closed": ["CLOSED", "MERGED"], "all": []}[state]
        assignee: str | None = query.get("assignee", "")
        found = lists.select(
            repo,
            pull=True,
            states=states,
            every_label=[label for label in query.get("labels", "").split(",") if label and not pulls],
            author="" if pulls else query.get("creator", ""),
            assignee="" if pulls else (None if assignee == "none" else assignee),
            milestone="" if pulls else query.get("milestone", ""),
        )
        if not pulls:
            found += lists.select(
                repo,
                pull=False,
                states=states,
                every_label=[label for label in query.get("labels", "").split(",") if label],
                author=query.get("creator", ""),
                assignee=None if assignee == "none" else assignee,
                milestone=query.get("milestone", ""),
                since=query.get("since", ""),
            )
        found = lists.ordered(found, query.get("sort", "created"), query.get("direction", "desc") == "desc")
        rows = [self.pull(thing) if pulls else self.issue(thing) for thing in found]
        return self._page(f"/repositories/{repo.id}/{'pulls' if pulls else 'issues'}", rows, query)

    def _search(self, query: dict[str, str]) -> Reply:
        text = query.get("q", "")
        if "sort" in query:
            text += f" sort:{query['sort']}-{query.get('order', 'desc')}"
        try:
            found = lists.search(self.world, text, self.readable)
        except lists.Unreadable:
            return Reply(422, {"message": "Validation Failed", "errors": [{"field": "q", "code": "invalid"}]})
        reply = self._page("/search/issues", [self.issue(thing) for thing in found[:1000]], query)
        reply.body = {"total_count": len(found), "incomplete_results": False, "items": reply.body}
        return reply

    def _page(self, path: str, rows: Sequence[Any], query: dict[str, str]) -> Reply:
        size, number = min(100, int(query.get("per_page", 30))), int(query.get("page", 1))
        shown = list(rows[(number - 1) * size : number * size])
        rest = {name: value for name, value in query.items() if name not in ("page",)}
        links = {}
        if number * size < len(rows):
            text = "&".join(f"{name}={_quoted(value)}" for name, value in rest.items())
            links["Link"] = f'<{self.base}{path}?{text}{"&" if text else ""}page={number + 1}>; rel="next"'
        return Reply(200, shown, links, items=len(shown))

    def _id(self, new: str, kind: str, number: int) -> str:
        return legacy_id(kind, number) if self.legacy else new

    def repository(self, repo: Repo) -> dict[str, Any]:
        """A repository's body."""
        return {
            "id": repo.id,
            "node_id": self._id(repo.node_id, "Repository", repo.id),
            "name": repo.name,
            "full_name": repo.full_name,
            "private": repo.visibility != "PUBLIC",
            "visibility": repo.visibility.lower(),
            "description": repo.description,
            "pushed_at": repo.pushed_at,
            "updated_at": repo.updated_at,
            "disabled": repo.disabled,
        }

    def issue(self, thing: Thing) -> dict[str, Any]:
        """An issue's body; a pull request read as an issue has `pull_request` and the issue's `id`."""
        url = f"{self.base}/repos/{thing.repo.full_name}"
        merged = thing.closed_at if thing.state == "MERGED" else None
        kind = "PullRequest" if thing.pull else "Issue"
        return {
            "id": thing.issue_id,
            "node_id": self._id(thing.node_id, kind, thing.id),
            "number": thing.number,
            "repository_url": url,
            "html_url": f"https://github.com/{thing.repo.full_name}/{thing.number}",
            "title": thing.title,
            "body": thing.body or None,
            "state": "open" if thing.state == "OPEN" else "closed",
            "state_reason": thing.state_reason.lower() if thing.state_reason else None,
            "user": user(thing.author),
            "labels": [{"name": name} for name in thing.labels],
            "assignees": [user(login) for login in thing.assignees],
            "milestone": (
                {"number": thing.milestone, "title": thing.repo.milestones[thing.milestone]}
                if thing.milestone
                else None
            ),
            "comments": len(thing.comments),
            "created_at": thing.created_at,
            "updated_at": thing.updated_at,
            "closed_at": thing.closed_at,
        } | ({"pull_request": {"url": f"{url}/pulls/{thing.number}", "merged_at": merged}} if thing.pull else {})

    def pull(self, thing: Thing) -> dict[str, Any]:
        """A pull request's body."""
        body = self.issue(thing)
        del body["pull_request"], body["state_reason"], body["repository_url"]
        merged = thing.closed_at if thing.state == "MERGED" else None
        more = {"id": thing.id, "merged_at": merged, "merged": bool(merged), "changed_files": len(thing.files)}
        base = {"ref": thing.base, "repo": self.repository(thing.repo)}
        return body | more | {"base": base, "review_comments": sum(len(thread.comments) for thread in thing.threads)}

    def remark(self, remark: Remark, prefix: str, kind: str) -> dict[str, Any]:
        """A comment's or a review's body."""
        body: dict[str, Any] = {
            "id": remark.id,
            "node_id": self._id(remark.node_id(prefix), kind, remark.id),
            "user": user(remark.author),
            "body": remark.body,
            "created_at": remark.created_at,
            "updated_at": remark.updated_at,
        }
        if prefix == "IC":
            body["minimized"] = {"reason": remark.minimized} if remark.minimized else None
        if prefix == "PRRC":
            body["path"] = remark.path
        if prefix == "PRR":
            del body["created_at"], body["updated_at"]
            body |= {"state": remark.state, "submitted_at": remark.created_at}
        return body

    def _timeline(self, thing: Thing) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"event": "commented"} | self.remark(remark, "IC", "IssueComment") for remark in thing.comments
        ]
        for event in thing.events:
            if self.readable(event.source.repo):
                source = self.issue(event.source) | {"repository": self.repository(event.source.repo)}
                row = {
                    "event": "cross-referenced",
                    "created_at": event.at,
                    "source": {"type": "issue", "issue": source},
                }
                rows.append(row)
        return sorted(rows, key=lambda row: str(row["created_at"]))


def user(login: str | None) -> dict[str, str] | None:
    """An author; None for a deleted account."""
    return None if login is None else {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


def _readme(repo: Repo, accept: str) -> Reply:
    found = repo.readme()
    if found is None:
        return _missing()
    path, content = found
    raw = content.encode() if isinstance(content, str) else content
    if "raw" in accept:
        return Reply(200, raw, {"Content-Type": "application/vnd.github.raw+json; charset=utf-8"})
    return Reply(200, {"path": path, "size": len(raw), "encoding": "none", "content": ""})


def _missing() -> Reply:
    return Reply(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"})


def _quoted(text: str) -> str:
    return "".join(chr(b) if chr(b).isalnum() and b < 128 else f"%{b:02X}" for b in text.encode())
