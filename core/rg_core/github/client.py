"""HTTP to GitHub: headers, tries, back-off, rate limits. Knows no query and no store.

Waiting is through `sleep`, time through `clock`, both values, so that tests wait for nothing. The token is sent in a
header and appears nowhere else, also where a server sends it back. Figures: GitHub's "Rate limits and query limits for
the GraphQL API" and "Best practices for using the REST API".
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx2

from rg_core import border
from rg_core.github import network
from rg_core.github.errors import SEE_URL, GitHubError, RateLimited, TooHeavy, Unauthorized, Unreachable, Withdrawn
from rg_core.secret import masked

JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"
API_URL = "https://api.github.com"
MAX_WAIT = 90.0  # seconds a run waits for a limit before it leaves the rest to the next run
SECONDARY_WAIT = 60.0  # GitHub: at least one minute where no Retry-After is sent
TRIES = 4
HOPS = 5  # redirects that are followed, one after another
CONNECTS = 2  # tries of a connection: a network that is down is soon told
LONGEST = 200  # characters of what GitHub says that anybody is shown
SLOW = ("something went wrong", "timeout", "couldn't respond", "could not respond")
SEE_RIGHTS = "see that the token may read public content, or ask without one: rg-memory config set github.token ''"
REFUSED_SIZES = frozenset({"MAX_NODE_LIMIT_EXCEEDED", "ARGUMENT_LIMIT"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """A GraphQL answer: `data` may be partial, then `errors` say where."""

    data: dict[str, Any]
    errors: list[dict[str, Any]]

    @property
    def exceeded(self) -> bool:
        """Whether GitHub left parts out because the query was too large for it."""
        return any(error_type(error) == "RESOURCE_LIMITS_EXCEEDED" or is_slow(error) for error in self.errors)

    @property
    def doubtful(self) -> bool:
        """Whether an error is none of those that are said of a thing asked for: worth asking again."""
        return self.exceeded or any(not error_type(error) for error in self.errors)


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """A REST answer. `body` is parsed JSON, or bytes for raw content."""

    status: int
    body: Any
    next: str | None  # the Link header's next page


@dataclass(slots=True)
class Budget:
    """What GitHub said is left of one limit."""

    remaining: int
    resets_at: float


@dataclass
class Client:
    """Asks GitHub's API. Used by a few threads at once.

    `requests` and `points` count what was spent. Raises the errors of rg_core.github.errors.
    """

    api_url: str = API_URL
    token: str = field(default="", repr=False)
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    max_wait: float = MAX_WAIT
    requests: int = 0
    points: int = 0
    resets_at: float = 0.0  # of the limit that stopped something last

    def __post_init__(self) -> None:
        self.api_url = self.api_url.rstrip("/")
        border.keep_secret(self.token)
        self._connection: httpx2.Client | None = None
        self._lock = threading.Lock()
        self._budgets: dict[str, Budget] = {}

    def close(self) -> None:
        """Close the connections."""
        if self._connection is not None:
            self._connection.close()

    def graphql(self, query: str, variables: Mapping[str, object], *, tries: int = TRIES, cost: int = 1) -> GraphAnswer:
        """Run a query. What fails in passing is tried again, `tries` times in all.

        Args:
            query: the text.
            variables: its values.
            tries: 1 leaves a TooHeavy to the caller, who asks for less.
            cost: points it will take, at a guess.
        """
        return self._persist(lambda: self._ask(query, variables, cost), tries)

    def back_off(self, attempt: int) -> None:
        """Wait 1, 4, 9, ... seconds."""
        self.sleep(float(attempt**2))

    def get(
        self, path: str, params: Mapping[str, str] | None = None, *, accept: str = JSON, anonymous: bool = False
    ) -> RestAnswer:
        """GET a path of the API, or a URL of it that a Link or redirect gave; redirects inside the API are followed.

        Statuses that say something of the thing asked for (2xx, 403, 404, 410, 422, 451) come back in the RestAnswer.
        """
        return self._persist(lambda: self._get(path, params, accept, anonymous), TRIES)

    def _persist(self, ask: Callable[[], T], tries: int) -> T:
        attempt = 0
        while True:
            attempt += 1
            try:
                return ask()
            except TooHeavy:
                if attempt >= tries:
                    raise
            except Unreachable:
                if attempt >= CONNECTS:
                    raise
            self.back_off(attempt)

    def _ask(self, query: str, variables: Mapping[str, object], cost: int) -> GraphAnswer:
        headers = {"X-Github-Next-Global-ID": "1", "Accept": "application/json"}
        content = json.dumps({"query": query, "variables": dict(variables)}).encode()
        for waited in range(1, TRIES + 1):
            self._spend("graphql", cost)
            response = self._send("POST", f"{self.api_url}/graphql", "graphql", headers, content=content)
            body = self._json(response)
            if wait := self._limited(response, body, waited):
                self._wait(wait, "GitHub's rate limit for GraphQL is used up")
                continue
            if response.status_code >= 300:
                todo = SEE_RIGHTS if response.status_code == 403 else SEE_URL
                raise GitHubError(f"GitHub answered {response.status_code}", self.said(body), todo)
            return self._answer(body)
        raise RateLimited("GitHub keeps asking to wait", self.clock() + SECONDARY_WAIT)

    def _answer(self, body: Any) -> GraphAnswer:
        if not isinstance(body, dict) or not ("data" in body or "errors" in body):
            raise TooHeavy("GitHub's answer was not what GraphQL answers")
        errors = _errors(body)
        data = body.get("data")
        if any(error_type(error) in REFUSED_SIZES for error in errors):
            raise TooHeavy("the query is too large", self.said(errors[0]))
        if not isinstance(data, dict):
            if names := next(filter(None, map(_invalid, errors)), None):
                raise Withdrawn(names, self.said(body))
            if not any(error_type(error) not in ("", "RESOURCE_LIMITS_EXCEEDED") for error in errors):
                raise TooHeavy("GitHub's answer was empty", self.said(body))
            data = {}
        with self._lock:
            self.points += int(((data.get("rateLimit") or {}).get("cost")) or 1)
        return GraphAnswer(data, errors)

    def _get(self, path: str, params: Mapping[str, str] | None, accept: str, anonymous: bool) -> RestAnswer:
        headers = {"Accept": accept, "X-GitHub-Api-Version": "2022-11-28"}
        url = path if path.startswith(f"{self.api_url}/") else self.api_url + path
        resource = ("search" if path.startswith("/search/") else "core") + ("" if self._known(anonymous) else " 60/h")
        hops, waited = 0, 0
        while waited < TRIES:
            self._spend(resource, 1)
            response = self._send("GET", url, resource, headers, params=params, anonymous=anonymous)
            if response.status_code in (301, 302, 307, 308):
                hops += 1
                if hops > HOPS:
                    raise GitHubError("GitHub redirects without end", todo=SEE_URL)
                url, params = self._inside(response.headers.get("location", "")), None
                continue
            raw = accept == RAW and response.status_code == 200
            if raw and response.headers.get("content-type", "").startswith("text/html"):
                raise TooHeavy("GitHub answered with a web page", todo=SEE_URL)
            body = response.content if raw else self._json(response)
            waited += 1
            if wait := self._limited(response, {} if raw else body, waited):
                self._wait(wait, "GitHub's rate limit for REST is used up")
                continue
            if isinstance(body, dict) and any(map(is_slow, _errors(body))):
                raise TooHeavy("GitHub took too long", self.said(body))
            following = response.links.get("next", {}).get("url")
            return RestAnswer(response.status_code, body, self._inside(following) if following else None)
        raise RateLimited("GitHub keeps asking to wait", self.clock() + SECONDARY_WAIT)

    def _inside(self, url: str) -> str:
        """A URL that GitHub gave, if it belongs to the API: our token goes nowhere else."""
        if url.startswith(f"{API_URL}/"):
            url = self.api_url + url.removeprefix(API_URL)  # behind a proxy GitHub still calls itself by its name
        elif url.startswith("/"):
            url = str(httpx2.URL(self.api_url).join(url))
        if not url.startswith(f"{self.api_url}/"):
            raise GitHubError("GitHub redirected to an address outside its API", todo=SEE_URL)
        return url

    def _known(self, anonymous: bool) -> bool:
        return bool(self.token) and not anonymous

    def _send(
        self,
        method: str,
        url: str,
        resource: str,
        headers: dict[str, str],
        *,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        anonymous: bool = False,
    ) -> httpx2.Response:
        if self._known(anonymous):
            headers = headers | {"Authorization": f"Bearer {self.token}"}
        with self._lock:
            self.requests += 1
        http = self._http()
        try:
            response = http.request(method, url, params=params, headers=headers, content=content)
        except (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL) as error:
            raise network.failure(error, self.api_url) from None
        if response.status_code == 401:
            raise Unauthorized("GitHub answered 401", with_token="Authorization" in headers)
        if response.status_code == 407:
            raise network.unknown_to_proxy(self.api_url)
        self._note(resource, response)
        if response.status_code >= 500:
            raise TooHeavy(f"GitHub answered {response.status_code}")
        return response

    def _http(self) -> httpx2.Client:
        with self._lock:
            if self._connection is None:
                self._connection = network.connect(self.api_url, self.token)
            return self._connection

    def said(self, body: Any) -> str:
        """GitHub's own message, for a person: on one line, cut, and without our token if it comes back in it."""
        return border.line(masked(_message(body)))[:LONGEST]

    def _json(self, response: httpx2.Response) -> Any:
        if response.status_code == 304 or not response.content:
            return {}
        try:
            return response.json()
        except ValueError:
            raise TooHeavy("GitHub's answer was not JSON", todo=SEE_URL) from None

    # -- limits

    def _note(self, resource: str, response: httpx2.Response) -> None:
        try:
            budget = Budget(
                int(response.headers["x-ratelimit-remaining"]), float(response.headers["x-ratelimit-reset"])
            )
        except (KeyError, ValueError):
            return
        with self._lock:
            self._budgets[resource] = budget

    def _spend(self, resource: str, cost: int) -> None:
        """Look at the budget before asking."""
        with self._lock:
            budget = self._budgets.get(resource)
        if budget is not None and budget.remaining < cost and budget.resets_at > self.clock():
            self._wait(budget.resets_at - self.clock() + 1, f"GitHub's rate limit ({resource}) is used up")
            with self._lock:
                self._budgets.pop(resource, None)

    def _limited(self, response: httpx2.Response, body: Any, attempt: int) -> float:
        """Seconds to wait; 0 if this is no rate limit."""
        text = _message(body).lower()
        errors = _errors(body)
        kinds = {error_type(error) for error in errors}
        spent = response.headers.get("x-ratelimit-remaining") == "0"
        told = response.headers.get("retry-after")
        limited = "RATE_LIMITED" in kinds or (
            response.status_code in (200, 403, 429) and "rate limit" in text and (errors or response.status_code != 200)
        )
        if not limited and not (response.status_code in (403, 429) and (spent or told)):
            return 0.0
        if told and (wait := self._seconds(told)) is not None:
            return max(1.0, wait)
        if spent:
            return max(1.0, float(response.headers.get("x-ratelimit-reset", 0)) - self.clock() + 1)
        return SECONDARY_WAIT * float(2 ** (attempt - 1))

    def _seconds(self, retry_after: str) -> float | None:
        if retry_after.strip().isdigit():
            return float(retry_after)
        try:
            return parsedate_to_datetime(retry_after).timestamp() - self.clock()
        except ValueError:
            return None

    def _wait(self, seconds: float, why: str) -> None:
        if seconds > self.max_wait:
            self.resets_at = self.clock() + seconds
            raise RateLimited(why, self.resets_at)
        self.sleep(seconds)


def error_type(error: Mapping[str, Any]) -> str:
    """The type of a GraphQL error; "" where GitHub gives none."""
    return str(error.get("type") or (error.get("extensions") or {}).get("type") or "")


def is_slow(error: Mapping[str, Any]) -> bool:
    """Whether this GraphQL error is GitHub's word for a timeout."""
    text = str(error.get("message", "")).lower()
    return not error_type(error) and any(words in text for words in SLOW)


def _invalid(error: Mapping[str, Any]) -> list[str]:
    """Where a query is not valid, outermost first; empty for another error. GitHub's validation gives a `code`."""
    if error_type(error) or not (error.get("extensions") or {}).get("code"):
        return []
    return [part for part in error.get("path") or [] if isinstance(part, str)]


def _message(body: Any) -> str:
    if not isinstance(body, dict):
        return ""
    if isinstance(body.get("message"), str):
        return str(body["message"])
    return "; ".join(str(error.get("message", "")) for error in _errors(body))


def _errors(body: Any) -> list[dict[str, Any]]:
    """The errors of an answer that are objects; REST may give texts."""
    errors = body.get("errors") if isinstance(body, dict) else None
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
