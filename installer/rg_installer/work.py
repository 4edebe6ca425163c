"""What is to be done for one harness, and doing it: planned afresh until its files say what they should."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rg_core import files
from rg_core.errors import UserError
from rg_core.harness import versions
from rg_core.harness.protocol import Commands, Place
from rg_installer import trust
from rg_installer.apply import PRIVATE, SHARED, NotApplied, Overtaken, apply, read, writable
from rg_installer.harnesses import Harness
from rg_installer.memo import Memo
from rg_installer.plan import Change, plan
from rg_installer.skill import skill

ROUNDS = 20  # of planning again because another program wrote the same file; each takes some milliseconds


@dataclass
class Work:
    """One harness: what changes, what then only the user can do, or what is in the way."""

    name: str
    title: str
    changes: list[Change] = field(default_factory=list)
    todo: Sequence[str] = ()
    error: str = ""
    files: Sequence[Path] = ()


@dataclass(frozen=True)
class Job:
    """One harness to be wired in (`wanted`) or taken back."""

    harness: Harness
    place: Place
    commands: Commands
    wanted: bool
    trust: bool = False
    skill: bool = True

    def planned(self, memo: Memo) -> tuple[Work, Memo]:
        """What is to be done, and the memo as it will be then; with a refusal in the work, the memo as it was."""
        name, title = self.harness.name, self.harness.title
        draft = copy.deepcopy(memo)
        try:
            return self._planned(draft), draft
        except Exception as error:  # noqa: BLE001 - one harness that cannot be read is no reason to stop the others
            return Work(name, title, error=refusal(error)), memo

    def carry_out(self, memo: Memo, keep: Callable[[Memo], None]) -> tuple[Work, Memo]:
        """Do it, and see that it is done: what another program overwrites meanwhile is done again on its text.

        `keep` saves a memo: before the first write, so that an interrupted installation can be taken back, and after.
        """
        done: dict[Path, Change] = {}
        work, draft = self.planned(memo)
        for turn in range(ROUNDS):
            if work.error or (not work.changes and (self.wanted or turn)):
                break
            try:
                memo, work.error = self._write(work, draft, memo, keep, done)
            except OSError as error:  # of the memo
                work.error = refusal(error)
            if not work.error:
                work, draft = self.planned(memo)
        else:
            written = ", ".join(map(str, done)) or "nothing"
            work.error = f"another program keeps changing its files; close it and run this again (written: {written})"
        work.changes = [change for change in done.values() if change.before != change.after]
        return work, memo

    def _write(
        self, work: Work, draft: Memo, memo: Memo, keep: Callable[[Memo], None], done: dict[Path, Change]
    ) -> tuple[Memo, str]:
        """Write a plan as far as that goes; the memo of what is written, and what stood in the way for good."""
        error = ""
        try:
            files.tidy(map(str, work.files))
            mode = SHARED if self.place.project else PRIVATE
            apply(work.changes, draft, mode=mode, keep=keep if self.wanted else None)
            memo, written = draft, [change.path for change in work.changes]
        except NotApplied as problem:
            memo, written = copy.deepcopy(memo), list(problem.written)
            memo.learn(draft, written)
            error = "" if isinstance(problem, Overtaken) else str(problem)
        for change in work.changes:
            if change.path in written:
                done[change.path] = Change(change.path, done.get(change.path, change).before, change.after)
        keep(memo)
        return memo, error

    def _planned(self, memo: Memo) -> Work:
        install, trusting = self.harness.install, self.harness.trusting
        if self.wanted:
            _admit(self.harness, self.place, self.commands)
        edits = list(install.edits(self.place, self.commands))
        if trusting and self.wanted and self.trust:
            edits += trust.given(trusting, install.objection, self.place, edits, memo)
        elif trusting and not self.wanted:
            edits += trust.there(trusting, self.place)
        own = skill(self.harness, self.place)
        if own and (self.skill or not self.wanted):
            edits.append(own)
        changes = plan(edits, read, memo, install.objection, wanted=self.wanted)
        if own and own not in edits:
            changes += plan([own], read, memo, wanted=False)
        writable(changes)
        todo = install.todo(self.place) if self.wanted else ()
        if self.wanted and self.trust and trusting:
            todo = ["start a new session."]
        return Work(self.harness.name, self.harness.title, changes, todo, files=[edit.path for edit in edits])


def refusal(error: Exception) -> str:
    """Why a harness is left alone, in one line."""
    match error:
        case UserError():
            return str(error)
        case OSError(filename=str(path), strerror=reason):
            return f"{path}: {reason}. Nothing was changed. Put this right and run rg-install again."
        case RecursionError():
            return "one of its files is nested too deeply to be read. Nothing was changed."
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"a bug ({type(error).__name__}: {error}; {where.filename}:{where.lineno}); please report this line"


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
