"""Whatever the input: nothing raises, keys round-trip, work is bounded, and the hook's bytes test lets it through."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.address import Found, of_argument, of_call, of_prompt
from rg_core.address.model import Address
from rg_core.hook.relevance import may_concern
from tests.core.address.table import found, rows

REMOTES = {"origin": "git@github.com:o/r.git"}
FRAGMENTS = [
    "gh", "issue", "view", "list", "5", "-R", "a/b", "--search", "api", "graphql", "repos/a/b/issues/5", "search",
    "curl", "https://github.com/a/b/issues/5", "https://api.github.com/repos/a/b", "?state=all", "-X", "POST", "-f",
    "'", '"', "`", "$(", ")", "${", "}", "((", "))", "{", "[[", "]]", "<<EOF\n", "EOF\n", "\n", ";", "&&", "||", "|",
    "if", "then", "fi", "for i in", "do", "done", "case x in", "esac", "x=", "\\", "#", "<(", ">", "2>&1", "$x", "*",
    "bash -c", "env", "sudo -u", "timeout", "cd", "export", "eval", " ", "\t", "\0", "é", "。", "\ud800", "@me",
    "&", "label:", "%{", "repo:a/b", "is:pr",
    "| jq", "--jq", ".[] | select(.state)", "\\(.x", "{{.x}}", "| grep", "'\"state\"'", "| python3 -c", "['x']",
    "OR", "(", "a/b#5", "**", "github:a/b#5", "foreach ($i in 1,2) {", "@'\n", "'@", "$env:X=",
]  # fmt: skip
soup = st.lists(st.sampled_from(FRAGMENTS), max_size=30).flatmap(
    lambda parts: st.sampled_from(["", " "]).map(lambda glue: glue.join(parts))
)
text = st.one_of(soup, st.text(max_size=60))
names = st.sampled_from(
    ["Bash", "powershell", "WebFetch", "mcp__github__list_issues", "mcp__github__search_issues", "issue_read", "webrun"]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), text),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(text, inner, max_size=3)),
    max_leaves=8,
)
KEYS = """command cmd cwd url urls open uri owner repo issue_number pullNumber state labels query q page perPage after
sort order orderBy direction path ref method tool_name tool_input arguments toolName"""
arguments = st.dictionaries(st.sampled_from(KEYS.split()), values, max_size=8)


def none(directory: str) -> None:
    """No checkout."""


def checked(result: Found) -> None:
    for address in result.addresses:
        assert Address.parse(str(address)) == address
    assert result.addresses or result.why
    json.dumps(result.why)


@settings(max_examples=150)
@given(text)
def test_any_text_is_read_as_command_prompt_and_argument(content: str) -> None:
    checked(of_call("Bash", {"command": content}, "/work", lambda directory: REMOTES, {}))
    checked(of_call("powershell", {"command": content}, "/work", lambda directory: REMOTES, {}))
    checked(of_prompt(content))
    checked(of_argument(content))


@settings(max_examples=150)
@given(st.one_of(names, text), st.one_of(arguments, values))
def test_any_json_is_read_as_a_tool_call(tool: str, content: Any) -> None:
    checked(of_call(tool, content, "", lambda directory: None, {}))


@settings(max_examples=100)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=6), st.sampled_from(["gh issue list -R a/b ", "gh api ", "gh "]))
def test_any_gh_words_are_read(words: list[str], command: str) -> None:
    checked(of_call("shell", {"command": [*command.split(), *words]}, "/w", lambda directory: REMOTES, {}))


filters = st.text(max_size=20)


@settings(max_examples=150)
@given(
    st.sampled_from(["issues", "pulls"]),
    st.sampled_from(["a/b", "A/B.c", "*", "x_y/-"]),
    st.sampled_from(["", "open", "closed", "all"]),
    st.lists(filters, max_size=4),
    filters, filters, filters, filters,
)  # fmt: skip
def test_every_listing_that_can_be_built_round_trips(
    kind: Any, repository: str, state: str, labels: list[str], author: str, assignee: str, milestone: str, q: str
) -> None:
    try:
        address = Address(
            kind, repository, state=state, labels=labels, author=author, assignee=assignee, milestone=milestone, q=q
        )
    except ValueError:
        return
    assert Address.parse(str(address)) == address
    assert str(Address.parse(str(address))) == str(address)


@settings(max_examples=100)
@given(st.one_of(text, text.map(lambda tail: "github:" + tail)))
def test_parse_takes_canonical_keys_only(key: str) -> None:
    try:
        address = Address.parse(key)
    except ValueError:
        return
    assert str(address) == key


@pytest.mark.parametrize("row", [row for row in rows() if row["expect"]], ids=lambda row: row["id"])
def test_whatever_yields_an_address_passes_the_bytes_test_of_the_hook(row: dict[str, Any]) -> None:
    if row["id"].startswith("given") or "address" in row or not found(row).addresses:
        return
    content = {"prompt": row["prompt"]} if "prompt" in row else {"tool_name": row["tool"], "tool_input": row["input"]}
    payload = {"session_id": "s", "hook_event_name": "PreToolUse"} | content
    assert may_concern(json.dumps(payload).encode())
    assert may_concern(json.dumps(payload, ensure_ascii=False).encode())


@settings(max_examples=150)
@given(text)
def test_generated_calls_that_yield_an_address_pass_the_bytes_test_of_the_hook(content: str) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": content}}
    if of_call("Bash", call["tool_input"], "/work", lambda directory: REMOTES, {}).addresses:
        assert may_concern(json.dumps(call).encode())
    if of_prompt(content).addresses:
        assert may_concern(json.dumps({"prompt": content}).encode())


MEGABYTE = 1_000_000
VIEW = "gh issue view 5 -R a/b"
SHELL = ["'a'", "$(", "$((", '"$(', "`", "((", "{a,b}", "<<A ", "A=$A$A;", "${", "env ", "bash -c '", "*?[", VIEW + ";"]
POWERSHELL = ["gh ", "'a'", "$(", "1,2 | % {", "@'\n", "#\n", "$a='b';", "$"]
PROMPT = [
    "a",
    "a/b#",
    "a/b#1 ",
    "https://github.com/a/b/issues/5,",
    "http://",
    "www.",
    "_",
    "https://github.com/a/b?q=)",
]
SEARCH = ['"a,', 'label:"a b" (', "label:a OR "]


def bash(command: str) -> Found:
    return of_call("Bash", {"command": command}, "", lambda directory: None, {})


def argv(*words: str) -> Found:
    return of_call("shell", {"command": list(words)}, "", lambda directory: None, {})


FILTER = ["(", '"\\(', ".a,", "select(", "{{", "#", "{a,", "$a"]
FORMS: dict[str, tuple[list[str], Callable[[str], Found]]] = {
    "bash": (SHELL, lambda blob: bash(VIEW + "\n" + blob)),
    "quoted": (["$(", "`", '\\"'], lambda blob: bash('"' + blob)),
    "here-document": (["$(", "x " + VIEW + "\n"], lambda blob: bash(f"cat <<E\n{blob}\nE\n{VIEW}")),
    "labels": (SEARCH, lambda blob: argv("gh", "issue", "list", "-R", "a/b", "-l", blob)),
    "search": (SEARCH, lambda blob: argv("gh", "search", "issues", blob)),
    "graphql": (["{a", '"""', "a(", '\\"', "#\n"], lambda blob: argv("gh", "api", "graphql", "-f", "query={" + blob)),
    "filter": (FILTER, lambda blob: argv("gh", "api", "repos/a/b/issues/5", "--jq", blob)),
    "pipe": (
        [" | jq .a", " | jq '", " | grep '[", " | python3 -c '", " | node -e '", " | sed -n '", f" | {VIEW}", " | x"],
        lambda blob: bash(f"{VIEW}{blob}'"),
    ),
    "powershell": (POWERSHELL, lambda blob: of_call("powershell", {"command": blob}, "", lambda directory: None, {})),
    "prompt": (PROMPT, of_prompt),
    "argument": (PROMPT, of_argument),
    "url": (["a/", "a=b&"], lambda blob: of_call("WebFetch", {"url": "https://github.com/a/b?" + blob}, "", none, {})),
    "tool": (["a", "mcp__"], lambda blob: of_call(blob, {"query": blob, "owner": blob}, "", none, {})),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_megabyte_of_anything_is_bounded_work(form: str) -> None:
    """A bound no slow machine meets by chance: each is some milliseconds of work, unbounded it would be minutes."""
    patterns, read = FORMS[form]
    for pattern in patterns:
        blob = (pattern * (MEGABYTE // len(pattern) + 1))[:MEGABYTE]
        before = time.process_time()
        checked(read(blob))
        assert time.process_time() - before < 2, pattern


@pytest.mark.parametrize(
    "command",
    [
        "A=aaaaaaaaaa;" + "A=$A$A$A$A$A$A$A$A;" * 60 + "gh $A",
        "for a in {1..200}; do for b in {1..200}; do for c in {1..200}; do " + VIEW + "; done; done; done",
        f"{VIEW} | " * 900 + "cat",
        "for i in " + "5 " * 100_000 + "; do " + VIEW + "; done",
        "".join(f"v{n}=1;" for n in range(2000)) + "(a);" * 20_000,
        "gh api graphql -f query='{...A} "
        + "".join(f"fragment {chr(65 + n)} on X {{...{chr(66 + n)} ...{chr(66 + n)}}} " for n in range(24))
        + "'",
    ],
    ids=["doubling variable", "nested loops", "many pipes", "long loop", "many subshells", "doubling fragments"],
)
def test_small_texts_that_multiply_are_bounded_work(command: str) -> None:
    before = time.process_time()
    checked(of_call("Bash", {"command": command}, "", lambda directory: None, {}))
    assert time.process_time() - before < 2


def test_what_stands_before_the_bound_still_counts() -> None:
    command = VIEW + "\n" + "echo x\n" * 100_000
    assert [str(a) for a in of_call("Bash", {"command": command}, "", lambda d: None, {}).addresses] == ["github:a/b#5"]
