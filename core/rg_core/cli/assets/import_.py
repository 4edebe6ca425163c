"""rg-memory asset import."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from rg_core import paths
from rg_core.assets import installation
from rg_core.assets.errors import invalid
from rg_core.assets.imports.run import Imported, Taken
from rg_core.assets.imports.run import run as run_import
from rg_core.assets.store import Assets
from rg_core.cli.assets.common import line, opened
from rg_core.cli.reader import opened as opened_memory
from rg_core.cli.screen import say_json
from rg_core.config import load
from rg_core.documents.own import OwnTexts
from rg_core.documents.projects import Project, projects
from rg_core.errors import UserError
from rg_core.harness.protocol import Place
from rg_core.reading.query import ALL_ROWS, answer, finder, instant

KINDS = ("chat", "code", "skill", "wiki")
EPILOG = """\
what comes in:
  chat            conversations that harnesses kept of this project's directories; secrets in them are masked
  code SOURCE     Python, Go, TypeScript and JavaScript of the commit at HEAD: definitions, and who calls what
  wiki SOURCE     a folder of Markdown, or what memory has of GitHub: owner/repo#123, owner/repo, a listing's address
  skill SOURCE    an Agent Skills folder (SKILL.md), or a folder that holds such folders
No agent gets any of it until you approve it: rg-memory asset govern ID --status approved. Importing again finds the
same assets and makes new versions of what has changed. Nothing imported is run."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("kind", choices=KINDS, help="what it is")
    add(
        "source",
        metavar="SOURCE",
        nargs="?",
        default=".",
        help="a directory or, of a wiki, an address; this directory unless given",
    )
    add("--name", metavar="N", help="what to call the asset, where there is only one")
    add("--strict", action="store_true", help="skill: refuse what the specification does not allow, instead of warning")
    add("--harness", metavar="NAME", default="", help="chat: only of this program, e.g. claude_code, codex, cursor")
    add("--session", metavar="ID", default="", help="chat: only this conversation")
    add(
        "--since",
        metavar="TIME",
        default="",
        help="chat: only what changed since, e.g. 2026-11-01",
    )
    add("--dry-run", action="store_true", help="say what would be done, and write nothing")
    add("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Import; 1 where a source failed."""
    with opened(options) as (assets, who, _):
        config = load(os.environ)
        project = projects(config)[who.project]
        done = Imported()
        found = _found(options, assets, project, done)
        if options.name:
            found = list(found)
            if len(found) > 1:
                raise invalid("--name", f"for one asset; there are {len(found)} here")
        setting = installation.setting("import", config)
        run_import(assets, who, setting, found, done, name=options.name or "", dry_run=options.dry_run)
    if options.json:
        say_json(done.json(), "asset_import")
    else:
        print("\n".join(_lines(done, dry_run=options.dry_run)))
    return 1 if done.failed else 0


def _found(options: argparse.Namespace, assets: Assets, project: Project, done: Imported) -> Iterable[Taken]:
    """What an importer finds; each is loaded only where it is asked for."""
    if options.kind == "chat":
        from rg_core.assets.imports.chat import conversations

        if options.source != ".":
            raise invalid("SOURCE", "nothing for conversations: harnesses keep them where they keep them")
        return conversations(
            project,
            _place(),
            done,
            harness=options.harness,
            session=options.session,
            since=instant(options.since) if options.since else "",
        )
    source = os.path.join(paths.here(), os.path.expanduser(options.source))
    if options.kind == "wiki":
        return [_wiki(options.source, source, project)]
    if options.kind == "code":
        from rg_core.assets.imports.code.importer import graph

        return [graph(source, project, assets, keep=not options.dry_run)]
    from rg_core.assets.imports.skill import skills

    return skills(source, project, strict=options.strict)


def _wiki(named: str, source: str, project: Project) -> Taken:
    """The wiki of a folder; of what is none, and looks like an address, that of memory."""
    from rg_core.assets.imports import wiki

    if os.path.isdir(source):
        texts = OwnTexts(load(os.environ), os.environ, paths.here())
        try:
            return wiki.folder(source, project, texts.store, texts.user)
        finally:
            texts.close()
    if not (found := finder(os.environ)(named)).addresses:
        raise UserError(f"{named[:200]!r} is no directory here, and {found.why or 'no address: write owner/repo#123'}")
    with opened_memory(os.environ) as (_, store):
        got = answer(store, named, rows=ALL_ROWS, find=finder(os.environ))
        if got.listing:
            return wiki.stored(got.asked, {row.address: store.read(row.address) for row in got.listing.rows})
        return wiki.stored(got.asked, {got.asked: got.reading} if got.reading else {}, got.why)


def _place() -> Place:
    home = Path(os.environ.get("HOME") or os.path.expanduser("~"))
    platform: Literal["linux", "darwin", "win32"] = "linux"
    if sys.platform == "darwin" or sys.platform == "win32":
        platform = sys.platform
    return Place(home, os.environ, platform, None)


def _lines(done: Imported, *, dry_run: bool) -> list[str]:
    if not (done.assets or done.failed or done.skipped):
        return ["Nothing to import: no harness keeps a conversation that was held in a directory of this project."]
    told = []
    for one in done.assets:
        told.append(f"{one['id']}  {one['change']:9}  {line(one['name'], 60)}  ({line(one['source'], 100)})")
        told += [f"  warning: {line(warning, 300)}" for warning in one.get("warnings", ())]
    told += [f"failed: {line(one['source'], 100)}: {line(one['error'], 400)}" for one in done.failed]
    would = "would be " if dry_run else ""
    told.append(f"{done.new} {would}new, {done.changed} {would}changed, {done.unchanged} unchanged, "
                f"{len(done.failed)} failed{f', {done.skipped} empty' if done.skipped else ''}.")  # fmt: skip
    if done.waiting:
        which = done.waiting[0] if len(done.waiting) == 1 else "ID"
        told += [
            f"Look at it: rg-memory asset show {which}",
            f"Approve it: rg-memory asset govern {which} --status approved",
        ]
    return told
