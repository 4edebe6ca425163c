from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets.imports.chat import TURN, WHOLE
from rg_core.assets.imports.masking import masker
from rg_core.config import set_values

Run = Callable[..., Any]
SAMPLES = Path(__file__).parent / "transcripts"
PROMPT = "MAIN-TASK: look at https://github.com/o/prompted/issues/9"


def laid(harness: str, home: Path, directory: Path) -> None:
    """Put a harness's sample files where the program would, as if held in `directory`."""

    def put(sample: str, path: str) -> None:
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (SAMPLES / harness / sample).read_text("utf-8").replace("/home/dev/project", str(directory))
        target.write_text(text, "utf-8")

    match harness:
        case "claude_code":
            folder = "".join(letter if letter.isalnum() else "-" for letter in str(directory))
            put("session.jsonl", f".claude/projects/{folder}/s1.jsonl")
            put("subagent.jsonl", f".claude/projects/{folder}/s1/subagents/agent-a.jsonl")
            put("subagent.jsonl", f".claude/projects/{folder}/s2.jsonl")
        case "codex":
            put("rollout.jsonl", f".codex/sessions/2026/12/01/rollout-2026-12-01T00-00-00-{'a' * 36}.jsonl")
            put("rollout-subagent.jsonl", f".codex/sessions/2026/12/01/rollout-2026-12-01T00-00-00-{'b' * 36}.jsonl")
        case "copilot":
            put("events.jsonl", ".copilot/session-state/s1/events.jsonl")
        case "grok":
            for suffix in ("", "-subagent"):
                put(f"chat_history{suffix}.jsonl", f".grok/sessions/x/s{suffix}/chat_history.jsonl")
                put(f"summary{suffix}.json", f".grok/sessions/x/s{suffix}/summary.json")
        case "opencode":
            opencode(Path(os.environ["XDG_DATA_HOME"]) / "opencode" / "opencode.db", directory)
        case "cursor":
            cursor(home, directory, "s1")


def opencode(path: Path, directory: Path) -> None:
    """The sample's rows in a database; what it cut of a person's message is put back: the role."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    for line in (SAMPLES / "opencode" / "opencode.db.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        table = row.pop("table")
        if "sql" in row:
            db.execute(row["sql"])
            continue
        if table == "message" and row["data"].startswith("["):
            row["data"] = '{"role": "user"}'
        if "directory" in row:
            row["directory"] = str(directory)
        marks = ", ".join("?" * len(row))
        db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    db.commit()
    db.close()


def cursor(home: Path, directory: Path, session: str) -> None:
    slug = "".join(letter if letter.isalnum() else "-" for letter in str(directory)).strip("-")
    path = home / f".cursor/projects/{slug}/agent-transcripts/{session}/{session}.jsonl"
    path.parent.mkdir(parents=True)
    said = [
        ("user", [{"type": "text", "text": f"<system>no</system>\n<user_query>\n{PROMPT}\n</user_query>"}]),
        ("assistant", [{"type": "tool_use", "name": "Shell", "input": {}}, {"type": "text", "text": "done"}]),
    ]
    path.write_text(
        "".join(json.dumps({"role": role, "message": {"content": content}}) + "\n" for role, content in said), "utf-8"
    )
    (path.parent / "subagents").mkdir()
    shutil.copy(SAMPLES / "cursor" / "sdk-subagent.jsonl", path.parent / "subagents" / "x.jsonl")


HARNESSES = ["claude_code", "codex", "copilot", "cursor", "grok", "opencode"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_prompt_and_answer_and_nothing_else(run: Run, harbor: Path, harness: str) -> None:
    laid(harness, Path(os.environ["HOME"]), harbor.resolve())
    seen = run("import", "chat", "--dry-run")
    assert (seen["new"], run("list")) == (1, [])
    done = run("import", "chat", "--harness", harness)
    assert (done["new"], done["failed"]) == (1, [])
    assert ("warnings" in done["assets"][0]) is (harness == "opencode")  # long values of that sample are cut off
    shown = run("show", done["assets"][0]["id"])
    content = shown["content"]
    said = [line for line in content["body"].splitlines() if line and not line.startswith("### ")]
    prompt = f'"{PROMPT}"' if harness == "opencode" else PROMPT  # it keeps the command line's quotes
    assert said == [prompt, "done"]
    heads = [line.split()[1] for line in content["body"].splitlines() if line.startswith("### ")]
    assert heads == ["person", "assistant"]
    assert (content["name"], shown["status"], shown["visibility"]) == (prompt, "candidate", "private")
    assert shown["provenance"]["program"].startswith(harness)
    assert sum(content["payload"]["tools"].values()) >= 1
    assert "FETCHED" not in json.dumps(shown)
    assert "SUB-TASK" not in json.dumps(shown)
    again = run("import", "chat")
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, 1)


@pytest.mark.parametrize("harness", HARNESSES)
def test_conversations_of_other_directories_stay_where_they_are(
    run: Run, harbor: Path, tmp_path: Path, harness: str
) -> None:
    laid(harness, Path(os.environ["HOME"]), tmp_path / "harbor-2")
    done = run("import", "chat")
    assert (done["assets"], done["failed"]) == ([], [])


def claude(harbor: Path, *rows: dict[str, Any], session: str = "s1") -> Path:
    folder = "".join(letter if letter.isalnum() else "-" for letter in str(harbor.resolve()))
    path = Path(os.environ["HOME"], f".claude/projects/{folder}/{session}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    common = {"cwd": str(harbor.resolve()), "version": "2.1.332", "timestamp": "2026-12-01T00:00:00.000Z"}
    path.write_text("".join(json.dumps(common | row) + "\n" for row in rows), "utf-8")
    return path


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def assistant(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}


SECRETS = [
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "11ABCDEFG0" * 4,
    "sk-ant-" + "api03-Zx9" * 5,
    "sk-" + "proj1Abc2" * 5,
    "AKIA" + "IOSFODNN7EXAMPL3",
    "xoxb-" + "123456789012-abcdefghij",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
]


def test_secrets_are_masked_before_anything_is_stored(run: Run, harbor: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcd1234\n-----END RSA PRIVATE KEY-----"
    claude(harbor, user(f"my token is {SECRETS[0]}"), assistant("\n".join([*SECRETS, key, "all 1 of them"])))
    done = run("import", "chat")
    shown = run("show", done["assets"][0]["id"])
    assert "[secret: GitHub token]" in shown["content"]["name"]
    assert "all 1 of them" in shown["content"]["body"]
    files = [file for file in Path(os.environ["XDG_DATA_HOME"]).rglob("*") if file.is_file()]
    for secret in (*SECRETS, "MIIEowIBAAKCAQEA", "abcd1234"):
        assert not [file for file in files if secret.encode() in file.read_bytes()], secret


@pytest.mark.parametrize(
    "text",
    [
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 is the empty tree",
        "see https://github.com/o/r/issues/9 and sk-learn, ghp_short, Bearer of good news",
        "def test_the_bearer_token_is_checked(token: str) -> None:",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert masker()(text) == text


def test_what_the_program_wrote_itself_is_no_prompt(run: Run, harbor: Path) -> None:
    claude(
        harbor,
        user("<command-name>/clear</command-name>"), user("<system-reminder>no</system-reminder>"),
        user("<task-notification>no</task-notification>"), user("caveat", isMeta=True),
        user("summary", isCompactSummary=True), user("aside", isSidechain=True), user("one"), assistant("two"),
        assistant("three"),
    )  # fmt: skip
    done = run("import", "chat")
    body = run("show", done["assets"][0]["id"])["content"]["body"]
    assert body == "### person 2026-12-01T00:00:00.000Z\none\n\n### assistant 2026-12-01T00:00:00.000Z\ntwo\n\nthree\n"


def test_a_conversation_that_grew_is_new_content_of_the_same_asset(run: Run, harbor: Path) -> None:
    claude(harbor, user("one"), assistant("two"))
    key = run("import", "chat")["assets"][0]["id"]
    claude(harbor, user("one"), assistant("two"), user("three"), assistant("four"))
    done = run("import", "chat")
    assert (done["changed"], done["assets"][0]["id"]) == (1, key)
    assert run("show", key)["content"]["summary"].startswith("claude_code, 2026-12-01, 2 prompts. Began with: one")


def test_long_conversations_keep_their_newest_turns(run: Run, harbor: Path) -> None:
    long = "ü" * (TURN // 2)
    said = [one for n in range(40) for one in (user(f"prompt {n} {long}"), assistant(f"answer {n} {long}"))]
    claude(harbor, *said)
    body = run("show", run("import", "chat")["assets"][0]["id"])["content"]["body"]
    assert WHOLE - 2 * TURN < len(body.encode()) <= WHOLE
    assert "answer 39" in body
    assert "prompt 0 " not in body


def test_broken_lines_are_passed_by_and_unknown_files_fail(run: Run, harbor: Path) -> None:
    path = claude(harbor, user("one"), assistant("two"))
    path.write_bytes(
        b'{"type": \n\xff\xfe\n[1]\n' + path.read_bytes() + b'{"type": "user", "message": 7}\n{"type": {}}\n'
    )
    claude(harbor, {"kind": "new", "version": "9.9"}, session="s2")
    run("import", "chat", code=1)
    assert run("import", "chat", "--session", "s1")["assets"][0]["warnings"] == [
        "5 lines that cannot be read are left out"
    ]
    rows = {row["status"]: row["name"] for row in run("list", "--all")}
    assert rows == {"candidate": "one", "failed": "conversation s2"}
    (failed,) = [row["id"] for row in run("list", "--all") if row["status"] == "failed"]
    assert "version 9.9" in run("history", failed)[-1]["note"]


def test_what_to_import_can_be_said(run: Run, harbor: Path) -> None:
    claude(harbor, user("one"))
    claude(harbor, user("two"), session="s2")
    assert run("import", "chat", "--harness", "codex")["new"] == 0
    assert run("import", "chat", "--since", "2100-01-01")["new"] == 0
    assert run("import", "chat", "--session", "s2", "--name", "mine")["assets"][0]["name"] == "mine"
    assert "there is no harness 'vim'" in run("import", "chat", "--harness", "vim", code=1)
    assert "is not a time" in run("import", "chat", "--since", "soon", code=1)
    assert "--name: for one asset" in run("import", "chat", "--name", "x", code=1)


def test_without_an_identity_nothing_is_read(run: Run, harbor: Path) -> None:
    claude(harbor, user("one"))
    set_values(os.environ, {"identity.user_id": ""})
    assert "no identity" in run("import", "chat", code=1)


def test_without_the_extra_it_says_which_to_install(run: Run, harbor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(harbor, user("one"))
    monkeypatch.setitem(sys.modules, "detect_secrets.filters", None)
    assert "pip install 'rg-memory[assets]'" in run("import", "chat", code=1)
    assert run("list", "--all") == []
