"""An answer says in plain sentences which legs voted, and of each other one why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rg_core.recall import vectors
from rg_core.recall.answer import Question
from rg_core.recall.render import render
from rg_core.recall.run import Setting, recall
from rg_core.store.sqlite.recall import RecallIndex
from tests.core.recall import cases

NAMES_NOTHING = "The question names nothing that has relations."
SETTING = Setting(cases.USER, [], cases.NOW, embed=vectors.embed)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[RecallIndex]:
    """An index of nothing."""
    index = RecallIndex(str(tmp_path / "recall.db"))
    yield index
    index.close()


def said(query: str, setting: Setting, *, as_of: str | None = None) -> list[str]:
    """The lines before the results."""
    full = replace(setting, searched=setting.searched or [cases.specifications().writer.index])
    return render(recall(Question(query, as_of), full)).split("\n")


def no_model(_: Sequence[str]) -> Any:
    """What embedding gives where the model does not load."""
    return None


@pytest.mark.parametrize(
    ("query", "setting", "sentences"),
    [
        ("what depends on SPEC-034", SETTING, "Voted: vectors, words, relations, recency."),
        ("signals", SETTING, f"Voted: vectors, words, recency. {NAMES_NOTHING}"),
        ("zzyzx", SETTING, f"Voted: vectors, recency. No text has the question's words. {NAMES_NOTHING}"),
        (
            "signals",
            replace(SETTING, embed=None),
            f"Voted: words, recency. Searched without vectors: rg-memory[vectors] is not installed. {NAMES_NOTHING}",
        ),
        (
            "signals",
            replace(SETTING, embed=no_model),
            "Voted: words, recency. Searched without vectors: their model does not load; install rg-memory[vectors] "
            f"again. {NAMES_NOTHING}",
        ),
        (
            "signals",
            replace(SETTING, legs=("lex",)),
            "Voted: words, recency. Vectors are switched off. Relations are switched off.",
        ),
    ],
)
def test_which_legs_voted(query: str, setting: Setting, sentences: str) -> None:
    assert sentences in said(query, setting)


def test_no_leg(empty: RecallIndex) -> None:
    nothing, legs = said("???", replace(SETTING, searched=[empty]))
    assert nothing == "Nothing in memory matches."
    assert legs == (
        "No leg voted. Searched without vectors: none are stored yet; they are made in the background. "
        f"The question has no words to search for. {NAMES_NOTHING}"
    )


def test_a_time_without_vectors() -> None:
    assert "Nothing that was asked for has vectors." in said("signals", SETTING, as_of="2020-01-01T00:00:00Z")[2]


def test_a_model_that_is_still_loading() -> None:
    answer = cases.specifications().writer.ask(Question("signals"), embed=False)
    assert (
        "Voted: words, recency. Searched without vectors: their model is still loading; ask again in a moment for them."
        in render(answer)
    )
