"""What is to be done for one harness: its plan, or the reason why there is none."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rg_core.errors import UserError
from rg_core.harness import versions
from rg_core.harness.capabilities import Trusting
from rg_core.harness.edits import Edit, Json, Key
from rg_core.harness.protocol import Commands, Place
from rg_installer import toml_text
from rg_installer.apply import read, writable
from rg_installer.harnesses import Harness
from rg_installer.json_text import Malformed
from rg_installer.memo import Memo
from rg_installer.plan import Change, Objection, plan


@dataclass
class Work:
    """One harness: what changes, what then only the user can do, or what is in the way."""

    name: str
    title: str
    changes: list[Change] = field(default_factory=list)
    todo: Sequence[str] = ()
    error: str = ""
    files: Sequence[Path] = ()


def planned(
    harness: Harness, place: Place, commands: Commands, memo: Memo, *, wanted: bool, trust: bool
) -> tuple[Work, Memo]:
    """The work for one harness and the memo as it will be after it; with a refusal in the work, the memo as it was."""
    install, trusting = harness.install, harness.trusting
    draft = copy.deepcopy(memo)
    try:
        if wanted:
            _admit(harness, place, commands)
        edits = list(install.edits(place, commands))
        if trusting and (trust or not wanted):
            edits += _trust(trusting, install.objection, place, edits, memo, wanted=wanted)
        changes = plan(edits, read, draft, install.objection, wanted=wanted)
        writable(changes)
    except UserError as error:
        return Work(harness.name, harness.title, error=str(error)), memo
    todo = install.todo(place) if wanted else ()
    if trust and trusting:
        todo = ["start a new session."]
    return Work(harness.name, harness.title, changes, todo, files=[edit.path for edit in edits]), draft


def _admit(harness: Harness, place: Place, commands: Commands) -> None:
    """Refuse what would work badly, with the reason."""
    title = harness.title
    if harness.plugged and harness.plugged.plugin_enabled(place):
        raise UserError(
            f"our plugin is enabled in {title}, and with both every event would be seen twice; "
            "remove the plugin first, or keep it and do without rg-install"
        )
    if commands.fast:
        if not harness.fast:
            raise UserError(f"the hooks of {title} cannot ask a running server; run this without --fast-hooks")
        program, least = harness.fast.fast_since()
        if (told := versions.installed(program, place.environ)) < least:
            seen, wanted = versions.shown(told) or "not found", versions.shown(least)
            raise UserError(
                f"--fast-hooks needs {program} {wanted} or newer ({seen}), because an older one drops the whole file "
                "of hooks; update it, or run this without --fast-hooks"
            )


def _trust(
    trusting: Trusting, objection: Objection, place: Place, edits: Sequence[Edit], memo: Memo, *, wanted: bool
) -> list[Key]:
    """The trust entries for our hooks as they will be, or those that are there, to be taken back."""
    hooks = read(file := trusting.hooks_file(place))
    if wanted:
        changes = plan(edits, read, copy.deepcopy(memo), objection)
        hooks = next((change.after for change in changes if change.path == file), hooks)
    keys = trusting.trust(place, _json(hooks))
    return list(keys) if wanted else [dataclasses.replace(key, value=there) for key in keys if (there := _there(key))]


def _there(key: Key) -> Json:
    """What the user's file says at the key; None without it. The user may have switched the hook off there."""
    try:
        value: Json = toml_text.value(read(key.path) or b"")
    except Malformed:
        return None
    for part in key.at:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _json(raw: bytes | None) -> Json:
    try:
        parsed: Json = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return parsed


def place_of(environ: dict[str, str], project: Path | None, platform: str) -> Place:
    """Where this run looks.

    Raises:
        UserError: the project is no directory.
    """
    if project and not project.is_dir():
        raise UserError(f"{project} is not a directory; give --project the root of a project")
    home = Path(environ.get("HOME") or Path.home())
    known: Literal["win32", "darwin", "linux"] = "win32" if platform == "win32" else "linux"
    if platform == "darwin":
        known = "darwin"
    return Place(home, environ, known, project.absolute() if project else None)
