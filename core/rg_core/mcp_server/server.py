"""rg-mcp behind its front desk: the official SDK's low-level Server, one tool, two resource templates.

Measured with mcp 2.3.0. Answers are text only, one block: with structuredContent two harnesses drop the text and two
show it twice; the link to the immutable version stands in the text for the same reason.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any, TypeVar

from rg_core import __version__, border
from rg_core.errors import UserError
from rg_core.harness.tool_names import CITE, LISTING_URI, SERVER, STATE_URI, TITLE, TOOL
from rg_core.mcp_server import asset_schemas, recall_schemas, wire
from rg_core.mcp_server.handshake import ENVELOPE, ENVELOPE_VERSION, Desk
from rg_core.mcp_server.launch import Launch, asset_mode, instructions
from rg_core.store.protocol import StoreUnavailable
from rg_core.telemetry.events import KINDS

gc.disable()  # a tenth of the SDK's start is collecting what it builds and keeps
import anyio  # noqa: E402
import mcp_types as t  # noqa: E402
from mcp.server.caching import CacheHint  # noqa: E402
from mcp.server.lowlevel import Server  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402
from mcp.shared.message import SessionMessage  # noqa: E402

gc.freeze()
gc.enable()

T = TypeVar("T")
ANSWER_SECONDS = 1.6  # after a request came, also the first, which waits for the SDK: it is told within two seconds
LEAST_SECONDS = 0.4  # that memory has from where a call begins, and ...
ALIVE_SECONDS = 0.4  # ... from its last sign of life: a step that ended, or ...
LOOK, MOVES = 0.1, 0.004  # ... of so many seconds so many computed: it imports on a busy machine, it does not wait
END_SECONDS = 0.05  # after the input ended: a harness may kill us
BODY_TTL_MS = 24 * 3_600_000  # of a body behind a URI: nothing in it can change, but it can be forgotten
CATALOGUE_TTL_MS = 3_600_000  # of the lists: they change with a release only
NOT_FOUND = {True: -32602, False: -32002}  # resource not found: on 2026-07-28, and before
REFUSED = -32600
UNAVAILABLE = -32603
MIME = "application/json"

DESCRIPTION = (
    "GitHub issue, pull request, repository or listing of them, answered from memory: whole content with all comments, "
    "instantly and without network. Call it before fetching from GitHub. A miss says that it is not in memory; then "
    "fetch it as usual. Long answers come in pages."
)
SCHEMA = {
    "type": "object",
    "properties": {
        "address": {
            "type": ["string", "array"],
            "items": {"type": "string"},
            "description": "A GitHub URL, owner/repo#123, owner/repo, owner/repo/issues, gh arguments such as "
            "'issue list -R owner/repo --label bug', or a key from an earlier answer; or a list of up to ten.",
        },
        "page": {
            "type": ["integer", "string"],
            "default": 1,
            "description": "Page of a long answer, from 1. 'outline' is a short form with a line a comment, '40-60' "
            "these comments whole, 'history' the versions that memory knows.",
        },
        "find": {"type": "string", "description": "Words: only the parts (of a listing, the rows) that have them."},
        "as_of": {
            "type": "string",
            "description": "The version valid at this time, in ISO 8601, e.g. 2026-04-15T00:00:00Z. Default: now.",
        },
    },
    "required": ["address"],
    "additionalProperties": False,
}
THE_TOOL = t.Tool(
    name=TOOL,
    title=TITLE,
    description=DESCRIPTION,
    input_schema=SCHEMA,
    annotations=t.ToolAnnotations(
        title=TITLE, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    _meta={"anthropic/alwaysLoad": True},
)
CITE_TOOL = t.Tool(
    name=CITE,
    title="What helped",
    description="Say which remembered results you used. One short call after recall or resource helped, or misled: "
    "memory is a position in the recall such as 1, an address, or a list of these.",
    input_schema={
        "type": "object",
        "properties": {
            "memory": {
                "type": ["string", "integer", "array"],
                "items": {"type": ["string", "integer"]},
                "description": "Position, address or id; at most 20.",
            },
            "kind": {"type": "string", "enum": list(KINDS), "default": "cited"},
            "recall": {"type": "string", "description": "The id that recall printed. Default: the latest."},
            "note": {"type": "string", "description": "At most 500 characters."},
        },
        "required": ["memory"],
        "additionalProperties": False,
    },
    annotations=t.ToolAnnotations(
        title="What helped", read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
)


def _tools(schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, t.Tool]:
    """Tools from what they say of themselves."""
    return {
        name: t.Tool(
            name=name,
            title=says["title"],
            description=says["description"],
            input_schema=says["schema"],
            annotations=t.ToolAnnotations(
                title=says["title"], read_only_hint=says["reads"], destructive_hint=False, open_world_hint=False
            ),
        )
        for name, says in schemas.items()
    }


TOOLS = {TOOL: THE_TOOL, **_tools(recall_schemas.TOOLS), CITE: CITE_TOOL}
TEMPLATES = [
    t.ResourceTemplate(
        name="state",
        title="One version of a remembered GitHub resource",
        uri_template=STATE_URI + "{id}",
        mime_type=MIME,
        description="The immutable body of one version of an issue, pull request or repository; ids come from the "
        f"{TOOL} tool's answers.",
    ),
    t.ResourceTemplate(
        name="listing",
        title="One remembered answer to a GitHub listing",
        uri_template=LISTING_URI + "{id}",
        mime_type=MIME,
        description=f"The immutable snapshot of a listing as it was fetched; ids come from the {TOOL} tool's answers.",
    ),
]
ASSET_URI = "resources-graph://project/"
ASSET_TOOLS = _tools(asset_schemas.TOOLS)
ASSET_TEMPLATES = [
    t.ResourceTemplate(name=name, title=title, uri_template=uri, mime_type=MIME, description=description)
    for name, title, uri, description in asset_schemas.TEMPLATES
]


class Abandoned(Exception):
    """Nobody waits for this answer any more: it came too late, or the client took its call back."""


class _Call:
    """One thing that is asked of memory."""

    abandoned = False


class Worker:
    """One thread that alone uses memory; whoever waits for it waits a bounded time.

    What nobody waits for any more ends at its next step. Memory takes one right before it records what an answer
    served, and whoever waits then waits for LEAST_SECONDS more: an answer that was told to be too late is not recorded.
    """

    def __init__(self, environ: Mapping[str, str], launch: Launch = Launch()) -> None:  # noqa: B008 - never changed
        self.environ, self.launch = environ, launch
        self.threads = ThreadPoolExecutor(1, thread_name_prefix="memory")
        self.memory: Any = None
        self.progress = 0.0  # when the thread last got on
        self._call = _Call()  # the one that the thread works on
        self._deciding = threading.Lock()  # whether a call is abandoned, or gets on

    async def ask(self, work: Callable[[Any], T], came: float | None = None) -> T:
        """What `work(memory)` gives. `came`: when the request did, if not just now.

        Raises:
            StoreUnavailable: when memory is away, or gives no sign of life and the request came ANSWER_SECONDS ago.
                Waiting one's turn behind others that are answered does not count.
            UserError: as `work` does.
        """
        now = time.monotonic()
        end = max((came or now) + ANSWER_SECONDS, now + LEAST_SECONDS)  # the SDK's start may have taken long
        call = _Call()
        future = asyncio.wrap_future(self.threads.submit(self._run, work, call))
        try:
            while not future.done():
                spent = time.process_time()
                with self._deciding:
                    left = max(end, self.progress + ALIVE_SECONDS) - time.monotonic()
                    call.abandoned = left <= 0
                if call.abandoned:
                    raise StoreUnavailable(
                        "memory did not answer in time; fetch from GitHub as usual, and see `rg-memory status` if it "
                        "stays so"
                    )
                await asyncio.wait({future}, timeout=min(left, LOOK))
                if time.process_time() - spent > MOVES:
                    self.progress = time.monotonic()
            return future.result()
        finally:
            future.cancel()
            call.abandoned = True

    async def end(self) -> None:
        """Let memory keep what it knows of the session that ends, for as long as nobody minds; best effort."""
        if self.memory is not None:
            future = asyncio.wrap_future(self.threads.submit(self._run, lambda memory: memory.end(), _Call()))
            await asyncio.wait({future}, timeout=END_SECONDS)
            if future.done() and (error := future.exception()):
                logging.getLogger(__name__).warning("the session is not wrapped up: %s", error)

    def _run(self, work: Callable[[Any], T], call: _Call) -> T:
        self._call = call
        if self.memory is None:
            from rg_core.mcp_server.tools import Memory

            self.memory = Memory(self.environ, self._step, self.launch)
        self._step()
        try:
            return work(self.memory)
        finally:
            self.progress = time.monotonic()

    def _step(self) -> None:
        """Note that the thread got on.

        Raises:
            Abandoned: if nobody waits for what it does.
        """
        with self._deciding:
            if self._call.abandoned:
                raise Abandoned
            self.progress = time.monotonic()


class Handlers:
    """What the server answers to each request, from one worker's memory."""

    def __init__(self, environ: Mapping[str, str], came: Mapping[Any, float], worker: Worker) -> None:
        self.environ, self.came, self.worker = environ, came, worker

    async def list_tools(self, _: Any, __: Any) -> t.ListToolsResult:
        """The tools of the current configuration."""
        assets = [ASSET_TOOLS[name] for name in asset_schemas.LISTED[asset_mode(self.environ)]]
        hidden = recall_schemas.hidden(self.environ)
        return t.ListToolsResult(tools=[*(tool for name, tool in TOOLS.items() if name not in hidden), *assets])

    async def call_tool(self, ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        """A tool's text, or what went wrong as text."""
        arguments, client, meta = params.arguments or {}, _client(ctx), dict(ctx.meta or {})
        try:
            if params.name in TOOLS:
                text, failed = await self.worker.ask(
                    lambda memory: getattr(memory, params.name)(arguments, client, meta), self.came.get(ctx.request_id)
                )
            else:
                listed = ", ".join(tool.name for tool in (await self.list_tools(None, None)).tools)
                text, failed = await self.worker.ask(
                    lambda memory: memory.assets.call(params.name, arguments, client), self.came.get(ctx.request_id)
                ) or (f"there is no tool {border.line(params.name[:60])!r} here; there is {listed}", True)
        except StoreUnavailable as error:
            word = "unavailable: " if params.name in ASSET_TOOLS else ""  # as these say whatever went wrong
            return _text(word + border.line(error), failed=True)
        except Exception:
            logging.getLogger(__name__).exception("the tool failed")
            return _text(
                "rg-memory failed on this; fetch from GitHub as usual. Its log (stderr) says more.", failed=True
            )
        return _text(text, failed=failed)

    async def list_resources(self, _: Any, __: Any) -> t.ListResourcesResult:
        """None: there are as many as memory has versions."""
        return t.ListResourcesResult(resources=[])  # on purpose: there are as many as memory has versions

    async def list_templates(self, _: Any, __: Any) -> t.ListResourceTemplatesResult:
        """The templates of the current configuration."""
        more = [] if asset_mode(self.environ) == "off" else ASSET_TEMPLATES
        return t.ListResourceTemplatesResult(resource_templates=[*TEMPLATES, *more])

    async def read_resource(self, ctx: Any, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        """An immutable body behind a URI."""
        uri, client = str(params.uri), _client(ctx)
        if uri.startswith(ASSET_URI):
            found = await _or_refuse(
                self.worker.ask(lambda memory: memory.assets.resource(uri, client), self.came.get(ctx.request_id))
            )
            body, hints = (found[0], {"ttl_ms": found[1], "cache_scope": "private"}) if found else (None, {})
        else:
            hints = {}
            body = await _or_refuse(self.worker.ask(lambda memory: memory.body(uri), self.came.get(ctx.request_id)))
        if body is None:
            code = NOT_FOUND[ctx.protocol_version >= ENVELOPE_VERSION]
            raise MCPError(code=code, message="Resource not found", data={"uri": uri})
        text = t.TextResourceContents(uri=params.uri, text=body, mime_type=MIME)
        return t.ReadResourceResult(contents=[text], **hints)

    async def complete(self, ctx: Any, params: t.CompleteRequestParams) -> t.CompleteResult:
        """Values for the arguments of a template."""
        values: list[str] = []
        if isinstance(params.ref, t.ResourceTemplateReference):
            uri, asked, client = str(params.ref.uri), params.argument, _client(ctx)
            if uri.startswith(ASSET_URI) and not uri.endswith("/manifest"):
                values = list(
                    await _or_refuse(
                        self.worker.ask(lambda memory: memory.assets.complete(asked.name, asked.value, client))
                    )
                )
            elif asked.name == "id" and uri in (STATE_URI + "{id}", LISTING_URI + "{id}"):
                values = list(await _or_refuse(self.worker.ask(lambda memory: memory.complete(uri, asked.value))))
        return t.CompleteResult(completion=t.Completion(values=values))

    async def name_the_tool(self, ctx: Any, call_next: Any) -> Any:
        """Middleware: instructions with the tool's full name, as this client calls it."""
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            given = dict(ctx.params or {})
            client = given.get("clientInfo") or (given.get("_meta") or {}).get(f"{ENVELOPE}clientInfo") or {}
            result = {
                **result,
                "instructions": instructions(str(client.get("name", "")), self.environ, self.worker.launch),
            }
        return result


def build(
    environ: Mapping[str, str], came: Mapping[Any, float] = MappingProxyType({}), worker: Worker | None = None
) -> Server[Any]:
    """The server, ready to run over any transport of the SDK. `came`: when a request did, by its id, where known."""
    worker = worker or Worker(environ)
    handlers = Handlers(environ, came, worker)
    catalogue = CacheHint(ttl_ms=CATALOGUE_TTL_MS, scope="public")
    server: Server[Any] = Server(
        SERVER,
        version=__version__,
        title=TITLE,
        instructions=instructions("", environ, worker.launch),
        cache_hints={
            "tools/list": catalogue,
            "resources/list": catalogue,
            "resources/templates/list": catalogue,
            "resources/read": CacheHint(ttl_ms=BODY_TTL_MS, scope="private"),
        },
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
    )
    server.middleware.append(handlers.name_the_tool)
    return server


def serve(desk: Desk) -> None:
    """Serve what the desk cannot, until the input ends."""
    logging.basicConfig(stream=border.Screen(sys.stderr), level=logging.WARNING)
    anyio.run(_serve, desk)


async def _serve(desk: Desk) -> None:
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[tuple[bytes | None, float]] = asyncio.Queue()

    def sink(line: bytes | None, came: float) -> None:
        loop.call_soon_threadsafe(inbox.put_nowait, (line, came))

    desk.open(sink)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    open_requests: dict[Any, float] = {}  # by id, when each came

    async def read() -> None:
        async with to_server:
            while True:
                line, came = await inbox.get()
                if line is None:
                    break
                message = parse(line)
                if isinstance(message, Exception):  # the SDK would drop it in silence
                    refused = wire.message(line)
                    if "method" in refused and "id" in refused:
                        told = wire.error(refused["id"], wire.NO_REQUEST, "this request is not as the protocol has it")
                        desk.answer(refused["id"], told)
                    continue
                if isinstance(message.message, t.JSONRPCRequest):
                    open_requests[message.message.id] = came
                elif (cancelled := _cancelled(message.message)) is not None:  # the SDK answers it no more
                    open_requests.pop(cancelled, None)
                    desk.out.cancel(cancelled)
                await to_server.send(message)
            for _ in range(100):  # the input ended right behind a request: two seconds for its answer
                if not open_requests:
                    break
                await anyio.sleep(0.02)

    async def write() -> None:
        async with from_server:
            async for outgoing in from_server:
                message = outgoing.message
                if not isinstance(message, t.JSONRPCRequest | t.JSONRPCNotification):
                    open_requests.pop(message.id, None)
                    if desk.was_answered(message.id):
                        continue
                    desk.answer(message.id, encode(message))
                else:
                    desk.out.write(encode(message))

    worker = Worker(desk.environ, desk.launch)
    server = build(desk.environ, open_requests, worker)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        await server.run(from_client, to_client, server.create_initialization_options())
    await worker.end()


def _cancelled(message: t.JSONRPCMessage) -> str | int | None:
    """The id of the request that a notification cancels."""
    if not isinstance(message, t.JSONRPCNotification) or message.method != "notifications/cancelled":
        return None
    named = (message.params or {}).get("requestId")
    return named if isinstance(named, str | int) else None


def parse(line: bytes) -> SessionMessage | Exception:
    """A line as the SDK's own transport reads it."""
    try:
        text = line.decode("utf-8", "replace")
        return SessionMessage(t.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except Exception as error:  # noqa: BLE001 - it is handed on
        return error


def encode(message: Any) -> bytes:
    """A message as a line; a lone surrogate in it must not end the server."""
    try:
        text: str = message.model_dump_json(by_alias=True, exclude_unset=True)
        return text.encode()
    except Exception:  # noqa: BLE001 - pydantic's own, which has no common name
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True), default=str).encode()


async def _or_refuse(work: Any) -> Any:
    try:
        return await work
    except UserError as error:
        raise MCPError(code=REFUSED, message=border.line(error)) from error
    except StoreUnavailable as error:
        raise MCPError(code=UNAVAILABLE, message=border.line(error)) from error


def _text(text: str, *, failed: bool) -> t.CallToolResult:
    return t.CallToolResult(content=[t.TextContent(type="text", text=text)], is_error=failed)


def _client(ctx: Any) -> str:
    params = ctx.session.client_params
    info = params.client_info if params else None
    return info.name if info else ""
