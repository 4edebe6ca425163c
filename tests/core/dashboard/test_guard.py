"""Who may speak to the page: every row of a table of request heads, and the path's token."""

from __future__ import annotations

import pytest

from rg_core.dashboard.guard import ALWAYS, admitted, refusal

PORT = 8765
HOST = (b"host", b"127.0.0.1:8765")
OWN = (b"origin", b"http://127.0.0.1:8765")
FOLLOWED = ((b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"navigate"), (b"sec-fetch-dest", b"document"))

HEADS = [
    (None, "GET", (HOST,)),
    (None, "HEAD", ((b"host", b"localhost:8765"),)),
    (None, "POST", (HOST, OWN)),
    (None, "POST", ((b"host", b"localhost:8765"), (b"origin", b"http://localhost:8765"))),
    (None, "GET", (HOST, (b"sec-fetch-site", b"none"))),
    (None, "GET", (HOST, (b"sec-fetch-site", b"same-origin"))),
    (None, "GET", (HOST, *FOLLOWED)),
    (405, "PUT", (HOST, OWN)),
    (405, "OPTIONS", (HOST, OWN)),
    (405, "CONNECT", (HOST,)),
    (403, "GET", ()),
    (403, "GET", (HOST, HOST)),
    (403, "GET", ((b"host", b"127.0.0.1"),)),
    (403, "GET", ((b"host", b"127.0.0.1:8766"),)),
    (403, "GET", ((b"host", b"127.0.0.1:8765."),)),
    (403, "GET", ((b"host", b"localhost.:8765"),)),
    (403, "GET", ((b"host", b"LOCALHOST:8765"),)),
    (403, "GET", ((b"host", b"localhost.evil.example:8765"),)),
    (403, "GET", ((b"host", b"evil-localhost:8765"),)),
    (403, "GET", ((b"host", b"[::1]:8765"),)),
    (403, "GET", ((b"host", b"rebound.example:8765"),)),
    (403, "GET", ((b"host", b"127.0.0.1:8765@evil.example"),)),
    (403, "POST", (HOST,)),
    (403, "POST", (HOST, OWN, OWN)),
    (403, "POST", (HOST, (b"origin", b"null"))),
    (403, "POST", (HOST, (b"origin", b"http://127.0.0.1:9999"))),
    (403, "POST", (HOST, (b"origin", b"https://127.0.0.1:8765"))),
    (403, "POST", (HOST, (b"origin", b"http://127.0.0.1:8765.evil.example"))),
    (403, "POST", (HOST, (b"origin", b"http://localhost.evil.example:8765"))),
    (403, "GET", (HOST, (b"origin", b"http://evil.example"))),
    (403, "GET", (HOST, (b"sec-fetch-site", b"same-site"))),
    (403, "GET", (HOST, (b"sec-fetch-site", b"cross-site"))),
    (403, "GET", (HOST, (b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"no-cors"))),
    (403, "GET", (HOST, *FOLLOWED[:2], (b"sec-fetch-dest", b"iframe"))),
    (403, "GET", (HOST, (b"sec-fetch-site", b"none"), (b"sec-fetch-site", b"cross-site"))),
]


@pytest.mark.parametrize(("status", "method", "headers"), HEADS)
def test_a_head(status: int | None, method: str, headers: tuple[tuple[bytes, bytes], ...]) -> None:
    assert refusal(method, headers, PORT) == status


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("/Tok-en_1/", "/"),
        ("/Tok-en_1", ""),
        ("/Tok-en_1/stored/github:o/r#1", "/stored/github:o/r#1"),
        ("/", None),
        ("", None),
        ("Tok-en_1/", None),
        ("//Tok-en_1/", None),
        ("/tok-en_1/", None),
        ("/Tok-en_/", None),
        ("/Tok-en_11/", None),
        ("/Tok-en%5f1/", None),
        ("/x/Tok-en_1/", None),
        ("/\ud800/", None),
    ],
)
def test_the_token_is_the_first_part_of_the_path(path: str, rest: str | None) -> None:
    assert admitted(path, "Tok-en_1") == rest


def test_every_answer_forbids_scripts_of_others_and_requests_to_anywhere() -> None:
    policy = dict(ALWAYS)[b"content-security-policy"].decode()
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
