"""rg-memory project: which directories are which project; for documents, notes and assets."""

from __future__ import annotations

import argparse
import os

from rg_core.cli.screen import line, say_json

EPILOG = """\
Projects are configuration, [projects] dirs, and nothing else: a repository cannot say which project it is.
Of several directories that hold a file, the longest decides."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="have a directory belong to a project")
    add.add_argument("name", metavar="NAME", help="lower-case letters, digits, dots, hyphens and underscores")
    add.add_argument("directory", metavar="DIR", nargs="?", default=".", help="default: this directory")
    listed = actions.add_parser("list", help="print the projects and their directories")
    listed.add_argument("--json", action="store_true", help="print one JSON array")
    remove = actions.add_parser("remove", help="take a project out of the configuration; its documents stay in memory")
    remove.add_argument("name", metavar="NAME")


def run(options: argparse.Namespace) -> int:
    """Do one action."""
    from rg_core.config import load
    from rg_core.documents import projects

    config = load(os.environ)
    if options.action == "list":
        found = projects.projects(config).values()
        if options.json:
            say_json(
                [{"project": one.name, "dirs": one.directories, "shared": one.shared} for one in found],
                "project",
                indent=None,
            )
        else:
            for one in found:
                print(f"{one.name}{'  (shared)' if one.shared else ''}")
                for directory in one.directories:
                    print(f"  {line(directory)}")
            if not found:
                print(f"no projects yet; add one: {projects.HELP}")
        return 0
    if options.action == "add":
        projects.add(config, os.environ, options.name, options.directory)
        print(f"{line(os.path.realpath(os.path.expanduser(options.directory)))} is project {options.name}")
        return 0
    left = projects.remove(config, os.environ, options.name)
    print(f"project {options.name} is not configured any more; `rg-memory documents list` shows what is stored of it")
    if options.name in config.projects.shared:
        from rg_core.cli.sharing import bring_up_to_date, summary

        if said := summary(bring_up_to_date(left)):
            print(said)
    return 0
