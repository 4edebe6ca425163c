"""The dashboard's server: loopback only, one token, one person, until Ctrl-C or hours without a request."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import tempfile
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Mapping

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rg_core.dashboard import guard
from rg_core.dashboard.routes import application

HOST = "127.0.0.1"
IDLE_SECONDS = 8 * 3600.0
TOKEN_BYTES = 24  # 192 bits
REDIRECT_SECONDS = 60.0  # after which the file that led the browser here is gone in any case
LAST_SECONDS = 1.0  # for removing it at the end


class Guard:
    """Refuses what guard.py refuses, before anything else is looked at; takes the token off the path."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app, self.port, self.token = app, port, token
        self.last_request = time.monotonic()
        self.visited = threading.Event()  # somebody came with the token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *guard.ALWAYS]
            await send(message)

        rest = guard.admitted(scope["path"], self.token)
        status = guard.refusal(scope["method"], scope["headers"], self.port) or (404 if rest is None else None)
        if status is not None:
            await _bare(status, guarded)
            return
        self.last_request = time.monotonic()
        self.visited.set()
        assert rest is not None
        inner = dict(scope) | {"path": rest or "/", "raw_path": (rest or "/").encode()}
        await self.app(inner, _limited(receive), guarded)


def _limited(receive: Receive) -> Receive:
    """`receive`, as long as the body is no longer than a form of ours can be."""
    total = 0

    async def some() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > guard.BODY_BYTES:
            return {"type": "http.disconnect"}
        return message

    return some


async def _bare(status: int, send: Send) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def serve(environ: Mapping[str, str], port: int, *, days: int, open_browser: bool) -> None:
    """Print the address and serve until interrupted, or until nobody asked for IDLE_SECONDS.

    Raises:
        UserError: without an identity.
        OSError: if the port is taken.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()  # whoever reads the address may come at once
        port = listening.getsockname()[1]
        address = f"http://{HOST}:{port}/{token}/"
        app = Guard(_application(environ, token, days), port, token)
        server = uvicorn.Server(
            uvicorn.Config(app, access_log=False, log_level="warning", server_header=False, date_header=False)
        )
        print(f"{address}\nServing until Ctrl-C. Nobody else on this machine or network can see it.", flush=True)
        leading = threading.Thread(target=_lead, args=(address, app.visited), daemon=True)
        if open_browser:
            leading.start()
        try:
            asyncio.run(_until_idle(server, app, listening))
        finally:
            app.visited.set()
            if open_browser:
                leading.join(LAST_SECONDS)


async def _until_idle(server: uvicorn.Server, app: Guard, listening: socket.socket) -> None:
    async def watch() -> None:
        while time.monotonic() - app.last_request < IDLE_SECONDS:
            await asyncio.sleep(min(30.0, IDLE_SECONDS))
        server.should_exit = True

    watching = asyncio.create_task(watch())
    try:
        await server.serve(sockets=[listening])
    finally:
        watching.cancel()


def _application(environ: Mapping[str, str], token: str, days: int) -> Starlette:
    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield

    made = application(environ, f"/{token}", days)
    made.router.lifespan_context = lifespan
    return made


def _lead(address: str, visited: threading.Event) -> None:
    """Open the browser with a private file that leads to `address`: as an argument it would stand in the process list.

    The file is gone once somebody came, or after REDIRECT_SECONDS.
    """
    handle, path = tempfile.mkstemp(prefix="rg-memory-", suffix=".html")  # 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">')
        webbrowser.open(f"file://{path}")
        visited.wait(REDIRECT_SECONDS)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
