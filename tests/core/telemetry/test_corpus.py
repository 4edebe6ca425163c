"""Over recall's own corpus: what is recorded of its answers, fused again, explains every one of them."""

from __future__ import annotations

from rg_core import paths, times
from rg_core.recall.fusion import LEGS, order
from rg_core.telemetry import cite
from rg_core.telemetry.log import EventLog
from rg_core.telemetry.panels import PanelScope, asking
from rg_core.telemetry.recalled import tell
from tests.core.recall import cases
from tests.core.recall.test_cases import ROWS
from tests.core.telemetry import facts

ASKED = [row for row in ROWS if row["kind"] == "recall" and row.get("corpus", "specs") == "specs"]
CLASSED = [row for row in ROWS if row["kind"] == "class"]  # questions of every class, about nothing in particular


def test_every_recall_of_the_corpus_is_explained(home: dict[str, str]) -> None:
    facts.begin(home)
    files = (paths.telemetry_file(home), paths.outbox_file(home))
    events, asker = EventLog(files[0]), cases.specifications().asker
    answers = {}
    for row in (*ASKED, *CLASSED):
        answer = asker.ask(cases.question(row), now=cases.NOW)
        name = tell(events, facts.caller(), answer, lambda name: name, took_ms=1.0, shown=len(answer.results))
        if answer.results:
            answers[name] = answer
            cite.cite(*files, cite.request([1, len(answer.results)], "cited", name), facts.caller(), times.now(),
                      find=str)  # fmt: skip
    events.close()
    assert len(answers) >= len(ASKED)
    with asking(*files, PanelScope(facts.ME)) as question:
        panels = question.panels()
    assert panels["unexplained"] == {"recalls": 0}
    assert sum(row["recalls"] for row in panels["hit_rate"] if row["used"]) >= len(ASKED)
    assert all(row["results"] for row in panels["lift"] if row["leg"] in ("lex", "graph"))

    kept = facts.rows(home, "recall_candidate")
    for name, answer in answers.items():
        weights = {leg: one.weight for leg, one in answer.legs.items()}
        how = (weights, answer.k, answer.half_life_days, answer.query_class)
        mine = [row for row in kept if row["recall_id"] == name]
        for without in ("", *LEGS):
            shown = len(answer.results)
            assert order(mine, *how, without)[:shown] == order(answer.candidates, *how, without)[:shown]
