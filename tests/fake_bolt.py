"""A server that speaks just enough Bolt 5.0 to refuse a password, or to advertise an address of its own network."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from typing import Any

HELLO, ROUTE, SUCCESS, FAILURE = 0x01, 0x66, 0x70, 0x7F
VERSION = bytes((0, 0, 0, 5))


class FakeBolt:
    """`with FakeBolt({HELLO: (FAILURE, {...})}) as server: ... server.port`."""

    def __init__(self, answers: Mapping[int, tuple[int, Any]]) -> None:
        """What is answered to each kind of message; other messages get an empty success."""
        self.answers = answers
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> FakeBolt:
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with client, client.makefile("rb") as file:
            file.read(20)
            client.sendall(VERSION)
            while size := int.from_bytes(file.read(2), "big"):
                message = file.read(size)
                file.read(2)
                kind, content = self.answers.get(message[1], (SUCCESS, {"server": "Neo4j/5.26.0"}))
                body = bytes((0xB1, kind)) + packed(content)
                client.sendall(len(body).to_bytes(2, "big") + body + b"\0\0")


def packed(value: Any) -> bytes:
    """A value in PackStream."""
    if isinstance(value, str):
        raw = value.encode()
        return bytes((0xD0, len(raw))) + raw
    if isinstance(value, int):
        return b"\xc9" + value.to_bytes(2, "big", signed=True)
    if isinstance(value, list):
        return bytes((0x90 + len(value),)) + b"".join(map(packed, value))
    return bytes((0xA0 + len(value),)) + b"".join(packed(key) + packed(inner) for key, inner in value.items())
