"""Which assets an agent gets, in which form, under a token budget, and why every other one is left out. Pure.

Rank is lexicographic, not a weighted sum: required, priority, relevance, confidence, newest, id. So each step can be
told in one clause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rg_core.assets import text
from rg_core.assets.access import decide
from rg_core.assets.errors import invalid, no_identity
from rg_core.assets.model import TYPES, Asset, Binding, Identity, Version
from rg_core.assets.words import relevance, terms

LEAST, MOST, USUAL = 64, 32768, 2048  # tokens
UNBOUND = ("relevant", "all", "none")
SPECIFIC = {kind: place for place, kind in enumerate(("task", "agent", "framework"))}
BOUND_MODE = {"skill": "direct", "chat_memory": "summary", "llm_wiki": "reference", "code_graph": "tool"}
UNBOUND_MODE = {**BOUND_MODE, "skill": "summary"}
SHRINKS = {"direct": ("direct", "summary", "reference"), "summary": ("summary", "reference")}


@dataclass(frozen=True, slots=True)
class LoadoutRequest:
    """What is asked for, beside who asks."""

    now: str
    query: str = ""
    budget: int = USUAL
    types: tuple[str, ...] | None = None
    unbound: str = "relevant"
    bodies: bool = True  # False: direct counts as summary

    def check(self) -> None:
        """See that every part is one of those there are.

        Raises:
            Refused: invalid, naming the part.
        """
        if type(self.budget) is not int or not LEAST <= self.budget <= MOST:
            raise invalid("budget", f"a whole number of tokens from {LEAST} to {MOST}")
        if self.unbound not in UNBOUND:
            raise invalid("unbound", f"one of {', '.join(UNBOUND)}")
        if self.types is not None and not set(self.types) <= set(TYPES):
            raise invalid("types", f"of {', '.join(TYPES)}")


@dataclass(frozen=True, slots=True)
class Selected:
    """An asset of a loadout."""

    asset: Asset
    mode: str
    asked_mode: str
    required: bool
    priority: int
    relevance: int
    binding: str | None
    form: str  # the finished form, with the frame's word still to come

    def json(self) -> dict[str, Any]:
        """The row as commands print it."""
        version = self.asset.effective
        assert version
        return {"id": self.asset.id, "version": version.n, "mode": self.mode, "asked_mode": self.asked_mode,
                "required": self.required, "priority": self.priority, "relevance": self.relevance,
                "confidence": self.asset.policy.confidence, "bytes": text.size(self.form), "binding": self.binding,
                "annotations": self.annotations()}  # fmt: skip

    def annotations(self) -> dict[str, Any]:
        """MCP's annotations: for whom, how important, how old."""
        assert self.asset.effective
        priority = 1.0 if self.required else self.priority / 1000
        return {"audience": ["assistant"], "priority": priority, "lastModified": self.asset.effective.at}


@dataclass(frozen=True, slots=True)
class Loadout:
    """The assets chosen, and every readable one that was not with its reason, by id."""

    project: str
    budget: int
    selected: tuple[Selected, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict)
    missing_required: tuple[str, ...] = ()

    def text(self) -> str:
        """The text for the model; "" where nothing is selected."""
        return text.finished(self.project, [row.form for row in self.selected])

    def tokens(self) -> int:
        """What the text is estimated to take."""
        return text.tokens(_size(self.project, [row.form for row in self.selected]))

    def json(self) -> dict[str, Any]:
        """The loadout as commands print it."""
        return {"selected": [row.json() for row in self.selected],
                "excluded": [{"id": left, "reason": reason} for left, reason in sorted(self.excluded.items())],
                "missing_required": list(self.missing_required), "complete": not self.missing_required,
                "tokens_used": self.tokens(), "token_budget": self.budget}  # fmt: skip


class _Wanted(NamedTuple):
    """An asset that is wanted, if it fits."""

    asset: Asset
    version: Version
    binding: Binding | None
    relevance: int
    mode: str

    @property
    def required(self) -> bool:
        return self.binding is not None and self.binding.required

    @property
    def priority(self) -> int:
        given = self.binding.priority if self.binding else None
        return self.asset.policy.priority if given is None else given

    def rank(self) -> tuple[bool, int, int, int, str]:
        return self.required, self.priority, self.relevance, self.asset.policy.confidence, self.version.at


def choose(
    assets: Iterable[Asset],
    who: Identity,
    ask: LoadoutRequest,
    body: Callable[[Asset], str | None] = lambda asset: asset.effective.content.body if asset.effective else None,
) -> Loadout:
    """The loadout of an identity.

    Args:
        assets: all that there are; those that may not be read are passed over and leave no trace.
        who: the identity.
        ask: query, budget and so on.
        body: the whole body of an asset's effective version, asked only where it may be shown; None where it is kept
            elsewhere.

    Raises:
        Refused: no_identity, invalid.
    """
    if not who.user:
        raise no_identity()
    ask.check()
    query = terms(ask.query)
    excluded: dict[str, str] = {}
    wanted: list[_Wanted] = []
    for asset in assets:
        if not decide(asset, who, "read").allowed:
            continue
        found = _considered(asset, who, ask, query)
        if isinstance(found, str):
            excluded[asset.id] = found
        else:
            wanted.append(found)
    wanted.sort(key=lambda one: one.asset.id)
    wanted.sort(key=_Wanted.rank, reverse=True)
    selected: list[Selected] = []
    missing: list[str] = []
    used = text.size(text.head(who.project))
    for one in wanted:
        mode, form = _fitting(one, body, text.room(ask.budget) - used)
        if form:
            used += text.size(form)
            bound = one.binding.target if one.binding else None
            selected.append(Selected(one.asset, mode, one.mode, one.required, one.priority, one.relevance, bound, form))
            continue
        excluded[one.asset.id] = "over_budget"
        if one.required:
            missing.append(one.asset.id)
    return Loadout(who.project, ask.budget, tuple(selected), excluded, tuple(missing))


def _considered(asset: Asset, who: Identity, ask: LoadoutRequest, query: set[str]) -> _Wanted | str:
    """The asset as a candidate, or the first reason why it is none."""
    version, policy = asset.effective, asset.policy
    if ask.types is not None and asset.type not in ask.types:
        return "type_not_requested"
    if version is None:
        return f"not_approved:{asset.head.status}"
    if policy.expires_at is not None and policy.expires_at <= ask.now:
        return "expired"
    if policy.acl and not (use := decide(asset, who, "use")).allowed:  # without entries, who may read may use
        return f"no_use:{use.reason}"
    binding = None
    if policy.bindings:
        matching = [bound for bound in policy.bindings if bound.target in who.subjects]
        enabled = [bound for bound in matching if bound.enabled]
        if not enabled:
            return "binding_disabled" if matching else "bound_elsewhere"
        binding = min(enabled, key=_specific) if len(enabled) > 1 else enabled[0]
    elif ask.unbound == "none":
        return "unbound_not_asked"
    content = version.content
    found = relevance(query, (content.name, content.description, *content.labels))
    if binding is None and ask.unbound == "relevant" and not found:
        return "not_relevant"
    return _Wanted(asset, version, binding, found, _mode(asset, binding, ask.bodies))


def _specific(binding: Binding) -> tuple[bool, int]:
    return not binding.required, SPECIFIC[binding.target.partition(":")[0]]


def _mode(asset: Asset, binding: Binding | None, bodies: bool) -> str:
    mode = (binding.mode or BOUND_MODE[asset.type]) if binding else UNBOUND_MODE[asset.type]
    return mode if bodies or mode != "direct" else "summary"


def _fitting(one: _Wanted, body: Callable[[Asset], str | None], room: int) -> tuple[str, str]:
    """The first of the mode's forms that fits into so many bytes, and its mode; "" where none does."""
    for mode in SHRINKS.get(one.mode, (one.mode,)):
        if text.least(one.asset, mode) > room:
            continue
        whole = body(one.asset) if mode == "direct" else ""
        if whole is None:  # it is kept elsewhere
            continue
        form = text.form(one.asset, mode, whole)
        if text.size(form) <= room:
            return mode, form
    return "", ""


def _size(project: str, forms: Sequence[str]) -> int:
    return text.size(text.head(project)) + sum(map(text.size, forms)) if forms else 0
