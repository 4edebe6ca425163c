"""The stand-in itself: HTTP on loopback, limits, faults on demand, latency, and a record of what was asked."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from graphql import GraphQLError

from tests.github_standin import graph, wire
from tests.github_standin.price import Refused, price
from tests.github_standin.rest import Reply, Rest
from tests.github_standin.world import Repo, World

TOKEN = "ghp_standInTokenOfNobody0123456789abcd"
FaultKind = Literal[
    "502", "504", "drop", "truncated", "html", "something_wrong", "rate_limited", "secondary", "unauthorized",
    "404", "410", "451", "said", "resource_limits", "forbidden", "null_connections", "lose_nested", "internal",
    "withdrawn",
]  # fmt: skip
WHILE_EXECUTED = ("resource_limits", "forbidden", "null_connections", "lose_nested", "internal", "withdrawn")
WRONG = (
    "Something went wrong while executing your query on 2026-01-01T00:00:00Z. This may be the result of a timeout, or "
    "it could be a GitHub bug. Please include `CAFE:1234` when reporting this issue."
)
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass
class Fault:
    """What goes wrong, for the requests whose text contains `match`, after `skip` of them, `times` times."""

    kind: FaultKind
    times: int = 1
    skip: int = 0
    where: Literal["graphql", "rest", ""] = ""
    match: str = ""
    status: int = 403  # of a secondary limit: 200, 403 or 429
    retry_after: str | None = None
    targets: frozenset[str] = frozenset()  # forbidden: node ids or full names; others: field names
    message: str = ""  # said: what GitHub says beside a 400
    over: int = 20  # resource_limits, lose_nested: only for wider queries
    seen: int = 0

    def strikes(self, where: str, text: str) -> bool:
        """Whether it hits this request; counts it."""
        if (self.where and self.where != where) or self.match not in text or self.times <= 0:
            return False
        self.seen += 1
        if self.seen <= self.skip:
            return False
        self.times -= 1
        return True


@dataclass
class Bucket:
    """One rate limit."""

    limit: int
    used: int = 0
    reset: int = 0

    def headers(self, resource: str) -> dict[str, str]:
        """The x-ratelimit headers."""
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(max(0, self.limit - self.used)),
            "x-ratelimit-used": str(self.used),
            "x-ratelimit-reset": str(self.reset),
            "x-ratelimit-resource": resource,
        }


@dataclass
class Standin:
    """GitHub on a loopback port: `with Standin(world) as github: ... github.url`."""

    world: World
    token: str = TOKEN
    clock: Callable[[], float] = time.time
    latency: tuple[float, float] = (0.0, 0.0)  # seconds per request and per returned item
    sees_private: bool = True  # whether the token may read what is not public
    legacy_rest_ids: bool = False
    points: int = 5000
    anonymous: int = 60
    faults: list[Fault] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # "graphql" or "GET /path?query"
    queries: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    spent: int = 0  # points

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[str, Bucket] = {}
        self.lose_over = wire.WIDE_TIMELINES
        self.shrink_comments_over = 0  # 0: never; else wider queries silently lose comments
        handler = type("Handler", (_Handler,), {"standin": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Standin:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail(self, kind: FaultKind, **more: Any) -> Fault:
        """Arrange a fault."""
        self.faults.append(made := Fault(kind, **more))
        return made

    @property
    def graphql_requests(self) -> int:
        """How many GraphQL requests came."""
        return self.asked.count("graphql")

    def bucket(self, name: str, limit: int, window: int = 3600) -> Bucket:
        """The rate limit of this name, renewed when its time is over."""
        now = int(self.clock())
        found = self._buckets.setdefault(name, Bucket(limit, 0, now + window))
        if now >= found.reset:
            found.used, found.reset = 0, now + window
        return found

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply | None:
        """Answer a request; None drops the connection."""
        url = urlsplit(target)
        where = "graphql" if url.path == "/graphql" else "rest"
        with self._lock:
            self.asked.append("graphql" if where == "graphql" else f"{method} {target}")
            self.headers.append(headers)
            text = body.decode() if where == "graphql" else target
            struck = [fault for fault in self.faults if fault.strikes(where, text)]
            early = next((fault for fault in struck if fault.kind not in WHILE_EXECUTED), None)
            if early is not None and early.kind not in ("truncated",):
                return self._broken(early, where)
            authorization = headers.get("authorization", "")
            known = authorization in (f"Bearer {self.token}", f"token {self.token}")
            if authorization and not known:
                return Reply(401, {"message": "Bad credentials"})
            if where == "graphql":
                reply = self._graphql(body, known, headers, [fault for fault in struck if fault.kind in WHILE_EXECUTED])
            else:
                reply = self._rest(url.path, dict(parse_qsl(url.query)), known, headers)
        time.sleep(self.latency[0] + self.latency[1] * reply.items)
        if early is not None:
            reply.headers["x-truncate"] = "1"
        return reply

    def _readable(self, known: bool) -> Callable[[Repo], bool]:
        return lambda repo: repo.visibility == "PUBLIC" or (known and self.sees_private)

    def _broken(self, fault: Fault, where: str) -> Reply | None:
        if fault.kind == "drop":
            return None
        if fault.kind in ("502", "504"):
            message = "We couldn't respond to your request in time. Sorry about that."
            return Reply(
                int(fault.kind), {"message": message} if fault.kind == "504" else b"<html>502 Bad Gateway</html>"
            )
        if fault.kind == "html":
            return Reply(200, b"<html><body>Unicorn!</body></html>", {"Content-Type": "text/html"})
        if fault.kind == "something_wrong":
            return Reply(200, {"data": None, "errors": [{"message": WRONG}]})
        if fault.kind == "unauthorized":
            return Reply(401, {"message": "Bad credentials"})
        if fault.kind == "rate_limited":
            bucket = self.bucket("graphql" if where == "graphql" else "core", self.points)
            bucket.used = bucket.limit
            if where == "graphql":
                error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}
                return Reply(200, {"data": None, "errors": [error]}, bucket.headers("graphql"))
            return Reply(403, {"message": "API rate limit exceeded for user ID 1."}, bucket.headers("core"))
        if fault.kind == "said":
            return Reply(400, {"message": fault.message})
        if fault.kind == "secondary":
            wait = {} if fault.retry_after is None else {"Retry-After": fault.retry_after}
            body: Any = {"message": SECONDARY, "documentation_url": "https://docs.github.com/rest"}
            if fault.status == 200:
                body = {"data": None, "errors": [{"message": SECONDARY}]}
            return Reply(fault.status, body, wait)
        return Reply(int(fault.kind), {"message": {"404": "Not Found", "410": "Gone"}.get(fault.kind, "Blocked")})

    def _graphql(self, body: bytes, known: bool, headers: dict[str, str], faults: list[Fault]) -> Reply:
        if not known:
            zero = {"x-ratelimit-limit": "0", "x-ratelimit-remaining": "0", "x-ratelimit-used": "0"}
            return Reply(401, {"message": "This endpoint requires you to be authenticated."}, zero)
        request = json.loads(body)
        query, variables = request["query"], request.get("variables") or {}
        self.queries.append(query)
        bucket = self.bucket("graphql", self.points)
        try:
            cost = price(query, variables)
        except Refused as refused:
            return Reply(200, {"errors": [refused.error]}, bucket.headers("graphql"))
        except GraphQLError as broken:
            return Reply(200, {"errors": [{"message": broken.message}]}, bucket.headers("graphql"))
        if bucket.used + cost.points > bucket.limit:
            error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}
            bucket.used = bucket.limit
            return Reply(200, {"data": None, "errors": [error]}, bucket.headers("graphql"))
        bucket.used += cost.points
        self.spent += cost.points
        asking = wire.Asking(self.world, self._readable(known), headers.get("x-github-next-global-id") == "1")
        asking.lose_over, asking.shrink_comments_over = self.lose_over, self.shrink_comments_over
        for fault in faults:
            if fault.kind == "forbidden":
                asking.forbidden |= fault.targets
            if fault.kind == "null_connections":
                asking.null_fields |= fault.targets
            if fault.kind == "internal":
                asking.internal_fields |= fault.targets
            if fault.kind == "withdrawn":
                asking.withdrawn |= fault.targets
            if fault.kind == "lose_nested":
                asking.lose_over = fault.over
            if fault.kind == "resource_limits":
                asking.exceed_over = fault.over
        reset = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(bucket.reset))
        asking.rate = {
            "cost": cost.points, "limit": bucket.limit, "remaining": bucket.limit - bucket.used, "used": bucket.used,
            "nodeCount": cost.nodes, "resetAt": reset,
        }  # fmt: skip
        answer = graph.run(query, variables, asking, cost)
        return Reply(200, answer, bucket.headers("graphql"), asking.items)

    def _rest(self, path: str, query: dict[str, str], known: bool, headers: dict[str, str]) -> Reply:
        resource = "search" if path.startswith("/search") else "core"
        if resource == "search":
            bucket = self.bucket(f"search-{known}", 30 if known else 10, 60)
        else:
            bucket = self.bucket("core" if known else "anonymous", 5000 if known else self.anonymous)
        if bucket.used >= bucket.limit:
            message = "API rate limit exceeded for 127.0.0.1."
            return Reply(403, {"message": message}, bucket.headers(resource))
        if path == "/rate_limit":
            return Reply(200, {"resources": {"core": {"limit": bucket.limit, "remaining": bucket.limit - bucket.used}}})
        rest = Rest(self.world, self._readable(known), self.url, self.legacy_rest_ids)
        reply = rest.get(path, query, headers.get("accept", ""))
        if not isinstance(reply.body, bytes):
            etag = f'W/"{hashlib.sha256(json.dumps(reply.body).encode()).hexdigest()}"'
            reply.headers["ETag"] = etag
            if headers.get("if-none-match") == etag:
                reply.status, reply.body = 304, b""
        if not (reply.status == 304 and known):
            bucket.used += 1
        reply.headers |= bucket.headers(resource)
        return reply


class _Handler(BaseHTTPRequestHandler):
    standin: Standin
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        """Stay quiet."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        if not headers.get("user-agent"):
            reply: Reply | None = Reply(403, {"message": "Request forbidden by administrative rules: User-Agent"})
        else:
            reply = self.standin.answer(self.command, self.path, headers, body)
        if reply is None:
            self.close_connection = True
            return
        raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        truncated = reply.headers.pop("x-truncate", None)
        self.send_response(reply.status)
        for name, value in ({"Content-Type": "application/json; charset=utf-8"} | reply.headers).items():
            self.send_header(name, value)
        sent = raw[: len(raw) // 2] if truncated else raw
        cut = bool(truncated) and isinstance(reply.body, bytes)  # only the connection's end tells of raw content
        self.send_header("Content-Length", str(len(raw) if cut else len(sent)))
        self.end_headers()
        self.close_connection = self.close_connection or cut
        self.wfile.write(sent)
