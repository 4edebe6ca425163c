"""A stand-in of GitHub's REST API for the demo: read-only, on loopback, one made-up repository (world.json).

It answers what a Sweep without a token asks: the repository, its README, lists, items, their comments, files, reviews
and timelines. Every answer is one page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]


class World:
    """world.json in the forms of GitHub's REST API.

    `url` is the API's root, `requests` counts what was asked.
    """

    def __init__(self, url: str) -> None:
        world = json.loads(files("rg_core.demo").joinpath("world.json").read_text("utf-8"))
        self.requests = 0
        self.url = url
        self._repository: Json = world["repository"]
        self._root = f"/repos/{self._repository['name']}"
        self._url = url + self._root
        self._items: list[Json] = world["items"]
        self._routes: list[tuple[str, Callable[..., object]]] = [
            ("", self._home),
            ("/readme", lambda _: self._repository["readme"].encode()),
            ("/issues", lambda query: [self._issue(each) for each in self._listed(query)]),
            ("/pulls", lambda query: [self._issue(each) for each in self._listed(query) if each.get("pull")]),
            (r"/issues/(\d+)", lambda _, number: self._issue(self._item(number))),
            (r"/pulls/(\d+)", lambda _, number: self._pull(self._item(number))),
            (r"/issues/(\d+)/comments", lambda _, number: list(self._comments(self._item(number)))),
            (r"/pulls/(\d+)/files", lambda _, number: [{"filename": path} for path in self._item(number)["files"]]),
            (r"/(?:issues|pulls)/\d+/(?:timeline|reviews|comments)", lambda _: []),
        ]

    def answer(self, target: str) -> object:
        """The body at a request's target, bytes or JSON; None where there is nothing."""
        self.requests += 1
        parts = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        for pattern, route in self._routes:
            if match := re.fullmatch(self._root + pattern, parts.path):
                try:
                    return route(query, *match.groups())
                except StopIteration:
                    return None
        return None

    def _item(self, number: str) -> Json:
        return next(item for item in self._items if item["number"] == int(number))

    def _listed(self, query: dict[str, str]) -> list[Json]:
        state, labels = query.get("state", "open"), set(filter(None, query.get("labels", "").split(",")))
        found = [each for each in self._items if state in ("all", each["state"]) and labels <= set(each["labels"])]
        field = "updated_at" if query.get("sort") == "updated" else "created_at"
        return sorted(found, key=lambda each: str(each[field]), reverse=query.get("direction", "desc") == "desc")

    def _home(self, _: dict[str, str]) -> Json:
        told = {name: self._repository[name] for name in ("description", "created_at", "updated_at")}
        return told | {
            "id": 1,
            "node_id": "R_kgAB",
            "full_name": self._repository["name"],
            "private": False,
            "visibility": "public",
            "pushed_at": self._repository["updated_at"],
        }

    def _issue(self, item: Json) -> Json:
        number = item["number"]
        told = {name: item[name] for name in ("number", "title", "body", "state", "created_at", "updated_at")}
        return told | {
            "id": number,
            "node_id": f"{'PR' if item.get('pull') else 'I'}_kgAB{number:04}",
            "repository_url": self._url,
            "user": {"login": item["author"], "type": "User"},
            "labels": [{"name": name} for name in item["labels"]],
            "assignees": [],
            "milestone": None,
            "closed_at": item["updated_at"] if item["state"] == "closed" else None,
            "comments": len(item["comments"]),
            **({"pull_request": {"merged_at": None}} if item.get("pull") else {}),
        }

    def _pull(self, item: Json) -> Json:
        extra = {"merged_at": None, "base": {"ref": "main"}, "changed_files": len(item["files"]), "review_comments": 0}
        return self._issue(item) | extra

    @staticmethod
    def _comments(item: Json) -> Iterator[Json]:
        for index, (author, at, body) in enumerate(item["comments"]):
            number = item["number"] * 100 + index
            told = {"id": number, "node_id": f"IC_kgAB{number}", "body": body, "created_at": at, "updated_at": at}
            yield told | {"user": {"login": author, "type": "User"}}


@contextmanager
def serving() -> Iterator[World]:
    """Serve the world on a free port of the loopback."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.world = World(f"http://127.0.0.1:{server.server_port}")
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.world
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    world: World


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.server.world.answer(self.path)
        data = (
            body if isinstance(body, bytes) else json.dumps({"message": "Not Found"} if body is None else body).encode()
        )
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/plain" if isinstance(body, bytes) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the demo has the screen."""
