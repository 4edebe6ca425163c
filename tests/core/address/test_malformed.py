"""What is malformed names nothing: an address that climbs, an argument that is something else than it should be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rg_core.address import of_argument, of_call, of_prompt


def call(tool: str, **arguments: Any) -> list[str]:
    return [str(address) for address in of_call(tool, arguments, "", lambda _: None, {}).addresses]


def shell(command: str) -> list[str]:
    return call("Bash", command=command)


climbs = st.sampled_from(["..", ".", "%2e%2e", "%2E.", ".%2e", "%2e", "..%2f..", "..%5c.."])


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/a/b/issues/1/../../../../user", "https://github.com/a/b/../../c/d",
        "https://api.github.com/repos/a/b/issues/1/../../../../user", "https://github.com/a/b/./issues/1",
        "https://github.com/a/b/issues/1/%2e%2e/2", "https://api.github.com/repos/a/b/%2E%2E/c",
        "https://github.com/a/b/issues/1/..%2f..%2fc",
    ],
)  # fmt: skip
def test_s12_an_address_that_climbs_is_none(url: str) -> None:
    assert of_argument(url).addresses == ()
    assert of_prompt(f"see {url} please").addresses == ()
    assert shell(f"curl {url}") == []
    assert call("WebFetch", url=url) == []
    assert shell(f"gh api {url.partition('.com/')[2]}") == []


@given(climbs, st.integers(0, 3), st.sampled_from(["https://github.com/a/b", "https://api.github.com/repos/a/b"]))
def test_s12_no_climbing_step_anywhere_in_a_path(step: str, at: int, base: str) -> None:
    parts = ["issues", "1", "comments"]
    parts.insert(at, step)
    assert of_argument(f"{base}/{'/'.join(parts)}").addresses == ()
    assert of_prompt(f"see {base}/{'/'.join(parts)}").addresses == ()


@pytest.mark.parametrize(
    "text",
    ["a/b#1/../2", "a/b/issues/1/../../c", "a/b/pull/1/./files", "a/b/issues/1/%2e%2e/2", "../a/b#1"],
)
def test_s12_neither_does_one_without_a_host(text: str) -> None:
    assert of_argument(text).addresses == ()


LABELS = "github:acme/widget/issues?label=bug&state=open"


@pytest.mark.parametrize("labels", [["bug"], "bug", '["bug"]', ' [ "bug" ] ', '"bug"'])
def test_env09_a_list_of_names_as_text_is_that_list(labels: object) -> None:
    found = call("mcp__github__list_issues", owner="acme", repo="widget", state="open", labels=labels, page="1")
    assert found == [LABELS]


@pytest.mark.parametrize("labels", ['["bug"', '{"name": "bug"}', "[1]", [["bug"]], {"name": "bug"}, 7, '[["bug"]]'])
def test_env09_labels_that_are_no_names_give_no_address(labels: object) -> None:
    assert call("mcp__github__list_issues", owner="acme", repo="widget", state="OPEN", labels=labels) == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_issues", {"state": ["open"]}),
        ("list_issues", {"state": '["open"]'}),
        ("list_pull_requests", {"state": {"is": "open"}}),
        ("list_pull_requests", {"sort": ["created"]}),
        ("search_issues", {"query": "x", "sort": ["created"]}),
        ("issue_read", {"issue_number": "[5]", "method": "get"}),
        ("get_file_contents", {"path": ["README.md"]}),
        ("get_file_contents", {"path": "README.md", "ref": ["other"]}),
    ],
)
def test_env09_an_argument_of_another_kind_gives_no_address(tool: str, arguments: dict[str, object]) -> None:
    assert call(f"mcp__github__{tool}", owner="acme", repo="widget", **arguments) == []


def test_env09_search_text_may_begin_with_a_bracket() -> None:
    assert call("mcp__github__search_issues", owner="acme", repo="widget", query="[Bug] crash") == [
        "github:acme/widget/issues?q=%5BBug%5D%20crash&state=all"
    ]
