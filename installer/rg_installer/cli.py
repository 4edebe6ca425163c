"""rg-install: wire rg-memory into coding agents, show what that changes, take it back, or prove that it works."""

from __future__ import annotations

import rg_core.isolated  # noqa: F401 - first of all

# isort: split
import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rg_core import __version__, paths
from rg_core.cli.screen import CHANGES, bordered, line, say, say_json, unexpected, warn
from rg_core.errors import UserError
from rg_core.harness.protocol import Commands, Place
from rg_installer import memo as memory
from rg_installer import programs
from rg_installer.harnesses import Harness, installed
from rg_installer.plan import Change
from rg_installer.work import Job, Work, place_of

EPILOG = """\
Examples:
  rg-install --all                          wire up every harness found on this machine
  rg-install --harness claude_code --dry-run
  rg-install --uninstall                    take everything back
  rg-install --doctor                       check that everything works

Exit codes: 0 done, 1 something was refused or does not work, 2 wrong usage, 4 a bug in rg-memory, 130 interrupted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run rg-install and return its exit code; argparse itself exits 2 on wrong usage."""
    with bordered():
        try:
            code = _run(argv)
            sys.stdout.flush()
            return code
        except UserError as error:
            warn(error, "rg-install")
            return 1
        except KeyboardInterrupt:
            warn("interrupted; no file is half written", "rg-install")
            return 130
        except Exception as error:  # noqa: BLE001 - the last border before the user
            return unexpected(error, "rg-install")


def _run(argv: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    words = ",".join(word for group in options.harness or () for word in group)
    names = [name.replace("-", "_").lower() for name in words.split(",") if name]
    if unknown := [name for name in names if name not in installed().names]:
        parser.error(f"no harness {unknown[0]!r}; there are {', '.join(installed().names)}")
    options.all = options.all or (not names and (options.uninstall or options.dry_run))
    if not (names or options.all or options.doctor):
        parser.error("give --harness NAME, --all or --doctor")
    place = place_of(dict(os.environ), options.project, sys.platform)
    if options.doctor:
        from rg_installer import doctor

        return doctor.run(names or installed().names, place, as_json=options.json, named=bool(names))
    return _install(options, names, place)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rg-install",
        description="Wire rg-memory into coding agents: hooks, the MCP server, and what they need to run.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--harness", metavar="NAME", nargs="+", action="append", help=", ".join(installed().names))
    add("--all", action="store_true", help="every harness that is present on this machine")
    add("--project", metavar="DIR", type=Path, help="the files of this project instead of your own")
    add("--dry-run", action="store_true", help="show the changes as a diff and change nothing")
    add("--uninstall", action="store_true", help="take back exactly what was put in")
    add("--yes", action="store_true", help="do not ask on a terminal")
    usable = installed().usable.values()
    trusting = ", ".join(harness.title for harness in usable if harness.trusting)
    fast = ", ".join(harness.title for harness in usable if harness.fast)
    add("--trust-hooks", action="store_true", help=f"{trusting}: also trust our hooks, instead of your review there")
    add("--fast-hooks", action="store_true", help=f"{fast}: hooks ask the running MCP server and start no process")
    skilled = ", ".join(harness.title for harness in usable if harness.skilled)
    add("--no-skill", action="store_true", help=f"{skilled}: leave out the skill that says when to ask memory")
    add("--doctor", action="store_true", help="prove that hooks fire and the MCP server answers")
    add("--json", action="store_true", help="one JSON object instead of text")
    add("--version", action="version", version=f"rg-install {__version__}")
    return parser


def _install(options: argparse.Namespace, names: list[str], place: Place) -> int:
    wanted = not options.uninstall
    if options.all:
        names = _all(place, wanted=wanted)
    if not names:
        _none_found(as_json=options.json)
        return 0
    found = programs.find() if wanted else programs.ABSENT
    memo = memory.load(place.environ)
    refused = [Work(name, name, error=reason) for name, reason in installed().broken.items() if name in names]
    jobs = [_job(installed().usable[name], options, place, found) for name in names if name in installed().usable]
    works = [*refused, *(job.planned(memo)[0] for job in jobs)]
    if options.dry_run:
        _report(works, applied=False, as_json=options.json, diffs=True, wanted=wanted)
        return _code(works)
    if any(work.changes for work in works) and not _agreed(options, works, wanted=wanted):
        say("Nothing was changed.")
        return 1
    if wanted and any(not work.error for work in works):
        _prepare(place)
    works = [*refused]
    for job in jobs:
        work, memo = job.carry_out(memo, partial(memory.save, environ=place.environ))
        works.append(work)
    _report(works, applied=True, as_json=options.json, diffs=False, wanted=wanted)
    return _code(works)


def _job(harness: Harness, options: argparse.Namespace, place: Place, found: Commands) -> Job:
    fast = options.fast_hooks and (harness.fast is not None or not options.all)
    return Job(
        harness,
        place,
        Commands(found.hook, found.mcp, fast),
        not options.uninstall,
        options.trust_hooks,
        not options.no_skill,
    )


def _all(place: Place, *, wanted: bool) -> list[str]:
    """The names behind --all: what is present, or, to take back, every one. A broken one is named, to be told."""
    known = installed()
    return [name for name in known.names if name in known.broken or not wanted or _here(known.usable[name], place)]


def _here(harness: Harness, place: Place) -> bool:
    """Whether it is present; one that cannot tell is taken for present, and then says why it is refused."""
    try:
        return harness.install.present(place) is not None
    except Exception:  # noqa: BLE001
        return True


def _prepare(place: Place) -> None:
    """What the first installation needs besides the harness's files: a published identity, compiled modules."""
    from rg_core import config
    from rg_core.touches.settings import current

    config.ensure_identity(place.environ)
    current(place.environ)
    programs.compiled()


def _agreed(options: argparse.Namespace, works: Sequence[Work], *, wanted: bool) -> bool:
    if options.yes or options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    _report(works, applied=False, as_json=False, diffs=False, wanted=wanted)
    return input("Go on? [Y/n] ").strip().lower() in ("", "y", "yes")


def _report(works: Sequence[Work], *, applied: bool, as_json: bool, diffs: bool, wanted: bool) -> None:
    if as_json:
        told = [
            {
                "name": work.name,
                "changes": [{"path": str(c.path), "action": _action(c), "diff": c.diff()} for c in work.changes],
                "error": work.error or None,
                "todo": list(work.todo),
            }
            for work in works
        ]
        say_json({"applied": applied, "harnesses": told}, "install", indent=None)
        return
    for work in works:
        if work.error:
            say(f"{work.title}: refused. {line(work.error)}", out=sys.stderr)
        elif not work.changes and wanted:
            say(f"{work.title}: already wired.")
        for change in work.changes:
            done = _action(change) if applied else f"would be {_action(change)}"
            say(f"{work.title}: {line(change.path)} {done}")
            if diffs:
                say(change.diff().removesuffix("\n"), CHANGES)
    if diffs:
        say("Nothing was changed (--dry-run).")
    elif applied and wanted:
        _next_steps(works)
    elif applied and any(work.changes for work in works):
        say(f"Taken back. Your memory is kept; to delete it too, remove {line(paths.data_dir(os.environ))}")
    elif applied and not any(work.error for work in works):
        say("rg-memory was not wired in here, so there was nothing to take back.")


def _next_steps(works: Sequence[Work]) -> None:
    """What to do next, in at most five lines: the same step of several harnesses is one line."""
    steps: dict[str, list[str]] = {}
    for work in works:
        for step in work.todo if not work.error else ():
            steps.setdefault(step, []).append(work.title)
    lines = [f"{', '.join(titles)}: {step}" for step, titles in steps.items()]
    if lines:
        say("\n  ".join(["Next:", *filter(None, [*lines[:2], " ".join(lines[2:])])]))
        say("  Prove it with `rg-install --doctor`; `rg-memory status` shows what is remembered.")


def _none_found(*, as_json: bool) -> None:
    if as_json:
        say_json({"applied": False, "harnesses": []}, "install", indent=None)
        return
    titles = ", ".join(harness.title for harness in installed().usable.values())
    say(f"None of {titles} was found here, so there is nothing to wire yet.")
    say(f"Install one and run this again, or name it: rg-install --harness {next(iter(installed().usable))}")


def _action(change: Change) -> str:
    if change.before is None:
        return "created"
    return "removed" if change.after is None else "changed"


def _code(works: Sequence[Work]) -> int:
    return 1 if any(work.error for work in works) else 0
