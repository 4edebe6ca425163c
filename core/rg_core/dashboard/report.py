"""The Memory page as one file: opens from disk, asks nobody, runs nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rg_core import times
from rg_core.config import write_text
from rg_core.dashboard import pages, words
from rg_core.dashboard.facts import Source

STATIC = Path(__file__).parent / "static"


def write(path: str, environ: Mapping[str, str], days: int, *, queries: bool) -> None:
    """Write the report of the user whom config.toml names, mode 0600.

    Sessions are left out unless `queries`: they say what was worked on when.

    Raises:
        UserError: without an identity, or if the file cannot be written.
    """
    source = Source(environ)
    facts = source.memory(days, "", "")
    shown = facts if queries else replace(facts, sessions=())
    left_out = "" if queries else " Left out: sessions, and what was asked."
    note = f"Written {words.clock(times.now())} UTC by {source.user}.{left_out}"
    style = (STATIC / "style.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    html = pages.report_page(pages.Frame("", source.user), shown, style, policy, note)
    write_text(path, without_links(html))


def without_links(html: str) -> str:
    """Links to the server's pages as text: there is no server where this is read."""
    return re.sub(r'<a href="/[^"]*"[^>]*>(.*?)</a>', r"<span>\1</span>", html, flags=re.DOTALL)
