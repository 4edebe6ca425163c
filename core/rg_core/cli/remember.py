"""rg-memory remember: keep a note."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime

from rg_core import paths
from rg_core.errors import UserError

KINDS = ("decision", "lesson", "fact", "todo")  # rg_core.documents.notes.KINDS, which is not imported for --help


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = (
        "Notes are yours alone, unless their project is in [projects] shared. A text that holds a secret is refused.\n"
        "Take one back with: rg-memory forget note:PROJECT/ID"
    )
    parser.add_argument("text", metavar="TEXT|-", help="at most 4,000 characters; - reads stdin")
    parser.add_argument(
        "--about", metavar="KEY|ALIAS", action="append", default=[], help="what it is about; several may be given"
    )
    parser.add_argument("--kind", choices=KINDS, default="fact", help="default: fact")
    project = parser.add_mutually_exclusive_group()
    project.add_argument("--project", metavar="NAME", help="default: the project of this directory, or none")
    project.add_argument("--no-project", action="store_true", help="a note that belongs to no project")
    parser.add_argument("--replaces", metavar="NOTE", help="the note that this is the new wording of")


def run(options: argparse.Namespace) -> int:
    """Store the note and print its key."""
    from rg_core.config import load
    from rg_core.documents.notes import NewNote, canonical, remember
    from rg_core.documents.own import OwnTexts
    from rg_core.documents.projects import named, project_of

    config = load(os.environ)
    texts = OwnTexts(config, os.environ, paths.here())
    try:
        project = ""
        if options.project:
            project = named(config, options.project, paths.here()).name
        elif not options.no_project and (here := project_of(config, paths.here())):
            project = here.name
        about = []
        for argument in options.about:
            target = canonical(argument, config.documents.prefixes)
            if target is None:
                raise UserError(f"{argument[:200]!r} is no key and no name; give SPEC-054, owner/repo#12 or a doc: key")
            about.append(target)
        text = sys.stdin.read() if options.text == "-" else options.text
        note = NewNote(
            text, tuple(about), options.kind, project, options.replaces or "", prefixes=config.documents.prefixes
        )
        print(remember(texts.store, texts.user, note, datetime.now(UTC)))
        if project in config.projects.shared and config.store.url:
            from rg_core.cli.sharing import bring_up_to_date

            bring_up_to_date(config)
    finally:
        texts.close()
    return 0
