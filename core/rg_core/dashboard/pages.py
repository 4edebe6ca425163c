"""Facts and views -> HTML. Pure: no file, no store, no request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rg_core.dashboard import memory, sentences, words
from rg_core.dashboard.explored import Group, RecallView, SessionView, TouchesView
from rg_core.dashboard.markdown import visible
from rg_core.dashboard.memory import MemoryFacts, Span
from rg_core.dashboard.stored import Difference, ForgetView, History, ItemView, ListingView, StoredView
from rg_core.nouns import counted


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page stands in."""

    base: str  # where the pages are: /TOKEN
    user: str

    def link(self, address: str) -> str:
        """The page of a stored resource or listing."""
        return f"{self.base}/stored/{quote(address, safe=':/')}"

    def recall_link(self, id: str) -> str:
        """The page of a recall."""
        return f"{self.base}/recalls/{id}"


def memory_page(frame: Frame, facts: MemoryFacts) -> str:
    """The Memory page."""
    return _render("memory.html", frame, "/", **_memory(frame, facts))


def counting_page(frame: Frame, asked: Span, groups: Sequence[Group]) -> str:
    """What stands in the Memory page's place while it is counted; it asks for that page once more by itself."""
    query = _query(asked)
    time = "a year" if asked.days == 365 else f"{asked.days} days"
    renewed = f"{frame.base}/?{query(renewed=1)}"
    return _render("counting.html", frame, "/", **_scope(asked), time=time, renewed=renewed, groups=groups)


def report_page(frame: Frame, facts: MemoryFacts, style: str, policy: str, note: str) -> str:
    """The Memory page as one file, without navigation; `policy` must allow exactly this style."""
    shown = _memory(frame, facts) | {"longer": ""}
    safe = Markup(style)  # noqa: S704 - our own stylesheet
    return _render("report.html", frame, "/", **shown, style=safe, policy=policy, note=note)


def _memory(frame: Frame, facts: MemoryFacts) -> dict[str, object]:
    longer = next((days for days, _ in memory.RANGES if days > facts.days), None)
    return {
        **_scope(facts), "v": memory.view(facts), "listed": memory.LISTED,
        "title": lambda address: memory.title(facts, address),
        "longer": f"{frame.base}/?{_query(facts)(days=longer)}" if longer and facts.last else "",
    }  # fmt: skip


def _scope(asked: Span) -> dict[str, object]:
    """The bar of time, agent and project."""
    return {"facts": asked, "ranges": memory.RANGES, "query": _query(asked)}


def _query(asked: Span) -> Callable[..., str]:
    """Makes the query of the same question with something changed."""
    same = {"days": str(asked.days), "agent": asked.agent, "project": asked.project}

    def query(**changed: object) -> str:
        return urlencode({key: value for key, value in (same | changed).items() if value})

    return query


@dataclass(frozen=True, slots=True)
class StatusView:
    """What `rg-memory status` says, and what the doctor said; None: it was not asked."""

    facts: Sequence[tuple[str, str]]
    doctor: str | None


# A view's template, and where in the navigation it stands.
VIEWS: Mapping[type, tuple[str, str]] = {
    StoredView: ("stored.html", "/stored"),
    ItemView: ("item.html", "/stored"),
    ListingView: ("listing.html", "/stored"),
    History: ("history.html", "/stored"),
    Difference: ("diff.html", "/stored"),
    ForgetView: ("forget.html", "/stored"),
    TouchesView: ("touches.html", "/touches"),
    SessionView: ("session.html", "/touches"),
    RecallView: ("recall.html", "/touches"),
    StatusView: ("status.html", "/status"),
}


def view_page(frame: Frame, view: object) -> str:
    """The page of a view: whatever is asked for that is not the Memory page."""
    template, here = VIEWS[type(view)]
    return _render(template, frame, here, v=view)


def message_page(frame: Frame, here: str, heading: str, lines: Sequence[str] = (), commands: Sequence[str] = ()) -> str:
    """A page that only says something: nothing recorded yet, not stored, switched off."""
    return _render("message.html", frame, here, heading=heading, lines=lines, commands=commands)


def _render(template: str, frame: Frame, here: str, **facts: object) -> str:
    made = _environment().get_template(template)
    return made.render(base=frame.base, user=frame.user, here=here, link=frame.link, **facts)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("rg_core.dashboard"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=lambda value: visible(value) if type(value) is str else value,
    )  # fmt: skip
    helpers: Mapping[str, object] = {"words": words, "sentences": sentences, "counted": counted}
    made.globals.update(helpers)
    return made
