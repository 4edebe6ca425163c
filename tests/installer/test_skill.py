"""The skill: one by the reference reading of Agent Skills, put where each program looks, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from skills_ref import validate

from rg_core.harness.protocol import Commands, Place
from rg_installer import doctor
from rg_installer.harnesses import installed
from rg_installer.memo import Memo
from rg_installer.skill import FILE, NAME, TEXT
from rg_installer.work import Job
from tests.installer.test_command import run

PACKAGED = sorted((Path(__file__).parents[2] / "plugins").glob(f"*/*/skills/{NAME}"))
COMMANDS = Commands("/venv/bin/rg-hook", "/venv/bin/rg-mcp")
# What the real programs read (tests/e2e): below home, and below a project.
FOLDERS = {
    "claude_code": (".claude/skills", ".claude/skills"),
    "codex": (".codex/skills", ".agents/skills"),
    "copilot": (".copilot/skills", ".github/skills"),
    "cursor": (".cursor/skills", ".cursor/skills"),
    "grok": (".grok/skills", None),
    "opencode": (".config/opencode/skills", ".opencode/skills"),
}


def carried_out(name: str, place: Place, memo: Memo, *, wanted: bool = True, skill: bool = True) -> None:
    job = Job(installed().usable[name], place, COMMANDS, wanted, skill=skill)
    work, _ = job.carry_out(memo, lambda kept: vars(memo).update(vars(kept)))
    assert not work.error


def skills(folder: Path) -> list[str]:
    return [str(file.parents[1].relative_to(folder)) for file in folder.rglob(f"{NAME}/SKILL.md")]


@pytest.mark.parametrize("folder", PACKAGED, ids=lambda folder: folder.parts[-4])
def test_a_packaged_skill_is_valid_and_one_page(folder: Path) -> None:
    assert validate(folder) == []
    assert len((folder / "SKILL.md").read_text().splitlines()) <= 60


def test_every_package_has_it() -> None:
    assert len(PACKAGED) == len(list((Path(__file__).parents[2] / "plugins").glob("*/*/")))


@pytest.mark.parametrize("in_project", [False, True], ids=["user", "project"])
@pytest.mark.parametrize("name", FOLDERS)
def test_it_is_put_where_the_program_looks_and_taken_back(name: str, in_project: bool, tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project):
        folder.mkdir()
    memo, place = Memo(), Place(home, {}, "linux", project if in_project else None)
    wanted, root = FOLDERS[name][in_project], project if in_project else home
    carried_out(name, place, memo)
    assert skills(tmp_path) == ([f"{root.name}/{wanted}"] if wanted else [])
    if wanted:
        assert validate(root / wanted / NAME) == []
    carried_out(name, place, memo, wanted=False)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert list(root.iterdir()) == []


def test_no_skill_leaves_it_out_and_takes_it_away(tmp_path: Path) -> None:
    memo, place = Memo(), Place(tmp_path, {}, "linux", None)
    carried_out("claude_code", place, memo, skill=False)
    assert skills(tmp_path) == []
    carried_out("claude_code", place, memo)
    assert skills(tmp_path) == [".claude/skills"]
    carried_out("claude_code", place, memo, skill=False)
    assert not (tmp_path / ".claude/skills").exists()
    assert (tmp_path / ".claude/settings.json").exists()


def test_other_skills_and_somebody_elses_of_this_name_stay(tmp_path: Path) -> None:
    memo, place = Memo(), Place(tmp_path, {}, "linux", None)
    theirs = tmp_path / ".claude/skills" / FILE
    other = tmp_path / ".claude/skills/other/SKILL.md"
    for file in (theirs, other):
        file.parent.mkdir(parents=True)
        file.write_text("mine\n")
    for wanted in (True, False):
        carried_out("claude_code", place, memo, wanted=wanted)
        assert (theirs.read_text(), other.read_text()) == ("mine\n", "mine\n")
    theirs.unlink()
    for wanted in (True, False):
        carried_out("claude_code", place, memo, wanted=wanted)
        assert theirs.exists() is wanted
        assert other.read_text() == "mine\n"


def test_an_older_one_is_brought_up_to_date(tmp_path: Path) -> None:
    memo, place = Memo(), Place(tmp_path, {}, "linux", None)
    carried_out("claude_code", place, memo)
    file = tmp_path / ".claude/skills" / FILE
    file.write_text(TEXT.replace("Memory first", "An older page"))
    carried_out("claude_code", place, memo)
    assert file.read_text() == TEXT


def test_the_doctor_knows_it(home: dict[str, str]) -> None:
    folder = Path(home["HOME"])
    place, file = Place(folder, home, "linux", None), folder / ".claude/skills" / FILE
    for arguments, told in (
        ((), f"its skill is {file}"),
        (("--no-skill",), "it has no skill of ours (rg-install --harness claude_code adds it)"),
    ):
        assert run(home, "--harness", "claude_code", "--yes", *arguments).returncode == 0
        finding = doctor.examine("claude_code", place, named=True)
        assert finding is not None
        assert told in [check.what for check in finding.checks if check.ok]
        assert "its files are as this release writes them" in [check.what for check in finding.checks if check.ok]
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")
    finding = doctor.examine("claude_code", place, named=True)
    assert finding is not None
    assert f"{file} is not ours and stays; ours is left out" in [check.what for check in finding.checks if check.ok]
