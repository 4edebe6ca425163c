"""rg-memory documents: a project's own Markdown, in memory with its versions and edges."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rg_core import paths
from rg_core.cli.screen import confirm, line, say_json
from rg_core.errors import UserError
from rg_core.nouns import counted

if TYPE_CHECKING:
    from rg_core.config import Config
    from rg_core.documents.plan import Plan
    from rg_core.documents.share import Shared
    from rg_core.store.documents import DocumentStore
    from rg_core.store.texts import Root

EPILOG = """\
Documents are Markdown files of a configured project (rg-memory project add NAME DIR): those that Git tracks, at most
1 MiB each. They are yours alone: nothing sends them anywhere unless their project is in [projects] shared.
What `add` and `sync` would write of edges is shown first; --yes does not ask, --dry-run writes nothing."""
MANY_EDGES = 20  # changes beyond which a sync asks
SHOWN = 40  # edges of one question


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="read documents into memory, and keep them in step from then on")
    add.add_argument("paths", metavar="DIR|FILE", nargs="+")
    add.add_argument("--project", metavar="NAME", help="default: the project that holds the directory")
    add.add_argument(
        "--glob", metavar="G", action="append", default=[], help="only paths below DIR that match; several may be given"
    )
    add.add_argument("--no-history", action="store_true", help="only what the files say now; Git is not asked")
    sync = actions.add_parser("sync", help="read again what changed")
    sync.add_argument("--project", metavar="NAME", help="only this project")
    for action in (add, sync):
        action.add_argument("--dry-run", action="store_true", help="show what would change, write nothing")
        action.add_argument("--yes", action="store_true", help="do not ask")
        action.add_argument("--json", action="store_true", help="print one JSON object")
    listed = actions.add_parser("list", help="print what is in memory")
    listed.add_argument("--project", metavar="NAME", help="only this project")
    listed.add_argument("--json", action="store_true", help="print one JSON object")
    edges = actions.add_parser("edges", help="print the edges, with the section each was found in")
    edges.add_argument("of", metavar="KEY|ALIAS", nargs="?", help="only from and to this document")
    edges.add_argument("--json", action="store_true", help="print one JSON array")
    remove = actions.add_parser("remove", help="take documents out of memory; the files stay as they are")
    remove.add_argument("path", metavar="DIR|FILE")
    remove.add_argument("--yes", action="store_true", help="do not ask")


def run(options: argparse.Namespace) -> int:
    """Do one action."""
    from rg_core.config import load
    from rg_core.store import open_documents

    config = load(os.environ)
    user = config.require_user()
    store = open_documents(os.environ)
    try:
        match options.action:
            case "add":
                return _sync(store, user, config, _added(config, options), options, new=True)
            case "sync":
                roots = [root for root in store.roots(user) if options.project in (None, root.project)]
                if not roots:
                    _follow(store, user, config)  # what a server still has of those that there were
                    raise UserError("nothing was added yet; add documents: rg-memory documents add DIR")
                return _sync(store, user, config, roots, options, new=False)
            case "list":
                _list(store, user, options)
            case "edges":
                _edges(store, user, config, options)
            case _:
                return _remove(store, user, config, options)
        return 0
    finally:
        store.close()


def _added(config: Config, options: argparse.Namespace) -> list[Root]:
    from rg_core.address.local import SUFFIXES
    from rg_core.documents import projects, scan
    from rg_core.store.texts import Root

    roots = []
    for argument in options.paths:
        path = os.path.realpath(os.path.expanduser(argument))
        if not os.path.exists(path):
            raise UserError(f"{argument} is not there; name a directory or a Markdown file")
        if os.path.isfile(path) and not path.lower().endswith(SUFFIXES):
            raise UserError(f"{argument} is no Markdown file ({', '.join(SUFFIXES)})")
        if scan.is_excluded(path, config.capture.exclude_projects):
            raise UserError(f"{argument} is excluded by capture.exclude_projects; see: rg-memory config show")
        project = projects.named(config, options.project, path)
        directory, _ = projects.place(project, path)
        roots.append(Root(project.name, path, directory, tuple(options.glob), not options.no_history))
    return roots


def _sync(
    store: DocumentStore, user: str, config: Config, roots: Sequence[Root], options: argparse.Namespace, *, new: bool
) -> int:
    from rg_core.cli.sharing import summary
    from rg_core.documents.plan import plan
    from rg_core.documents.sync import Settings, apply

    known = {root.path: root for root in store.roots(user)}
    if new:
        roots = [
            root if root.path not in known or not root.history else _with_head(root, known[root.path].head)
            for root in roots
        ]
    found = plan(store, user, config, roots)
    if not options.json:
        _show(found)
    ask = not options.yes and (new or any(edge.sign == "-" for edge in found.edges) or len(found.edges) > MANY_EDGES)
    wrote = not options.dry_run and not (found.is_empty and not new and not found.touched and not found.seen)
    if wrote and ask and not found.is_empty and not _confirmed(options):
        raise UserError("nothing was written; answer y, or pass --yes, to write it")
    if wrote:
        settings = Settings(config.documents.prefixes, config.documents.front_matter)
        apply(store, user, found, settings, datetime.now(UTC))
    said = "" if options.dry_run else summary(_follow(store, user, config))
    if options.json:
        say_json(_as_json(found, written=wrote and not found.is_empty), "documents", indent=None)
    elif not options.dry_run:
        print(f"{counted(len(found.seen), 'documents')} in memory and up to date" if wrote else "nothing was written")
        if said:
            print(said)
    return 0


def _follow(store: DocumentStore, user: str, config: Config) -> Shared:
    """Have what hooks know of documents follow, recall's index where there is one, and the server what is shared."""
    from contextlib import closing

    from rg_core.cli.sharing import told
    from rg_core.documents.upstream import publish_upstream
    from rg_core.recall.own import follow
    from rg_core.store import open_store

    publish_upstream(store, user, config, paths.data_dir(os.environ))
    with closing(open_store(config, os.environ)) as public:
        follow(config, os.environ, public)
        return told(store, config, public)


def _with_head(root: Root, head: str) -> Root:
    from dataclasses import replace

    return replace(root, head=head)


def _show(found: Plan) -> None:
    from rg_core.documents.scan import WHY_NOT
    from rg_core.reading.framing import one_line

    counts = [
        (sum(page.new for page in found.pages), "new"),
        (sum(not page.new for page in found.pages), "changed"),
        (len(found.gone), "gone"),
    ]
    said = ", ".join(f"{count} {word}" for count, word in counts if count)
    print(f"{counted(len(found.seen), 'documents')}: {said or 'nothing changed'}")
    for why, count in sorted(found.left_out.items()):
        print(f"  {count} left out: {WHY_NOT[why]}")
    shown = ""
    for edge in found.edges[:SHOWN]:
        if edge.address != shown:
            shown = edge.address
            print(one_line(shown, 400))
        print(f"  {edge.sign} {edge.verb} {one_line(edge.target, 300)}  ({one_line(edge.section, 100)})")
    if len(found.edges) > SHOWN:
        print(f"... {len(found.edges) - SHOWN} more edges; --dry-run --json prints them all")


def _confirmed(options: argparse.Namespace) -> bool:
    if options.json or not sys.stdin.isatty():
        return False
    return input("Write this? [y/N] ").strip().lower() in ("y", "yes")


def _as_json(found: Plan, *, written: bool) -> dict[str, Any]:
    return {
        "documents": len(found.seen),
        "new": [page.address for page in found.pages if page.new],
        "changed": [page.address for page in found.pages if not page.new],
        "moved": {page.former: page.address for page in found.pages if page.former},
        "gone": found.gone,
        "left_out": dict(found.left_out),
        "edges": [
            {"change": "new" if edge.sign == "+" else "gone", "source": edge.address, "verb": edge.verb,
             "target": edge.target, "section": edge.section}
            for edge in found.edges
        ],
        "written": written,
    }  # fmt: skip


def _list(store: DocumentStore, user: str, options: argparse.Namespace) -> None:
    from rg_core.reading.framing import one_line

    pages = [page for page in store.pages(user, options.project).values() if not page.deleted]
    roots = [root for root in store.roots(user) if options.project in (None, root.project)]
    if options.json:
        say_json({
            "roots": [{"project": root.project, "path": root.path, "globs": root.globs, "history": root.history}
                      for root in roots],
            "documents": [
                {"address": page.address, "kind": page.kind, "memory_id": page.node_id, "project": page.project,
                 "title": page.title, "names": page.names, "valid_from": page.valid_from,
                 "verified_at": page.verified_at, **page.facts}
                for page in pages
            ],
        }, "documents", indent=None)  # fmt: skip
        return
    for root in roots:
        print(f"{root.project}: {line(root.path)}{'' if root.history else '  (without history)'}")
    for page in pages:
        name = f"{', '.join(page.names)}  " if page.names else ""
        print(f"{one_line(page.address, 400)}  {page.valid_from[:10]}  {name}{one_line(page.title, 200)}")
    if not pages:
        print("no documents yet; add some: rg-memory documents add DIR")


def _edges(store: DocumentStore, user: str, config: Config, options: argparse.Namespace) -> None:
    from rg_core.documents.find import found_edges, key_named
    from rg_core.reading.framing import one_line

    only = key_named(store, user, config, options.of, paths.here()) if options.of else None
    rows = found_edges(store, user, only)
    store.looked(user)
    if options.json:
        say_json(rows, "documents", indent=None)
        return
    for row in rows:
        target = row["target"] if row["target_address"] is None else row["target_address"]
        missing = "" if row["target_address"] else "  (not stored)"
        print(
            f"{one_line(row['source'], 300)} {row['verb']} {one_line(target, 300)}{missing}"
            f"  [{one_line(row['section'], 100)}]"
        )
    if not rows:
        print("no edges")


def _remove(store: DocumentStore, user: str, config: Config, options: argparse.Namespace) -> int:
    from contextlib import closing

    from rg_core.cli.sharing import not_taken_back
    from rg_core.documents.find import below
    from rg_core.store import open_store

    path = os.path.realpath(os.path.expanduser(options.path))
    known = {root.path: root for root in store.roots(user)}
    if path not in known:
        added = ", ".join(known) or "nothing"
        raise UserError(f"{options.path} was not added as such; added was: {added}")
    keys = below(store, user, known[path], [root for other, root in known.items() if other != path])
    if not confirm(f"Take {counted(len(keys), 'documents')} with all versions out of memory?", options):
        raise UserError("nothing was removed; answer y, or pass --yes, to remove it")
    store.forget(user, keys)
    store.drop_root(user, path)
    _follow(store, user, config)
    print(f"{counted(len(keys), 'documents')} out of memory, with all versions; the files are as they were")
    with closing(open_store(config, os.environ)) as public:
        return 1 if not_taken_back(store, config, public, keys) else 0
