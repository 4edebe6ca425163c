"""The class of a query, and whether, and in which direction, it asks for relations: the one rule list. Pure.

Whole words or beginnings of words, English, any case. The class is for telemetry's panels; of what recall does, only
the successor rule and `recall.class_weights` look at it.
"""

from __future__ import annotations

import re
from typing import Literal

Direction = Literal["in", "out", ""]

RULES = (
    (
        "decision",
        r"\bwhy\b|\brational|\breasons?\b|\bdeci(de|sion)|\btrade-?offs?\b|\balternatives?\b|\bpros and cons\b|"
        r"\b(choose|chose|chosen|choice)\b|\breject|\bruled out\b|\bapprov|\bagreed?\b|\bconsensus\b|\bjustif|"
        r"\bmotivat|\bconvinced\b|\bargument|\bpolicy\b|\bADR (on|about|for)\b|\bshould (we|i|the|it|an?)\b|"
        r"\bconsidered\b|\binstead of\b|\brather than\b",
    ),
    (
        "historical",
        r"\bhistor|\bpreviou|\bbefore\b|\bearlier\b|\boriginal|\borigin\b|\bold(er)?\b|\blegacy\b|\bused to\b|"
        r"\bback (in|when|then)\b|\bin the past\b|\bago\b|\b(has|have) \S+( \S+)? (evolved|changed)|\bevolv|"
        r"\btimeline\b|\bwhen (did|was|were)\b|\b(how|what|who|which|where)\b.{0,30}\b(did|was|were|had)\b|"
        r"\b(what|which|who) \S*( \S+)? ?(changed|happened|introduced|removed|broke|added)\b|\bchanges\b|\bregress|"
        r"\bsince\b|\blast (time|year|quarter|month|week)\b|\bfirst (time|version|idea|attempt|added|fix|proposal)|"
        r"\bwas there\b|\bever\b|\bpredecessor|\b(19|20)\d\d\b|\boutage\b|\bdid any",
    ),
    (
        "current_state",
        r"\b(still|current(ly)?|now|today|latest|newest|recent|nowadays|these days|"
        r"at the moment|right now|yet|present(ly)?|up[- ]to[- ]date|so far)\b|"
        r"\bstatus\b|\bstate of\b|^(is|are|has|have|does|do|can|may)\b|"
        r"\b(open|closed|pending) (bugs?|issues?|questions?|prs?|pull requests?|reviews?|tasks?)\b|\bunresolved\b|"
        r"\bremain|\btodos?\b|\bprogress\b|\bactive\b|\bdefault\b|\bsupported\b|\bdeployed\b|\bavailable\b|\bexists?\b",
    ),
    (
        "architectural",
        r"\bdepend|\bdependenc|\barchitect|\bdesign|\bstructure|\bcomponents?\b|\bmodules?\b|\blayers?\b|"
        r"\binterfaces?\b|\bboundar|\bconnect(s|ed|ions?)?\b|\b(data|control) ?flow\b|\bdiagram\b|\bschemas?\b|"
        r"\brelat(ed|es|ion|ionship)|\brefer(s|ences?)\b|\bimplement|\bextends?\b|\bsupersed|\bupstream|\bdownstream|"
        r"\binvariant|\bcontracts?\b|\bprotocols?\b|\bprerequisite|\brequires?\b|\bbreaks? if\b|\bport(s|ed|ing)?\b|"
        r"\bwhich \S+ (call|use|consume|read|write|own)|\bowns?\b|\bhow (does|do|is|are)\b|\bworks?\b|\bsits\b|"
        r"\bconsum|\bcalls?\b|\bwhere (is|are|do|does)\b|\bplan(ning)?\b|\bbuild(s|ing)? on\b|"
        r"\bwhat happens (when|if)\b|\bstate machine\b",
    ),
)
PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in RULES)
RELATION = re.compile(
    r"\bdepend|\brequires?\b|\bprerequisite|\bupstream|\bdownstream|\brelat(ed|es|ion)|\brefer(s|ence)|\bimplement|"
    r"\bextends?\b|\bsupersede|\breplace[sd]?\b|\bbuil(t|ds?) on\b|\bbased on\b|\bblock(s|ed by)\b|\bbreaks? if\b|"
    r"\baffect|\bimpact|\bport(ing)?\b|\binvariant|\bcontracts?\b|\bplan(ning)?\b|\bcloses?\b|\bfix(es|ed)\b",
    re.IGNORECASE,
)
# What stands behind an entity asks for its incoming edges ("what depends on SPEC-034"), what it stands on for its
# outgoing ones ("what does SPEC-054 need"). Tried in this order; "" is no direction.
DIRECTION: tuple[tuple[Direction, re.Pattern[str]], ...] = (
    (
        "in",
        re.compile(
            r"\b(what|who|which|that)\b(?!\s+(does|do|did|is|are|was|were)\b)(\s+\w+){0,2}?\s+"
            r"(depends?|builds?|rel(y|ies)|uses?|requires?|needs?|implements?|extends?|consumes?|calls?)\b|"
            r"\b(what|which)\b(\s+\w+)?\s+(is|are)\s+(built|based) (up)?on\b|\bdepending (up)?on\b|"
            r"\b(anything|everything|all|specs|specifications|texts|documents) (built|based) (up)?on\b|"
            r"\baffect(ed|s)? by\b|\bimpact(ed)? (by|of)\b|\bdepend[ae]nts?\b|\bdownstream\b|\bbreaks? if\b|"
            r"\b(users|consumers|callers) of\b|\b(used|required|needed|extended|implemented) by\b",
            re.IGNORECASE,
        ),
    ),
    (
        "out",
        re.compile(
            r"\b(what|which)\b.{0,40}?\b(does|do|did)\b.{0,60}?\b(need|depend|require|rely|use|build|extend|implement)\b|"
            r"\bprerequisites?\b|\bdependenc(y|ies) of\b|\bbuil(t|ds?) (up)?on\b|\bbased on\b|\bupstream\b|"
            r"\b(depends|relies) (up)?on what\b|'s (dependenc|prerequisite)|"
            r"\b(depends|relies|builds) (up)?on\W*$|\bneeds\W*$",
            re.IGNORECASE,
        ),
    ),
)


def query_class(query: str, as_of: str | None = None) -> str:
    """decision, historical, current_state, architectural or other. `as_of` asks for the past, whatever the words."""
    if as_of:
        return "historical"
    return next((name for name, pattern in PATTERNS if pattern.search(query)), "other")


def direction(query: str) -> Direction:
    """Which edges of what it names a query asks for: "in", "out", or "" for both."""
    return next((way for way, pattern in DIRECTION if pattern.search(query)), "")


def asks_relations(query: str) -> bool:
    """Whether the graph leg weighs more: the query has a relation word or a direction."""
    return bool(RELATION.search(query) or direction(query))
