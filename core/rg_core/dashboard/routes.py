"""Which page answers which address. A page is asked for with GET and changes nothing; the two writes are POST."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rg_core import times
from rg_core.dashboard import explored, memory, pages
from rg_core.dashboard import stored as shelves
from rg_core.dashboard.counting import Counting
from rg_core.dashboard.facts import Changed, Source
from rg_core.dashboard.memory import MemoryFacts
from rg_core.errors import UserError
from rg_core.store.protocol import StoreUnavailable
from rg_core.telemetry.explored import Event

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

STATIC = Path(__file__).parent / "static"
COMMAND = "import sys; from rg_core.cli.main import main; sys.exit(main(sys.argv[1:]))"
DOCTOR = "import sys; from rg_installer.cli import main; sys.exit(main(['--doctor']))"
COMMAND_SECONDS = 120
PATIENCE = 1.0  # seconds that the Memory page is waited for, before a page says that it is being counted
RANGE = range(1, 3_660)  # days
NOTHING_YET = (
    "rg-install --all            # let your agents' hooks record",
    "rg-memory sweep             # fetch what they read",
    "rg-memory dashboard --demo  # a made-up world, to see what this page shows",
)


def application(environ: Mapping[str, str], base: str, days: int) -> Starlette:
    """The pages of the user that config.toml names; `base` is where they are, `days` what the first one shows.

    Raises:
        UserError: without an identity.
    """
    made = Pages(Source(environ), base, days)
    asked: dict[str, Callable[[Request], Response]] = {
        "/": made.memory,
        "/panels.json": made.panels,
        "/stored.json": made.stored,
        "/stored": made.stored,
        "/stored/{address:path}": made.resource,
        "/touches.json": made.touches,
        "/touches": made.touches,
        "/sessions/{id:path}.json": made.session,
        "/sessions/{id:path}": made.session,
        "/recalls/{id}.json": made.recall,
        "/recalls/{id}": made.recall,
        "/status.json": made.status,
        "/status": made.status,
        "/forget": made.forget,
    }
    return Starlette(
        routes=[
            *(Route(path, made.shown(page), methods=["GET"]) for path, page in asked.items()),
            Route("/recalls/{id}", made.mark, methods=["POST"]),
            Route("/status", made.examine, methods=["POST"]),
            Route("/forget", made.forgotten, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
    )


class Pages:
    """The pages of one user."""

    def __init__(self, source: Source, base: str, days: int, patience: float = PATIENCE) -> None:
        self.source, self.frame, self.days = source, pages.Frame(base, source.user), days
        self.patience, self.counting = patience, Counting[MemoryFacts]()
        self.wrapped_up = False

    def shown(self, page: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """A page, or the sentence that says why there is none."""

        def answer(request: Request) -> Response:
            try:
                return page(request)
            except Changed:
                text = "The identity in config.toml is another one now. Start the dashboard again to see theirs."
                return self._message("/", "Nothing to see here", text)
            except (UserError, StoreUnavailable) as error:
                return self._message("/", "That cannot be shown now", str(error))

        return answer

    def memory(self, request: Request) -> Response:
        """Does memory pay for itself?"""
        days, agent, project = self._scope(request)
        patience = None if "renewed" in request.query_params else self.patience
        asked = (days, agent, project)
        facts = self.counting.count((*asked, times.now()[:10]), lambda: self.source.memory(*asked), patience)
        if facts is None:
            groups = self._touches(self.source.events("", "", ""), {}, "").groups[: memory.SESSIONS]
            return HTMLResponse(pages.counting_page(self.frame, self.source.asked(*asked), groups))
        if not self.wrapped_up:
            self.wrapped_up = True
            self.counting.later(self.source.wrap_up)
        if facts.last is None and not facts.stored:
            lines = ["Agents leave a Touch when they read from GitHub; nothing was recorded on this machine yet."]
            return HTMLResponse(pages.message_page(self.frame, "/", "Nothing explored yet", lines, NOTHING_YET))
        return HTMLResponse(pages.memory_page(self.frame, facts))

    def panels(self, request: Request) -> Response:
        """The numbers behind the Memory page."""
        facts = self.source.memory(*self._scope(request))
        return JSONResponse({**facts.panels, "since": facts.since, "until": facts.until})

    def stored(self, request: Request) -> Response:
        """What is stored."""
        names = ("q", "kind", "repo", "state", "label")
        asked = shelves.Asked(**{name: request.query_params.get(name, "") for name in names})
        filters = urlencode({name: text for name, text in asdict(asked).items() if text})
        next_page = f"{self.frame.base}/stored?{filters}&before=" if filters else f"{self.frame.base}/stored?before="
        view = self.source.stored(asked, request.query_params.get("before", ""), next_page)
        return self._page(request, view)

    def resource(self, request: Request) -> Response:
        """One resource, its versions, a difference between two, or a listing."""
        address = request.path_params["address"]
        if request.url.query and "?" not in address and address.endswith(("/issues", "/pulls")):
            address = f"{address}?{request.url.query}"
        found = self._resource(request, address, as_json=False)
        if found is None and address.endswith(".json"):
            found = self._resource(request, address.removesuffix(".json"), as_json=True)
        return found or self._missing(address, request.query_params.get("as_of", ""))

    def _resource(self, request: Request, address: str, *, as_json: bool) -> Response | None:
        asked = request.query_params
        if address.endswith("/diff"):
            difference = self.source.diff(address.removesuffix("/diff"), asked.get("since", ""), asked.get("until", ""))
            return self._shown(difference, as_json=as_json)
        if address.endswith("/history"):
            return self._shown(self.source.history(address.removesuffix("/history")), as_json=as_json)
        page = int(asked["page"]) if asked.get("page", "").isdecimal() else 1
        if listing := self.source.listing(address, max(1, page)):
            return self._shown(listing, as_json=as_json)
        whole = shelves.Whole(comments="all" in asked, edges="edges" in asked)
        facts = self.source.item(address, asked.get("as_of", ""), whole)
        view = shelves.item_view(facts, self.frame.link, self.frame.recall_link) if facts else None
        return self._shown(view, as_json=as_json)

    def touches(self, request: Request) -> Response:
        """What was explored."""
        asked = {name: request.query_params.get(name, "") for name in ("address", "session")}
        events = self.source.events(asked["address"], asked["session"], request.query_params.get("before", ""))
        more = len(events) == explored.STEP
        before = {"before": events[-1].at} if more else {}
        query = urlencode({name: text for name, text in (asked | before).items() if text})
        next_page = f"{self.frame.base}/touches?{query}" if more else ""
        return self._page(request, self._touches(events, asked, next_page))

    def _touches(self, events: Sequence[Event], asked: Mapping[str, str], next_page: str) -> explored.TouchesView:
        return explored.touches_view(events, asked, self.frame.link, self.frame.recall_link, next_page)

    def session(self, request: Request) -> Response:
        """One session."""
        found = self.source.session(request.path_params["id"])
        if found is None:
            return self._missing(request.path_params["id"])
        wrap, events = found
        view = explored.session_view(wrap.facts, (wrap.loaded, wrap.floor, wrap.json), events)
        return self._page(request, view)

    def recall(self, request: Request, marked: str = "") -> Response:
        """One recall."""
        found = self.source.recall(request.path_params["id"])
        if found is None:
            return self._missing(request.path_params["id"])
        view = explored.recall_view(*found, marked)
        return self._page(request, view)

    async def mark(self, request: Request) -> Response:
        """Note what the person says of a result: what `rg-memory cite` notes."""
        form = await request.form()
        recall, memory_id, kind = request.path_params["id"], str(form.get("memory", "")), str(form.get("kind", ""))
        page = self.shown(lambda _: self.recall(request, self.source.mark(recall, memory_id, kind)))
        return await asyncio.to_thread(page, request)

    def status(self, request: Request, doctor: str | None = None) -> Response:
        """What `rg-memory status` says."""
        said = _ran(self.source.environ, COMMAND, "status")
        facts = [(name.strip(), text.strip()) for name, _, text in (line.partition("  ") for line in said.splitlines())]
        return self._page(request, pages.StatusView(facts, doctor))

    async def examine(self, request: Request) -> Response:
        """Run the doctor."""
        doctor = await asyncio.to_thread(_ran, self.source.environ, DOCTOR)
        return await asyncio.to_thread(self.status, request, doctor)

    def forget(self, request: Request) -> Response:
        """What would go."""
        view = self.source.forgetting(request.query_params.get("address", ""))
        return HTMLResponse(pages.view_page(self.frame, view))

    async def forgotten(self, request: Request) -> Response:
        """Forget a resource, as `rg-memory forget` does."""
        form = await request.form()
        address = str(form.get("address", ""))

        def go(_: Request) -> Response:
            view = self.source.forgetting(address)
            if not view.refused:
                said = _ran(self.source.environ, COMMAND, "forget", "--yes", address)
                view = shelves.ForgetView(address, "Forgotten", done=said)
            return HTMLResponse(pages.view_page(self.frame, view))

        return await asyncio.to_thread(self.shown(go), request)

    def _scope(self, request: Request) -> tuple[int, str, str]:
        asked = request.query_params.get("days", "")
        days = int(asked) if asked.isdecimal() and int(asked) in RANGE else self.days
        return days, request.query_params.get("agent", ""), request.query_params.get("project", "")

    def _page(self, request: Request, view: DataclassInstance) -> Response:
        answer = self._shown(view, as_json=request.url.path.endswith(".json"))
        assert answer
        return answer

    def _shown(self, view: DataclassInstance | None, *, as_json: bool) -> Response | None:
        """A page, or the facts behind it; None where there are none."""
        if view is None:
            return None
        if as_json:
            return JSONResponse(json.loads(json.dumps(asdict(view), default=str)))
        return HTMLResponse(pages.view_page(self.frame, view))

    def _missing(self, what: str, as_of: str = "") -> Response:
        then = f" as of {as_of}" if as_of else ""
        heading = "Not in memory"
        line = f"{what[:300]} is not stored{then}."
        return HTMLResponse(pages.message_page(self.frame, "/stored", heading, [line]), 404)

    def _message(self, here: str, heading: str, line: str) -> Response:
        return HTMLResponse(pages.message_page(self.frame, here, heading, [line]), 503)


def _ran(environ: Mapping[str, str], program: str, *arguments: str) -> str:
    """What a command of ours prints, run as the person would run it."""
    words: list[Any] = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        words, env={**environ, "NO_COLOR": "1", "COLUMNS": "100"}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, encoding="utf-8", errors="replace", timeout=COMMAND_SECONDS, check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr).strip()
