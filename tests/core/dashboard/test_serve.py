"""The running server, over raw sockets: who gets in, what every answer carries, what it writes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.dashboard.guard import ALWAYS
from tests.core.dashboard.serving import COMMAND, Served, served
from tests.core.telemetry.worlds import load

HARBOR = Path(__file__).parents[1] / "telemetry" / "harbor.jsonl"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home that holds the harbor world, its times moved to where `--days` finds them."""
    home = tmp_path_factory.mktemp("home")
    environ = os.environ | {
        "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
    }  # fmt: skip
    load(HARBOR, environ)
    return environ


@pytest.fixture(scope="module")
def page(world: dict[str, str]) -> Iterator[Served]:
    with served(world, "--days", "365") as running:
        yield running


def asked(page: Served, method: str, path: str, *headers: str, body: bytes = b"") -> tuple[int, dict[str, str], str]:
    """Send exactly these lines; status, headers and body of the answer."""
    head = "\r\n".join([f"{method} {path} HTTP/1.1", *headers, "Connection: close", "", ""]).encode()
    with socket.create_connection(("127.0.0.1", page.port), timeout=60) as wire:
        wire.sendall(head + body)
        answer = b"".join(iter(lambda: wire.recv(65_536), b""))
    top, _, rest = answer.partition(b"\r\n\r\n")
    lines = top.decode("latin-1").split("\r\n")
    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    return int(lines[0].split()[1]), fields, rest.decode("utf-8", "replace")


def get(page: Served, path: str, *headers: str) -> tuple[int, dict[str, str], str]:
    return asked(page, "GET", f"/{page.token}{path}", f"Host: 127.0.0.1:{page.port}", *headers)


def post(page: Served, path: str, form: str) -> tuple[int, dict[str, str], str]:
    own = (f"Host: 127.0.0.1:{page.port}", f"Origin: http://127.0.0.1:{page.port}", f"Content-Length: {len(form)}",
           "Content-Type: application/x-www-form-urlencoded")  # fmt: skip
    return asked(page, "POST", f"/{page.token}{path}", *own, body=form.encode())


def test_every_page_answers_with_the_policy(page: Served) -> None:
    for path in (
        "/",
        "/stored",
        "/touches",
        "/recalls/r01",
        "/sessions/s1",
        "/status",
        "/panels.json",
        "/static/style.css",
    ):
        status, headers, _ = get(page, path)
        assert status == 200, path
        assert headers.items() >= {name.decode(): value.decode() for name, value in ALWAYS}.items(), path
        assert "server" not in headers
        assert "set-cookie" not in headers


@pytest.mark.parametrize(
    "path",
    ["/", "/wrong/", "/{token}x/", "/{upper}/", "/static/style.css", "/{token}/static/../../../config.py",
     "/{token}/static/%2e%2e/guard.py", "/{token}/static/..%2fguard.py", "//{token}/", "/{token}/nothing"],
)  # fmt: skip
def test_without_the_token_or_beside_the_pages_there_is_nothing(page: Served, path: str) -> None:
    path = path.format(token=page.token, upper=page.token.swapcase())
    status, _, body = asked(page, "GET", path, f"Host: 127.0.0.1:{page.port}")
    assert status == 404
    assert "def " not in body


@pytest.mark.parametrize(
    ("status", "method", "headers"),
    [
        (403, "GET", ("Host: evil.example",)),
        (400, "GET", ("Host: 127.0.0.1:{port}", "Host: 127.0.0.1:{port}")),  # the server's own word
        (403, "GET", ("Host: 127.0.0.1:{port}.",)),
        (403, "GET", ("Host: [::1]:{port}",)),
        (403, "GET", ("Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:1")),
        (403, "GET", ("Host: 127.0.0.1:{port}", "Sec-Fetch-Site: cross-site")),
        (403, "POST", ("Host: 127.0.0.1:{port}", "Content-Length: 0")),
        (403, "POST", ("Host: 127.0.0.1:{port}", "Origin: null", "Content-Length: 0")),
        (405, "DELETE", ("Host: 127.0.0.1:{port}",)),
        (200, "GET", ("Host: localhost:{port}", "Sec-Fetch-Site: none")),
        (200, "HEAD", ("Host: 127.0.0.1:{port}",)),
    ],
)
def test_the_guard_on_the_wire(page: Served, status: int, method: str, headers: tuple[str, ...]) -> None:
    lines = [line.format(port=page.port) for line in headers]
    assert asked(page, method, f"/{page.token}/", *lines)[0] == status


def test_only_the_loopback_listens(page: Served) -> None:
    listening = Path("/proc/net/tcp")
    if not listening.exists():
        pytest.skip("no /proc/net/tcp here")
    port = f"{page.port:04X}"
    local = [line.split()[1] for line in listening.read_text().splitlines()[1:] if line.split()[3] == "0A"]
    assert [address for address in local if address.endswith(f":{port}")] == [f"0100007F:{port}"]


def test_the_address_is_in_no_process_list(page: Served) -> None:
    shown = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True, check=False).stdout
    if not shown:
        pytest.skip("no ps here")
    assert page.token not in shown


def test_a_large_form_is_not_read(page: Served) -> None:
    assert post(page, "/forget", "address=" + "x" * 40_000)[0] in (400, 500, 503)
    assert get(page, "/")[0] == 200


def test_marking_a_result_is_what_cite_notes(page: Served, world: dict[str, str]) -> None:
    status, _, body = get(page, "/recalls/r01.json")
    row = json.loads(body)["rows"][0]
    assert status == 200
    status, _, html = post(page, "/recalls/r01", f"memory={row['memory_id']}&kind=flagged_stale")
    assert status == 200
    assert "oted: " in html
    said = json.loads(get(page, "/recalls/r01.json")[2])["rows"][0]
    assert "out of date" in said["said"]
    assert post(page, "/recalls/r01", "memory=nonsense&kind=cited")[0] == 503
    assert post(page, "/recalls/r01", f"memory={row['memory_id']}&kind=nonsense")[0] == 503


def test_forgetting_says_what_goes_and_then_it_is_gone(home: dict[str, str]) -> None:
    load(HARBOR, home)
    with served(home) as page:
        address = json.loads(get(page, "/stored.json")[2])["rows"][0]["address"]
        link = address.replace("#", "%23")
        assert "This cannot be undone" in get(page, f"/forget?address={link}")[2]
        assert get(page, f"/stored/{link}")[0] == 200
        assert "Removed" in post(page, "/forget", f"address={link}")[2]
        assert get(page, f"/stored/{link}")[0] == 404


def test_another_identity_sees_nothing(home: dict[str, str]) -> None:
    load(HARBOR, home)
    with served(home, "--days", "365") as page:
        assert "Does memory pay" in get(page, "/")[2]
        config = Path(paths.config_file(home))
        config.write_text(config.read_text().replace('"ada"', '"eve"'))
        for path in ("/", "/touches", "/recalls/r01", "/sessions/s1"):
            status, _, body = get(page, path)
            assert status == 503
            assert "another one now" in body
            assert "harbor#" not in body


def test_the_other_user_of_the_world_is_nowhere(page: Served) -> None:
    rows = [json.loads(line) for line in HARBOR.read_text().splitlines()]
    mine = {row.get("session") for row in rows if row.get("user") == "ada"}
    theirs = {row[key] for row in rows if row.get("user") not in (None, "ada") for key in ("id", "session", "query")
              if row.get(key)} - mine  # fmt: skip
    assert theirs
    everything = "".join(get(page, path)[2] for path in ("/", "/touches", "/stored", "/panels.json", "/status"))
    assert not [word for word in theirs if f">{word}<" in everything or f'"{word}"' in everything]
    assert all(get(page, f"/recalls/{word}")[0] == 404 for word in theirs if str(word).startswith("r"))


def test_a_port_that_is_taken_is_said(page: Served, home: dict[str, str]) -> None:
    load(HARBOR, home)
    with (
        pytest.raises(AssertionError, match=f"cannot listen on 127.0.0.1:{page.port}"),
        served(home, "--port", str(page.port)),
    ):
        pass


def test_the_file_opens_without_a_server(world: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    words = [*COMMAND, "--out", str(file), "--days", "365"]
    subprocess.run(words, env=world, check=True, capture_output=True)
    html = file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert "<script" not in html
    assert 'href="/' not in html
    assert 'src="' not in html
    assert "Last sessions" not in html
    subprocess.run([*words, "--with-queries"], env=world, check=True, capture_output=True)
    assert "Last sessions" in file.read_text("utf-8")


def test_search_is_recall_s_own_and_leaves_no_event(page: Served) -> None:
    before = json.loads(get(page, "/panels.json")[2])["hit_rate"]
    rows = json.loads(get(page, "/stored.json?q=o%2Fr%2359")[2])["rows"]
    assert rows[0]["address"] == "github:o/r#59"
    assert json.loads(get(page, "/stored.json?q=%28%22%20AND%20NOT")[2])["trouble"] == []
    assert json.loads(get(page, "/panels.json")[2])["hit_rate"] == before
