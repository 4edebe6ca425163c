from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from rg_core.cli import main as cli
from tests.core.address.table import found, rows

ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_row_yields_exactly_the_addresses_it_expects(row: dict[str, Any]) -> None:
    result = found(row)
    shown = [{"key": str(a), "limit": a.limit, "order": a.order} for a in result.addresses]
    assert [{name: got[name] for name in want} for got, want in zip(shown, row["expect"], strict=False)] == row[
        "expect"
    ]
    assert len(shown) == len(row["expect"]), (shown, result.why)


@pytest.mark.parametrize("row", [row for row in ROWS if not row["expect"]], ids=lambda row: row["id"])
def test_row_without_address_says_why(row: dict[str, Any]) -> None:
    assert found(row).why


def test_table_is_large_and_names_each_row_once() -> None:
    assert len(ROWS) >= 400
    assert len({row["id"] for row in ROWS}) == len(ROWS)


def test_explain_answers_every_line_in_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [row for row in ROWS if "environ" not in row]
    broken = [b"{bad", b"[1]", b"\xff\xfe", b"{}", b'{"tool": 1}', b'{"prompt": null}', b"[" * 100_000]
    text = b"\n".join([json.dumps(row).encode() for row in given] + broken)
    for name in ("GH_REPO", "GH_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert cli.main(["explain", "--jsonl"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(answers) == len(given) + len(broken)
    for row, answer in zip(given, answers, strict=False):
        assert [address["key"] for address in answer["addresses"]] == [want["key"] for want in row["expect"]], row["id"]
    for answer in answers[len(given) :]:
        assert answer["addresses"] == []
        assert answer["why"]


def test_explain_prints_kind_key_limit_and_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "--tool", "Bash", "--input", '{"command": "gh issue list -R a/b -L 5"}']) == 0
    assert json.loads(capsys.readouterr().out) == {
        "addresses": [{"kind": "issues", "key": "github:a/b/issues?state=open", "limit": 5, "order": "created-desc"}],
        "why": "",
    }
    assert cli.main(["explain", "--prompt", "see a/b#5"]) == 0
    assert json.loads(capsys.readouterr().out)["addresses"] == [
        {"kind": "item", "key": "github:a/b#5", "limit": None, "order": None}
    ]


def test_explain_refuses_input_that_is_not_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "--tool", "Bash", "--input", "{"]) == 1
    assert "--input is not JSON" in capsys.readouterr().err
    assert cli.main(["explain", "--tool", "Bash"]) == 1
    assert "add --input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("gh issue list -R a/b --author @me", "a different person for each user"),
        ("gh pr list -R a/b -m v1", "gh has no -m on pr list"),
        ("gh pr list -R a/b --milestone v1", "gh has no --milestone on pr list"),
        ("gh issue view 5 -R a/b --web", "opens a browser"),
        ("gh issue view 5", "working directory"),
        ("gh issue view 5 -R ghe.example.com/a/b", "not github.com"),
        ("gh issue close 5 -R a/b", "writes"),
        ("gh issue list -R a/b -L 0", "refuses the limit"),
        ("gh api repos/a/b/issues -f title=x", "--method GET"),
        ("gh issue view $N -R a/b", "depends on the shell"),
        ("gh pr list -R a/b --draft", "no search text"),
        ("echo 'unclosed", "cannot be read"),
        ("xargs gh issue view", "depends on its input"),
    ],
)
def test_why_names_the_reason(command: str, why: str) -> None:
    assert why in found({"tool": "Bash", "input": {"command": command}}).why
