"""Install and uninstall on files as people have them: byte-identical, or refused and untouched."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rg_core.harness.edits import OwnFile
from rg_core.harness.protocol import Commands, Place
from rg_installer.apply import apply, read
from rg_installer.memo import Memo
from rg_installer.plan import Change, Refused, plan, value_of
from tests.harnesses.known import INSTALLS
from tests.installer.worlds import WORLDS, World

COMMANDS = Commands("/home/o'hara/my venv/bin/rg-hook", "/home/o'hara/my venv/bin/rg-mcp")
files_of_people = settings(max_examples=200, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
seeds = st.integers(0, 2**32)


@dataclass
class Machine:
    """A home directory with a world in it, and an installer that remembers."""

    name: str
    home: Path
    memo: Memo

    def planned(self, *, wanted: bool, commands: Commands = COMMANDS) -> list[Change]:
        """What the installer would change now."""
        place, install = Place(self.home, {}, "linux", None), INSTALLS[self.name]
        return plan(install.edits(place, commands), read, self.memo, install.objection, wanted=wanted)

    def carry_out(self, *, wanted: bool, commands: Commands = COMMANDS) -> None:
        """Install or uninstall."""
        apply(self.planned(wanted=wanted, commands=commands), self.memo)

    def values(self) -> dict[str, Any]:
        """What every file of the harness says, as its program reads it."""
        place = Place(self.home, {}, "linux", None)
        edits = [edit for edit in INSTALLS[self.name].edits(place, COMMANDS) if not isinstance(edit, OwnFile)]
        return {str(edit.path): value_of(edit, read(edit.path)) for edit in edits}

    def tree(self) -> dict[str, object]:
        """Everything below home: names, kinds, bytes, modes."""
        return {
            str(path.relative_to(self.home)): (
                path.is_symlink(),
                path.read_bytes() if path.is_file() else None,
                path.stat().st_mode,
            )
            for path in self.home.rglob("*")
        }


@pytest.mark.parametrize("name", WORLDS)
@files_of_people
@given(seeds)
def test_what_a_person_wrote_is_there_again_to_the_byte(name: str, seed: int) -> None:
    """And a file that the program would not read is refused and untouched."""
    rnd = Random(seed)
    world = WORLDS[name](rnd)
    with machine(name, world, linked=rnd.random() < 0.2) as here:
        before = here.tree()
        if world.broken:
            with pytest.raises(Refused):
                here.planned(wanted=True)
            assert here.tree() == before
            return
        values = here.values()
        here.carry_out(wanted=True)
        assert here.planned(wanted=True) == []
        assert _others(here.values()) == _others(values)
        here.carry_out(wanted=False)
        assert here.planned(wanted=False) == []
        assert here.memo == Memo()
        if world.ours:  # an older installation is taken back too, and nothing else with it
            assert "rg-hook" not in str(here.values())
            assert "rg-mcp" not in str(here.values())
            assert _others(here.values()) == _others(values)
        else:
            assert here.tree() == before


@pytest.mark.parametrize("name", WORLDS)
@files_of_people
@given(seeds)
def test_what_a_person_changed_in_between_stays(name: str, seed: int) -> None:
    """A line added to a file while we are installed is there after we are gone, and is all that differs."""
    world = WORLDS[name](Random(seed))
    if world.broken or world.ours:
        return
    with machine(name, world) as here:
        paths = [here.home / path for path, raw in world.files.items() if _extended(path, raw)]
        expected = {path: _extended(path.name, path.read_bytes()) for path in paths}
        here.carry_out(wanted=True)
        for path in paths:
            path.write_bytes(_extended(path.name, path.read_bytes()))
        here.carry_out(wanted=False)
        assert {path: path.read_bytes() for path in paths} == expected


@pytest.mark.parametrize("name", WORLDS)
@files_of_people
@given(seeds)
def test_a_file_that_its_program_rewrote_is_taken_back_by_value(name: str, seed: int) -> None:
    """Programs print their files anew, in another layout and without comments."""
    world = WORLDS[name](Random(seed))
    if world.broken:
        return
    with machine(name, world) as here:
        values = here.values()
        here.carry_out(wanted=True)
        for path in map(Path, values):
            if path.suffix != ".toml" and path.exists():
                path.write_text(json.dumps(here.values()[str(path)], indent=4))
        assert here.planned(wanted=True) == []
        here.carry_out(wanted=False)
        assert _others(here.values()) == _others(values)


@pytest.mark.parametrize("name", WORLDS)
@files_of_people
@given(seeds)
def test_any_number_of_upgrades_is_taken_back_as_one(name: str, seed: int) -> None:
    """Installed from other places, with fast hooks and without: at the end nothing is left, and nothing was doubled."""
    rnd = Random(seed)
    world = WORLDS[name](rnd)
    if world.broken or world.ours:
        return
    with machine(name, world) as here:
        before = here.tree()
        for _ in range(3):
            at = rnd.choice(("/opt/a", "/opt/b c"))
            commands = Commands(f"{at}/rg-hook", f"{at}/rg-mcp", fast=rnd.random() < 0.5)
            here.carry_out(wanted=True, commands=commands)
            assert here.planned(wanted=True, commands=commands) == []
        here.carry_out(wanted=False)
        assert here.tree() == before


def test_a_file_of_a_megabyte_is_edited_all_the_same() -> None:
    """With a comma to look at every few bytes."""
    servers = ",\n".join(f'"s{i}": {{"command": "x", "args": ["a", "b",],}}' for i in range(20000))
    raw = b'{\n// mine\n"mcpServers": {' + servers.encode() + b",}}"
    with machine("copilot", World({".copilot/mcp-config.json": raw})) as here:
        before = here.tree()
        here.carry_out(wanted=True)
        assert here.tree() != before
        here.carry_out(wanted=False)
        assert here.tree() == before


@contextmanager
def machine(name: str, world: World, *, linked: bool = False) -> Iterator[Machine]:
    """A new home with the world's files, or with links to them as dotfiles kept elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        for path, raw in world.files.items():
            file = real = home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if linked:
                real = home / "dotfiles" / path.replace("/", "_")
                real.parent.mkdir(exist_ok=True)
                file.symlink_to(real)
            real.write_bytes(raw)
            real.chmod(0o640 if linked else 0o600)
        yield Machine(name, home, Memo())


def _extended(name: str, raw: bytes) -> bytes:
    """The file with one more entry at its very beginning; b"" where that is not possible."""
    if name.endswith(".toml"):
        return b"" if raw.startswith(b"\xef\xbb\xbf") or not raw.strip() else b"added = 1\n" + raw
    found = re.match(rb"[^{/]*\{(?=\s*\")", raw)
    return raw[: found.end()] + b'"added": 1, ' + raw[found.end() :] if found else b""


def _others(value: Any) -> Any:
    """A value without what is ours, and without containers that hold nothing."""
    if isinstance(value, dict):
        kept = {key: _others(inner) for key, inner in value.items()}
        names = ("resources-graph", "resources-graph_resource", "$schema", "version")
        return {key: inner for key, inner in kept.items() if inner not in ({}, [], None) and key not in names}
    if isinstance(value, list):
        kept_items = [_others(inner) for inner in value if not _is_ours(inner)]
        return [inner for inner in kept_items if inner not in ({}, [], None) and not _is_shell(inner)]
    return value


def _is_ours(inner: Any) -> bool:
    if isinstance(inner, str):
        return (
            inner in ("mcp__resources-graph__resource", "MCPTool(resources-graph__resource)")
            or "resources-graph:" in inner
        )
    return isinstance(inner, dict) and "hooks" not in inner and "rg-hook" in str(inner)


def _is_shell(inner: Any) -> bool:
    """Whether a hook group is left with its matcher alone."""
    return isinstance(inner, dict) and set(inner) == {"matcher"}
