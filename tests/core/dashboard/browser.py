"""A real Chromium, Debian's or the system's own; Playwright brings none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

REBOUND = "rebound.example"  # a foreign name that leads to this machine
FLAGS = [
    f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1", "--no-sandbox", "--disable-gpu", "--disable-quic",
    "--no-first-run",    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def chromium() -> str | None:
    """Where Chromium is."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page, and everything it said or asked for that it should not have."""

    def __init__(self, page: Page, own: str) -> None:
        self.page, self.complaints = page, list[str]()
        page.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: None if request.url.startswith(own)
                else self.complaints.append(f"request: {request.url}"))  # fmt: skip
