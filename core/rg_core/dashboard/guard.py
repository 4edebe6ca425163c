"""Who may speak to the dashboard: pure decisions over a request's head, and the headers of every answer.

Everything else on this machine, and every page in the person's browser, can send requests to a port of the loopback.
The token in the path keeps other programs and users out; Host keeps rebound names out; Origin and Sec-Fetch-Site keep
other pages out, those on another port of the same host included.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

Headers = Sequence[tuple[bytes, bytes]]  # names in lower case, as ASGI gives them
METHODS = frozenset({"GET", "HEAD", "POST"})
BODY_BYTES = 16_384
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'none'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS: Headers = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer, Chromium 156 posts our own forms with `Origin: null`
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def refusal(method: str, headers: Headers, port: int) -> int | None:
    """The status with which a request is refused before anything of it is looked at; None: it may go on.

    Args:
        method: in upper case.
        headers: all of them, repeated ones included.
        port: the one that is listened on.
    """
    names = (f"127.0.0.1:{port}", f"localhost:{port}")
    if method not in METHODS:
        return 405
    if _all(headers, b"host") not in [[name] for name in names]:
        return 403
    origins = _all(headers, b"origin")
    if origins and origins not in [[f"http://{name}"] for name in names]:
        return 403
    if method == "POST" and not origins:
        return 403
    if not _same_site(headers):
        return 403
    return None


def admitted(path: str, token: str) -> str | None:
    """What follows the token in a path, with its leading slash; None where the token is another or missing."""
    first, slash, rest = path.removeprefix("/").partition("/")
    if not path.startswith("/") or not hmac.compare_digest(first.encode("utf-8", "replace"), token.encode()):
        return None
    return f"/{rest}" if slash else ""


def _same_site(headers: Headers) -> bool:
    """Whether the page that asks is ours, or the person followed a link to here from wherever it stood."""
    site = _all(headers, b"sec-fetch-site")
    if not site or site in (["none"], ["same-origin"]):
        return True
    followed = _all(headers, b"sec-fetch-mode") == ["navigate"] and _all(headers, b"sec-fetch-dest") == ["document"]
    return site == ["cross-site"] and followed


def _all(headers: Headers, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in headers if name == wanted]
