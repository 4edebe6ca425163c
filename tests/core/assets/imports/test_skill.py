from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import skills_ref.parser
import skills_ref.validator

from rg_core.assets.imports.run import Unreadable
from rg_core.assets.imports.skill import fields, split

Run = Callable[..., Any]
GOOD = "---\nname: release-notes\ndescription: How to write them.\n---\n# Steps\nRead the merged pull requests.\n"
TOKEN = "ghp_" + "a1B2" * 9


def put(text: str | bytes, folder: str = "release-notes") -> Path:
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder, "SKILL.md")
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path.parent


def error_of(run: Run, folder: Path, *words: str) -> str:
    run("import", "skill", str(folder), *words, code=1)
    (row,) = [row for row in run("list", "--all") if row["status"] == "failed"]
    return str(run("history", row["id"])[-1]["note"])


def test_a_folder_becomes_a_candidate_and_again_nothing(run: Run, harbor: Path) -> None:
    folder = put(GOOD)
    (folder / "scripts").mkdir()
    (folder / "scripts" / "go.sh").write_text("echo run > ran\n", "utf-8")
    (folder / "logo.png").write_bytes(b"\x89PNG\0")
    seen = run("import", "skill", "release-notes", "--dry-run")
    assert (seen["new"], run("list")) == (1, [])
    done = run("import", "skill", "release-notes")
    assert (done["new"], done["failed"]) == (1, [])
    assert done["assets"][0]["id"] == seen["assets"][0]["id"]
    shown = run("show", done["assets"][0]["id"])
    assert (shown["status"], shown["effective_version"], shown["policy"]["bindings"]) == ("candidate", None, [])
    assert shown["content"]["body"] == "# Steps\nRead the merged pull requests.\n"
    assert shown["content"]["payload"]["resources"][0]["path"] == "logo.png"
    again = run("import", "skill", ".")
    assert (again["new"], again["changed"], again["unchanged"], len(run("history", shown["id"]))) == (0, 0, 1, 1)
    assert not list(harbor.rglob("ran"))


def test_a_changed_file_beside_it_is_new_content_that_waits(run: Run) -> None:
    folder = put(GOOD)
    (folder / "more.md").write_text("one\n", "utf-8")
    key = run("import", "skill", ".")["assets"][0]["id"]
    run("govern", key, "--status", "approved")
    (folder / "more.md").write_text("two\n", "utf-8")
    assert run("import", "skill", ".", "--dry-run")["changed"] == 1
    assert run("import", "skill", ".")["changed"] == 1
    shown = run("show", key)
    assert (shown["status"], shown["effective_version"], shown["version"]) == ("candidate", 2, 3)


def test_a_skill_cannot_approve_bind_or_place_itself(run: Run) -> None:
    put(GOOD.replace("---\n#", "status: approved\nproject: other\nbindings: [{target: agent:a}]\nfollow: true\n---\n#"))
    done = run("import", "skill", ".")
    assert "bindings, follow, project, status" in done["assets"][0]["warnings"][0]
    shown = run("show", done["assets"][0]["id"])
    assert (shown["status"], shown["project"], shown["policy"]["bindings"]) == ("candidate", "harbor", [])
    assert (shown["policy"]["follow"], shown["content"]["payload"]["extra"]["status"]) == (False, "approved")
    assert run("loadout", "--agent", "a", "--unbound", "all")["selected"] == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# no front matter\n", "no front matter"),
        ("---\ndescription: d\n---\n", "lacks name"),
        ("---\nname: release-notes\ndescription: ''\n---\n", "lacks description"),
        (f"---\nname: {'a' * 65}\ndescription: d\n---\n", "longer than 64"),
        (f"---\nname: n\ndescription: {'d' * 1025}\n---\n", "longer than 1,024"),
        ("---\nname: &a n\ndescription: *a\n---\n", "anchors, aliases and tags"),
        ("---\nname: !!python/object/apply:os.system [x]\ndescription: d\n---\n", "anchors, aliases and tags"),
        ("---\na: &a [x,x]\nb: &b [*a,*a]\nname: n\ndescription: d\n---\n", "anchors, aliases and tags"),
        ("---\nname: n\nname: m\ndescription: d\n---\n", "twice"),
        ("---\nname: [\n---\n", "no plain YAML"),
        ("---\nx: " + "[" * 15000 + "\n---\n", "nested too deeply"),
        ("---\nname: n\ndescription: d\nx: " + "y" * 17000 + "\n---\n", "16 KiB of front matter"),
        (GOOD + "x" * (10 << 20), "larger than 256 KiB"),
        (b"---\nname: n\ndescription: \xff\n---\n", "not UTF-8"),
        (b"---\nname: n\0\n---\n", "no text"),
    ],
)
def test_what_is_refused_says_why_once(run: Run, text: str | bytes, why: str) -> None:
    folder = put(text)
    assert why in error_of(run, folder)
    error_of(run, folder)
    (row,) = run("list", "--all")
    assert (row["version"], row["effective_version"], row["name"]) == (1, None, "release-notes")


@pytest.mark.parametrize("what", ["file", "directory", "skill"])
def test_links_out_of_the_folder_are_refused(run: Run, tmp_path: Path, what: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "SKILL.md").write_text(GOOD + "SECRET", "utf-8")
    folder = put(GOOD)
    if what == "skill":
        (folder / "SKILL.md").unlink()
        (folder / "SKILL.md").symlink_to(tmp_path / "outside" / "SKILL.md")
    else:
        (folder / "x").symlink_to(tmp_path / "outside" / ("SKILL.md" if what == "file" else ""))
    assert "link out of the skill's folder" in error_of(run, folder)


def test_a_broken_skill_does_not_keep_the_others_out_and_recovers(run: Run) -> None:
    put(GOOD)
    put("nothing", "broken")
    run("import", "skill", ".", code=1)
    assert {(row["name"], row["status"]) for row in run("list", "--all")} == {
        ("release-notes", "candidate"), ("broken", "failed"),
    }  # fmt: skip
    put("---\nname: broken\ndescription: d\n---\nx\n", "broken")
    done = run("import", "skill", ".")
    assert (done["changed"], done["unchanged"], done["failed"]) == (1, 1, [])


def test_a_secret_in_a_skill_is_not_stored(run: Run, home: dict[str, str]) -> None:
    folder = put(GOOD + f"export TOKEN={TOKEN}\n")
    (folder / "x.md").write_text(f"{TOKEN}\n", "utf-8")
    shown = run("show", run("import", "skill", ".")["assets"][0]["id"])
    assert "[secret: GitHub token]" in shown["content"]["body"]
    stored = Path(os.environ["XDG_DATA_HOME"], "rg-memory")
    assert not [file for file in stored.rglob("*") if file.is_file() and TOKEN.encode() in file.read_bytes()]


def test_names_are_for_one_asset_and_folders_must_hold_one(run: Run) -> None:
    put(GOOD)
    put(GOOD, "other")
    assert "--name: for one asset" in run("import", "skill", ".", "--name", "x", code=1)
    Path("empty").mkdir()
    assert "there is no SKILL.md" in run("import", "skill", "empty", code=1)
    assert "is not a directory" in run("import", "skill", "gone", code=1)


FRONTS = [
    "name: n\ndescription: d",
    "name: n\ndescription: d\nlicense: MIT\ncompatibility: any\nmetadata:\n  author: me\n  version: '1.0'",
    "name: n\ndescription: d\nallowed-tools: Bash Read",
    "name: N\ndescription: d",
    "name: -n\ndescription: d",
    "name: n--m\ndescription: d",
    "name: n_m\ndescription: d",
    "name: n\ndescription: d\nmodel: opus",
    f"name: n\ndescription: d\ncompatibility: {'c' * 501}",
    f"name: n\ndescription: d\ncompatibility: {'c' * 500}",
    "name: übung\ndescription: d",
    f"name: {'n' * 64}\ndescription: {'d' * 1024}",
    f"name: {'n' * 65}\ndescription: d",
    "name: n\ndescription: 12",
    "name: n",
    "description: d",
]


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("folder", ["n", "other", "übung", "n" * 64])
def test_strict_agrees_with_the_reference(front: str, folder: str) -> None:
    text = f"---\n{front}\n---\nbody\n"
    given, _ = skills_ref.parser.parse_frontmatter(text)
    valid = not skills_ref.validator.validate_metadata(given, Path(folder))
    try:
        content, warnings = fields(split(text)[0], folder)
        ours = not warnings
        assert (content["name"], content["description"]) == (given["name"], given["description"])
    except Unreadable:
        ours = False
    assert ours == valid
