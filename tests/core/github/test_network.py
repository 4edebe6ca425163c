"""The way to GitHub: proxies and certificates of the environment, and a token that is never sent in clear text."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rg_core.github.client import Client
from rg_core.github.errors import GitHubError, Misconfigured, Unauthorized, Unreachable
from tests.core.sweep.bench import Clock
from tests.github_standin.samples import small_world
from tests.github_standin.server import TOKEN, Standin

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def ask(url: str, token: str = "") -> int:
    clock = Clock()
    client = Client(url, token, clock=clock, sleep=clock.sleep)
    try:
        return client.get("/repos/acme/widgets").status
    finally:
        client.close()


@pytest.mark.parametrize("url", ["http://api.github.com", "http://10.0.0.1:8080", "http://127.0.0.1.example"])
def test_s11_a_token_is_not_sent_in_clear_text(url: str) -> None:
    with pytest.raises(Misconfigured, match="unencrypted") as caught:
        ask(url, TOKEN)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost", "ftp://localhost", "https://", "not a url", ""])
def test_s11_what_is_no_url_is_said(url: str) -> None:
    with pytest.raises(Misconfigured, match=r"rg-memory config set github\.api_url"):
        ask(url)


def test_s11_a_password_in_a_url_is_masked() -> None:
    for url in ("http://ada:geheim@127.0.0.1:9", "https://ada:geheim@name.invalid", "foo://ada:geheim@name.invalid"):
        with pytest.raises((Unreachable, Misconfigured)) as caught:
            ask(url)
        assert "geheim" not in str(caught.value)
        assert "name.invalid" in str(caught.value) or "127.0.0.1:9" in str(caught.value)


def test_s09_a_401_says_whether_there_was_a_token() -> None:
    with Standin(small_world()) as github:
        github.fail("unauthorized", times=2)
        for token in ("", TOKEN):
            with pytest.raises(Unauthorized) as caught:
                ask(github.url, token)
            assert caught.value.with_token == bool(token)


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[str]:
    """What stands where GitHub's API should be: its URL."""

    class Handler(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline()
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "location", "advice"),
    [
        (200, b"<html>please log in</html>", "", "login page"),
        (302, b"", "https://login.example/", "login page"),
        (404, b"nginx", "", "login page"),
        (407, b"{}", "", "http://USER:PASSWORD@HOST:PORT"),
    ],
)
def test_s09_advice_fits_what_answers_in_githubs_place(status: int, body: bytes, location: str, advice: str) -> None:
    more = {"Location": location} if location else {}
    with answering(status, body, **more) as url, pytest.raises(GitHubError) as caught:
        ask(url)
    assert advice in f"{caught.value.what}; {caught.value.todo}"


def test_s09_a_token_that_may_not_read_is_told_from_a_limit() -> None:
    clock = Clock()
    with answering(403, b'{"message": "Resource protected by organization SAML enforcement"}') as url:
        client = Client(url, TOKEN, clock=clock, sleep=clock.sleep)
        with pytest.raises(GitHubError, match="SAML") as caught:
            client.graphql("{ viewer { login } }", {})
        client.close()
    assert "see that the token may read public content" in caught.value.todo


def test_env04_certificates_that_cannot_be_read_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent/ca.pem")
    with pytest.raises(Misconfigured, match=r"SSL_CERT_FILE names /nonexistent/ca\.pem"):
        ask("https://api.invalid")


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("HTTPS_PROXY", "http://no.such.host.invalid:3128", "HTTPS_PROXY http://no.such.host.invalid:3128"),
        ("https_proxy", "http://ada:geheim@127.0.0.1:9", r"https_proxy http://\*\*\*@127.0.0.1:9"),
        ("ALL_PROXY", "socks5://127.0.0.1:9", "ALL_PROXY socks5://127.0.0.1:9"),
        ("ALL_PROXY", "foo://127.0.0.1:9", "ALL_PROXY foo://127.0.0.1:9"),
    ],
)
def test_env04_a_proxy_that_does_not_work_is_named(
    variable: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises((Unreachable, Misconfigured), match=words) as caught:
        ask("https://api.invalid")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("value", ["socks5://127.0.0.1:9", "http://127.0.0.1:9", "foo://127.0.0.1:9"])
def test_env04_this_machine_is_asked_without_a_proxy(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, value)
    with Standin(small_world()) as github:
        assert ask(github.url, TOKEN) == 200


def test_env04_a_socks_proxy_works(monkeypatch: pytest.MonkeyPatch) -> None:
    with Standin(small_world()) as github, socks(github.url) as (proxy, asked):
        monkeypatch.setenv("ALL_PROXY", proxy)
        assert ask("http://api.invalid") == 200
    assert asked == ["api.invalid"]


@contextmanager
def socks(onward: str) -> Iterator[tuple[str, list[str]]]:
    """A SOCKS 5 proxy for one connection, which leads to `onward` whatever is asked for."""
    asked: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        near, _ = server.accept()
        with near, socket.create_connection(("127.0.0.1", int(onward.rpartition(":")[2]))) as far:
            near.recv(2 + near.recv(2, socket.MSG_PEEK)[1])
            near.sendall(b"\x05\x00")
            head = near.recv(5)
            asked.append(near.recv(head[4]).decode())
            near.recv(2)
            near.sendall(b"\x05\x00\x00\x01" + bytes(6))
            back = threading.Thread(target=_pump, args=(far, near))
            back.start()
            _pump(near, far)
            back.join()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"socks5://127.0.0.1:{server.getsockname()[1]}", asked
    thread.join()
    server.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)
