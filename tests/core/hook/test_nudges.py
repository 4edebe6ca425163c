"""A note is given only where memory keeps all that a call asks for, and not only what changes by the hour."""

import json
from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.address import of_call
from rg_core.hook.main import respond
from tests.core.hook.running import explored, identified, known, note, payload

ROWS, PIPED, ASKED = (
    [json.loads(line) for line in (Path(__file__).parent / name).read_text().splitlines()]
    for name in ("nudges.jsonl", "nudges_piped.jsonl", "nudges_asked.jsonl")
)
KNOWN = [
    known("github:o/r", title="About"),
    known("github:o/r#12", title="A change", comments=2),
    known("github:o/r#5", title="A fault", comments=3),
    known("github:o/r/issues?state=all", member_count=9, total_count=9),
    known("github:o/r/pulls?state=all", member_count=4, total_count=4),
]
MORE: list[tuple[str, Any, bool]] = [
    ("gh pr view 12 -R o/r --json state,title", None, True),
    ("gh pr view 12 -R o/r --json number,state", None, False),
    ("gh pr view 12 -R o/r --json state,updatedAt,merged", None, False),
    ("gh pr view 12 -R o/r --json nosuchfield", None, False),
    ("gh pr view 12 -R o/r --json title,author --jq '{title, by: .author.login}'", None, True),
    ("gh pr view 12 -R o/r --json commits --jq '.commits[].oid'", None, False),
    ("gh pr view 12 -R o/r --json files --jq '.files[] | .path, .additions'", None, False),
    ("gh pr view 12 -R o/r --json reviews --jq '.reviews[].body'", None, True),
    ("gh pr view 12 -R o/r --json labels --jq '.labels[].name'", None, True),
    ("gh pr view 12 -R o/r --json title -t '{{.title}}'", None, True),
    ("gh pr view 12 -R o/r --json $FIELDS", None, False),
    ("gh pr view 12 -R o/r && gh pr diff 12 -R o/r", None, False),
    ("gh issue list -R o/r --json number,title,labels,updatedAt", None, True),
    ("gh pr list -R o/r --json number,headRefName", None, False),
    ("gh pr list -R o/r --json state", None, False),
    ("gh repo view o/r --json description,pushedAt", None, True),
    ("gh repo view o/r --json pushedAt", None, False),
    ("gh api repos/o/r", None, True),
    ("gh api repos/o/r --jq '.stargazers_count'", None, False),
    ("gh api repos/o/r/readme", None, True),
    ("gh api repos/o/r/contents", None, False),
    ("gh api repos/o/r/issues/5 --jq .body", None, True),
    ("gh api repos/o/r/issues/5 --jq .state", None, False),
    ("gh api repos/o/r/issues/5 --jq .comments", None, False),
    ("gh api repos/o/r/issues/5/comments --jq '.[].body'", None, True),
    ("gh api repos/o/r/issues/5/comments --jq '.[].reactions'", None, False),
    ("gh api repos/o/r/issues/5/comments --jq length", None, False),
    ("gh api repos/o/r/issues/5/timeline", None, False),
    ("gh api repos/o/r/pulls/12 --jq '.head.sha'", None, False),
    ("gh api repos/o/r/pulls/12 --jq '.title, .base.ref'", None, True),
    ("gh api repos/o/r/pulls/12/files --jq '.[].filename'", None, True),
    ("gh api -H 'Accept: application/vnd.github.v3.diff' repos/o/r/pulls/12", None, False),
    ("gh api repos/o/r/pulls/12/reviews", None, False),
    ("curl -s https://api.github.com/repos/o/r/pulls/12/merge", None, False),
    ("curl -s https://api.github.com/repos/o/r/issues/5", None, True),
    ("curl -sL https://github.com/o/r/pull/12.patch", None, False),
    ("mcp__github__issue_read", {"method": "get_comments", "owner": "o", "repo": "r", "issue_number": 5}, True),
    ("mcp__github__issue_read", {"method": "get_sub_issues", "owner": "o", "repo": "r", "issue_number": 5}, False),
    ("mcp__github__pull_request_read", {"method": "get_files", "owner": "o", "repo": "r", "pullNumber": 12}, False),
    ("mcp__github__get_pull_request", {"owner": "o", "repo": "r", "pull_number": 12}, True),
    ("mcp__github__list_issues", {"owner": "o", "repo": "r"}, True),
    ("mcp__github__get_file_contents", {"owner": "o", "repo": "r", "path": "/"}, False),
    ("mcp__github__get_file_contents", {"owner": "o", "repo": "r", "path": "README.md"}, True),
    ("WebFetch", {"url": "https://github.com/o/r/pull/12/commits", "prompt": "x"}, False),
    ("WebFetch", {"url": "https://github.com/o/r/pull/12/checks", "prompt": "x"}, False),
    ("WebFetch", {"url": "https://github.com/o/r/issues/5#issuecomment-7", "prompt": "x"}, True),
]
GRAPHQL = [
    ('repository(owner:"o",name:"r"){ issue(number:5){ title body comments(first:9){nodes{body}} } }', True),
    ('repository(owner:"o",name:"r"){ pullRequest(number:12){ files(first:9){nodes{path}} title } }', True),
    ('repository(owner:"o",name:"r"){ pullRequest(number:12){ files(first:9){nodes{path additions}} } }', False),
    ('repository(owner:"o",name:"r"){ pullRequest(number:12){ mergeable } }', False),
    ('repository(owner:"o",name:"r"){ issue(number:5){ comments{totalCount} } }', False),
    ('repository(owner:"o",name:"r"){ issues(first:9){ nodes{number title} pageInfo{endCursor} } }', True),
    ('repository(owner:"o",name:"r"){ issues(first:9){ nodes{number reactions{totalCount}} } }', False),
    ('repository(owner:"o",name:"r"){ stargazerCount }', False),
    ('repository(owner:"o",name:"r"){ issues(states:OPEN){ totalCount } }', False),
]  # fmt: skip


def told(home: dict[str, str], tool: str, given: object, session: str = "new") -> str:
    call = payload("PreToolUse", tool_name=tool, tool_input=given, tool_use_id="t", session_id=session)
    return note(respond("claude_code", None, json.dumps(call).encode(), home)[0])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["input"].get("command", row["input"]))[:70])
def test_n11_a_nudge_only_where_memory_has_all_that_is_asked(home: dict[str, str], row: dict[str, Any]) -> None:
    identified(home).put_known(KNOWN)
    assert bool(told(home, row["tool"], row["input"])) == row["nudge"], row["why"]


@pytest.mark.parametrize("row", PIPED, ids=lambda row: str(row["input"]["command"])[-70:])
def test_n11_what_a_filter_or_a_pipe_leaves_is_what_is_asked(home: dict[str, str], row: dict[str, Any]) -> None:
    identified(home).put_known(KNOWN)
    assert bool(told(home, row["tool"], row["input"])) == row["nudge"], row["why"]


def test_n11_fields_and_pages_of_every_client(home: dict[str, str]) -> None:
    """What is stored and what is not, asked by gh, REST, GraphQL, GitHub's MCP server and pages; one session each."""
    identified(home).put_known(KNOWN)
    wrong = [
        row
        for number, row in enumerate(ASKED)
        if bool(told(home, row["tool"], row["input"], session=f"session {number}")) != row["nudge"]
    ]
    assert wrong == []


@pytest.mark.parametrize(("call", "given", "nudge"), MORE, ids=lambda value: str(value)[:70])
def test_n11_more_of_the_kind(home: dict[str, str], call: str, given: object, nudge: bool) -> None:
    identified(home).put_known(KNOWN)
    tool, given = (call, given) if given else ("Bash", {"command": call})
    assert bool(told(home, tool, given)) == nudge


@pytest.mark.parametrize(("query", "nudge"), GRAPHQL, ids=lambda value: str(value)[-60:])
def test_n11_graphql_by_what_it_selects(home: dict[str, str], query: str, nudge: bool) -> None:
    identified(home).put_known(KNOWN)
    assert bool(told(home, "Bash", {"command": f"gh api graphql -f query='{{ {query} }}'"})) == nudge


SEARCHES: list[tuple[str, Any]] = [
    ("Bash", {"command": "gh search issues --repo o/r 'memory leak' --json number,title"}),
    ("Bash", {"command": "gh issue list -R o/r --state all --search 'memory leak sort:updated' --limit 5"}),
    ("Bash", {"command": "gh search issues memory leak -R o/r --label bug"}),
    ("Bash", {"command": "gh api 'search/issues?q=memory+leak+repo:o/r+is:issue'"}),
    ("WebFetch", {"url": "https://github.com/o/r/issues?q=memory%20leak", "prompt": "x"}),
    ("mcp__github__search_issues", {"query": "memory leak repo:o/r", "perPage": 20}),
    ("mcp__github__search_issues", {"query": "memory leak", "owner": "o", "repo": "r"}),
]


@pytest.mark.parametrize(("tool", "given"), SEARCHES, ids=str)
def test_a_search_names_the_recall_that_searches_the_same_items(home: dict[str, str], tool: str, given: object) -> None:
    log = identified(home)
    log.put_known(KNOWN)
    line = told(home, tool, given)
    assert 'mcp__resources-graph__recall({"query": "memory leak", "repository": "o/r"})' in line
    assert "all 9 items of github:o/r/issues?state=all" in line
    assert "\n" not in line
    assert told(home, tool, given) == ""  # once per session
    assert explored(log)[0].startswith("github:o/r/issues?q=")  # a Touch as ever


def test_a_search_is_answered_from_memory_where_it_can_be(home: dict[str, str]) -> None:
    own = "github:o/r/issues?q=memory%20leak&state=all"
    identified(home).put_known([*KNOWN, known(own, order="best-match", member_count=2, total_count=2)])
    line = told(home, "Bash", {"command": "gh search issues -R o/r memory leak"})
    assert "resource({" in line
    assert "recall(" not in line


@pytest.mark.parametrize(
    "line",
    [
        "gh search issues memory leak",
        "gh search issues -R o/other memory leak",
        "gh search prs -R o/r --checks success",  # no words to look for
        "gh search issues -R o/r memory leak --json number,commentsCount",  # a count, which is not kept
        "gh search issues -R o/r leak --web",
    ],
)
def test_a_search_that_recall_cannot_stand_for_gets_no_nudge(home: dict[str, str], line: str) -> None:
    identified(home).put_known(KNOWN)
    assert told(home, "Bash", {"command": line}) == ""


def test_a_search_of_a_listing_that_is_not_complete_gets_no_nudge(home: dict[str, str]) -> None:
    cut = known("github:o/r/issues?state=all", member_count=9, total_count=30, complete=False)
    identified(home).put_known([cut, known("github:o/r/issues?label=bug&state=all", member_count=3, total_count=3)])
    assert told(home, "Bash", {"command": "gh search issues -R o/r leak"}) == ""
    assert "all 3 items" in told(home, "Bash", {"command": "gh issue list -R o/r -s all -l bug -S leak"})


def test_n11_the_touch_stays_as_it_is(home: dict[str, str]) -> None:
    log = identified(home)
    log.put_known(KNOWN)
    wanted = 0
    for number, row in enumerate(ROWS):
        call = payload("PreToolUse", tool_name=row["tool"], tool_input=row["input"], tool_use_id=f"t{number}")
        respond("claude_code", None, json.dumps(call).encode(), home)
        wanted += len(of_call(row["tool"], row["input"], "/", lambda directory: None, {}).addresses)
    assert len(explored(log)) == wanted > 30
    assert paths.data_dir(home) == log.data
