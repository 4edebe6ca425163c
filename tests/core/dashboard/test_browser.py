"""The pages in a real Chromium: every page, both themes, wide and narrow, by keyboard, without script, printed."""

from __future__ import annotations

import http.server
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Error

from rg_core import paths, times
from rg_core.config import set_values
from rg_core.store.model import Batch
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.touches.database import TouchLog
from tests.core.dashboard.browser import REBOUND, Watched, chromium, launched
from tests.core.dashboard.serving import Served, served
from tests.core.reading import samples
from tests.core.telemetry import facts
from tests.core.telemetry.worlds import load

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not chromium() and "RG_CI" not in os.environ, reason="no Chromium: apt-get install chromium"),
]
HERE = Path(__file__).parents[1] / "telemetry"
HARBOR, EXPECTED = HERE / "harbor.jsonl", json.loads((HERE / "expected.json").read_text("utf-8"))["harbor"]
PAGES = ("", "stored", "stored/github:o/r%231", "touches", "recalls/r01", "sessions/s1", "status",
         "forget?address=github:o/r%231", "stored/github:o/r%23999999")  # fmt: skip
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (1280, 390)
# axe's rules, each where it can find something new: contrast hangs on the theme, everything else on the width.
CONTRAST = ["color-contrast"]
CHECKS: dict[tuple[str, int], dict[str, Any]] = {
    ("light", 1280): {}, ("dark", 1280): {"runOnly": CONTRAST},
    ("light", 390): {"rules": {"color-contrast": {"enabled": False}}}, ("dark", 390): {"runOnly": CONTRAST},
}  # fmt: skip
REFUSED = "ERR_HTTP_RESPONSE_CODE_FAILURE"  # a refusal without a body
HOSTILE = "</title><script>alert(1)</script><style>*{display:none}</style><img src=x onerror=alert(2)>\u202egnp.exe"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as running:
        yield running


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    environ = _environ(tmp_path_factory.mktemp("home"))
    load(HARBOR, environ)
    with served(environ, "--days", "365") as running:
        yield running


def _environ(home: Path) -> dict[str, str]:
    own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data")}
    return os.environ | own


def opened(browser: Browser, served_: Served, **how: Any) -> tuple[BrowserContext, Watched]:
    context = browser.new_context(**how)
    return context, Watched(context.new_page(), served_.url.rsplit("/", 2)[0])


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_quiet_fits_and_can_be_read(browser: Browser, page: Served, path: str) -> None:
    context, watched = opened(browser, page)
    watched.page.goto(page.url + path)
    watched.page.evaluate(Axe().axe_script)
    for theme in THEMES:
        watched.page.emulate_media(color_scheme=theme)
        for width in WIDTHS:
            watched.page.set_viewport_size({"width": width, "height": 900})
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, (theme, width)
            sizes = watched.page.evaluate(SMALL_TEXT)
            assert min(sizes, default=99) >= 11, (theme, width)
            found = watched.page.evaluate(f"axe.run({json.dumps(CHECKS[theme, width])})")["violations"]
            assert not found, (theme, width, [(one["id"], one["nodes"][0]["html"][:200]) for one in found])
    assert [text for text in watched.complaints if "404" not in text] == []
    context.close()


SMALL_TEXT = """() => [...document.querySelectorAll('svg text')].map(text => {
    const size = parseFloat(getComputedStyle(text).fontSize), svg = text.ownerSVGElement;
    return size * svg.getBoundingClientRect().width / (svg.viewBox.baseVal.width || svg.getBoundingClientRect().width);
})"""


def test_the_numbers_of_the_page_are_the_panels(browser: Browser, tmp_path: Path) -> None:
    """Over exactly the world's time, as the file says it."""
    environ = _environ(tmp_path)
    load(HARBOR, environ)
    with served(environ, "--days", "3000") as page:
        context, watched = opened(browser, page)
        watched.page.goto(page.url + "panels.json")
        panels = json.loads(watched.page.inner_text("pre"))
        watched.page.goto(page.url)
        shown = watched.page.evaluate(
            "[...document.querySelectorAll('data[data-panel]')].map(d => [d.dataset.panel, d.dataset.key, d.value])"
        )
        context.close()
    assert set(EXPECTED) <= set(panels)
    for panel in ("hit_rate", "stale", "reads", "nudges"):
        keys = [key for key, value in panels[panel][0].items() if isinstance(value, int)]
        for key in keys:
            values = [float(value) for name, of, value in shown if (name, of) == (panel, key)]
            assert values == [row[key] for row in panels[panel]], (panel, key)
    for panel, key in (("missed", "misses"), ("never_cited", "shown"), ("top_cited", "sessions")):
        values = [float(value) for name, of, value in shown if (name, of) == (panel, key)]
        assert values == [row[key] for row in panels[panel][: len(values)]] != [], (panel, key)
    assert ["unserved", "unserved", str(panels["unserved"]["unserved"])] in shown
    assert ["lift-graph", "unexplained", str(panels["unexplained"]["recalls"])] in shown
    latest = panels["wraps"][::-1]
    for key in ("used", "requests"):
        values = [float(value) for name, of, value in shown if (name, of) == ("wraps", key)]
        assert values == [row[key] for row in latest[: len(values)]] != [], key
    for key, value in panels["tokens"].items():
        assert float(value) in [float(v) for name, of, v in shown if (name, of) == ("tokens", key)]


def test_the_whole_way_by_keyboard(browser: Browser, page: Served) -> None:
    context, watched = opened(browser, page)
    keys = watched.page.keyboard
    watched.page.goto(page.url)
    keys.press("Tab")
    assert watched.page.evaluate("document.activeElement.textContent") == "Skip to content"
    keys.press("s")
    watched.page.wait_for_url("**/stored")
    keys.press("j")
    focused = watched.page.evaluate("document.activeElement.href")
    assert "/stored/" in focused
    keys.press("Enter")
    watched.page.wait_for_url(focused)
    keys.press("/")
    watched.page.wait_for_url("**/stored")
    watched.page.wait_for_selector("input[type=search]")
    keys.press("/")
    assert watched.page.evaluate("document.activeElement.type") == "search"
    keys.press("Escape")
    watched.page.evaluate("document.activeElement.blur()")
    keys.press("?")
    assert watched.page.locator("dialog[open]").count() == 1
    keys.press("Escape")
    watched.page.wait_for_selector("dialog", state="hidden")
    keys.press("t")
    watched.page.wait_for_url("**/touches")
    keys.press("m")
    watched.page.wait_for_url(page.url)
    assert watched.complaints == []
    context.close()


def test_the_theme_button_switches_and_is_remembered(browser: Browser, page: Served) -> None:
    context, watched = opened(browser, page, color_scheme="light")
    watched.page.goto(page.url)
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = watched.page.evaluate(paper)
    watched.page.click("[data-theme-switch]")
    dark = watched.page.evaluate(paper)
    assert dark != light
    watched.page.goto(page.url + "stored")
    assert watched.page.evaluate(paper) == dark
    context.close()


def test_everything_works_without_script(browser: Browser, page: Served) -> None:
    context, watched = opened(browser, page, java_script_enabled=False)
    watched.page.goto(page.url)
    assert watched.page.locator("[data-theme-switch]").is_hidden()
    watched.page.select_option("select[name=agent]", index=1)
    watched.page.click("noscript button, .scope button >> nth=0")
    assert "agent=" in watched.page.url
    for path in PAGES:
        assert watched.page.goto(page.url + path)
        assert watched.page.locator("h1").count() == 1
    context.close()


def test_a_result_is_marked_from_its_page(browser: Browser, page: Served) -> None:
    context, watched = opened(browser, page)
    watched.page.goto(page.url + "recalls/r02")
    watched.page.click("table.results tbody tr:first-child button:has-text('Beside the point')")
    assert "oted: " in watched.page.inner_text("[role=status]")
    pressed = "table.results tbody tr:first-child button[aria-pressed=true]"
    assert "Beside the point" in watched.page.locator(pressed).all_inner_texts()
    assert watched.complaints == []
    context.close()


def test_it_prints_on_a_few_pages(browser: Browser, page: Served) -> None:
    context, watched = opened(browser, page)
    watched.page.goto(page.url)
    pdf = watched.page.pdf(format="A4", print_background=True)
    assert pdf[:5] == b"%PDF-"
    assert 1 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 5
    context.close()


def test_what_is_stored_cannot_do_anything(browser: Browser, tmp_path: Path) -> None:
    environ = _environ(tmp_path)
    set_values(environ, {"identity.user_id": "ada"})
    store = EmbeddedStore(paths.memory_file(environ))
    item = samples.item(title=HOSTILE, body=f"{HOSTILE}\n\n[x](javascript:alert(3))\n\n![p](https://evil.example/p.png)",
                        labels=(HOSTILE, "x" * 3_000), comments=(samples.comment(1, "w" * 100_000),))  # fmt: skip
    store.write(Batch(samples.AT, repositories=[samples.repository(readme=HOSTILE)], items=[item]))
    store.close()
    TouchLog(paths.outbox_file(environ)).record([])
    asked = replace(facts.recall(1), query=f"{HOSTILE} {'q' * 1_900}")
    facts.note(environ, "raaaaa", asked, facts.caller(user="ada"), times.now())
    with served(environ) as page:
        for width in WIDTHS:
            context, watched = opened(browser, page, viewport={"width": width, "height": 900})
            for path in ("", "stored", "stored/github:o/r%231", "stored/github:o/r", "stored?label=%3Cscript%3E",
                         "touches", "recalls/raaaaa", "sessions/s1"):  # fmt: skip
                watched.page.goto(page.url + path)
                assert "\u202e" not in watched.page.content()
                assert watched.page.locator("script:not([src])").count() == 0
                assert watched.page.locator("main img, main style, body > style").count() == 0
                assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert watched.complaints == []
            context.close()


def test_each_state_has_its_own_words(browser: Browser, tmp_path: Path) -> None:
    environ = _environ(tmp_path / "empty")
    set_values(environ, {"identity.user_id": "ada"})
    with served(environ) as page:
        context, watched = opened(browser, page)
        watched.page.goto(page.url)
        assert "Nothing explored yet" in watched.page.inner_text("main")
        assert "rg-memory dashboard --demo" in watched.page.inner_text("main")
        context.close()
    environ = _environ(tmp_path / "old")
    load(HARBOR, environ)
    with served(environ, "--days", "1") as page:
        context, watched = opened(browser, page)
        watched.page.goto(page.url)
        text = watched.page.inner_text("main")
        assert "The last event was on" in text
        assert "Look at a longer period" in text
        set_values(environ, {"telemetry.enabled": False})
        watched.page.reload()
        assert "Telemetry is off: rg-memory config set telemetry.enabled true" in watched.page.inner_text("main")
        Path(paths.memory_file(environ)).write_bytes(b"not a database, and long enough to be looked at" * 40)
        watched.page.goto(page.url + "stored")
        assert watched.page.locator(".notice").count() >= 1
        watched.page.goto(page.url + "touches")
        assert watched.page.locator("h1").count() == 1
        context.close()


def test_a_page_of_another_origin_gets_nothing(browser: Browser, page: Served) -> None:
    """One on another port of the same host: no reading, no frame, no form."""

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (
                f"<script>fetch('{page.url}').then(r => r.text()).then(t => document.title = 'GOT ' + t,"
                f" e => document.title = 'nothing')</script><iframe src='{page.url}'></iframe>"
                f"<form method=post action='{page.url}forget'><input name=address value='github:o/r#1'></form>"
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        context = browser.new_context()
        other = context.new_page()
        other.goto(f"http://127.0.0.1:{server.server_port}/")
        other.wait_for_function("document.title != ''")
        assert other.title() == "nothing"
        framed = next(frame for frame in other.frames if frame != other.main_frame)
        assert "Does memory pay" not in framed.content()
        with pytest.raises(Error, match=REFUSED), other.expect_navigation():
            other.evaluate("document.forms[0].submit()")
        context.close()
    finally:
        server.shutdown()
        server.server_close()


def test_a_name_that_was_made_to_lead_here_gets_nothing(browser: Browser, page: Served) -> None:
    context = browser.new_context()
    with pytest.raises(Error, match=REFUSED):
        context.new_page().goto(page.url.replace("127.0.0.1", REBOUND))
    context.close()
