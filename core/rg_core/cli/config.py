"""rg-memory config: get, set, show or edit the configuration."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace

from rg_core import paths
from rg_core.cli.idle import idle
from rg_core.cli.screen import line, raw, say_json, warn
from rg_core.config import (
    KEYS,
    SECRETS,
    Config,
    Value,
    check_key,
    load,
    parse,
    read_text,
    read_value,
    set_values,
    value_of,
    write_text,
)
from rg_core.errors import UserError
from rg_core.paths import outbox_file
from rg_core.touches.database import TouchLog
from rg_core.touches.settings import current

TEMPLATE = """\
# The configuration of rg-memory. Tokens and identities are read from here and from nowhere else.

[identity]
# user_id = "your-name"     # whose touches are recorded; nothing is recorded without it
# pseudonym = false         # record a keyed hash instead; set it with: rg-memory config set identity.pseudonym true

[github]
# token = ""                # one without any scope is enough for public content

[store]
# url = ""                  # a shared memory, as `rg-memory migrate --help` shows; without it, a file of this machine
# touches = "graph"         # "local" keeps what you explored on this machine

[capture]
# exclude_projects = ["~/private"]
# exclude_tools = ["mcp__internal__*"]

[sweep]
# auto = false              # whether the end of a session starts a sweep
# max_members = 5000        # of a listing

[projects]
# dirs = ["harbor=~/src/harbor"]  # better: rg-memory project add NAME DIR
# shared = ["harbor"]       # whose documents and notes a server may hold

[documents]
# prefixes = ["SPEC", "ADR"]  # of names such as SPEC-054
# front_matter = true       # whether keys such as `requires` draw edges
# notes = "on"              # "off" hides the tool `remember`
# upstream_note = true      # whether a prompt that names a document is told what that builds on

[recall]
# weights = "measured"      # or "equal"
# class_weights = []        # e.g. ["decision=1:3:1"]

[telemetry]
# enabled = true            # whether it is kept, on this machine, what memory served and what came of it
# query_text = true         # whether the words of a recall are kept
# keep_days = 365
# rework_tokens = 5000      # what one `saved_rework` is declared to have saved

[assets]
# teams = ["core"]          # of yours, and roles = ["lead"]: what entries of assets name
# agent = ""                # this installation's main agent, and task = "": what assets are bound to
# mcp = "off"               # what agents may do with assets: off, read, write (propose), full
# deliver = false           # whether a session begins with what its agent should have
# session_budget = 1600     # tokens of that
# max_age_hours = 24        # how old that may be, where a server is configured
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    get = actions.add_parser("get", help="print one value")
    get.add_argument("key", metavar="KEY", help=f"one of {', '.join(KEYS)}")
    change = actions.add_parser("set", help="write one value; comments and everything else stay")
    change.add_argument("key", metavar="KEY", help="as for get")
    change.add_argument(
        "value", metavar="VALUE", help="text, true or false, a number, or a list with commas; - reads stdin"
    )
    show = actions.add_parser("show", help="print everything in effect, secrets masked")
    show.add_argument("--json", action="store_true", help="as one JSON object")
    actions.add_parser("edit", help="open the file in $VISUAL or $EDITOR, and keep what is valid")
    actions.add_parser("path", help="print where the file is")


def run(options: argparse.Namespace) -> int:
    """Do one action."""
    environ = os.environ
    match options.action:
        case "get":
            check_key(options.key)
            value = _plain(value_of(load(environ), options.key))
            print(value, file=raw(sys.stdout) if options.key in SECRETS else None)  # it is asked for by name
        case "set":
            word = sys.stdin.read().rstrip("\r\n") if options.value == "-" else options.value
            _take_events(environ)
            before = load(environ)
            given = read_value(options.key, word)
            if options.key == "store.url":
                _check_address(before, str(given))
            config = set_values(environ, {options.key: given})
            current(environ)
            if config.user != before.user or config.former != before.former:
                _take_along(before, config)
            if options.key == "projects.shared" and config.store.url:
                _share(config)
            if load(environ).assets.deliver or options.key == "assets.deliver":
                from rg_core.assets.installation import refresh

                refresh(environ)  # what sessions are given carries the state of the configuration
            for sentence in idle(config, [options.key]):
                warn(f"written; {sentence}")
            if options.key in SECRETS and options.value != "-":
                better = f"rg-memory config set {options.key} -"
                warn(f"written, but other processes could see the value; next time: {better}")
        case "show":
            _show(load(environ), as_json=options.json)
        case "edit":
            _edit(environ)
        case "path":
            print(paths.config_file(environ))
    return 0


def _check_address(config: Config, url: str) -> None:
    """See that it can be one of a store; what it leads to may be away just now.

    Raises:
        UserError: if it cannot.
    """
    from rg_core.store import open_store

    open_store(replace(config, store=replace(config.store, url=url)), os.environ).close()


def _take_along(before: Config, config: Config) -> None:
    """Have the Touches that were made under the identity's other names be found under its present one."""
    from rg_core.store import open_store
    from rg_core.store.protocol import StoreUnavailable
    from rg_core.touches.database import TouchLog

    path = paths.outbox_file(os.environ)
    if not config.user or not os.path.exists(path):
        return
    TouchLog(path).adopt(config.user, config.former)
    store = open_store(config, os.environ)
    try:
        if store.can.touches:
            store.touches_of(config.user).adopt(config.former)
    except StoreUnavailable as error:
        warn(f"written; touches there get the new name once memory answers: {error}")
    finally:
        store.close()
    if before.user and before.user not in (config.user, *config.former):
        name = before.identity.user_id
        claim = f"rg-memory config set identity.former_ids {name}"
        warn(f"written; touches of {name} stay under that name. If it was you: {claim}")


def _share(config: Config) -> None:
    """Send what is shared from now on, and take back what is not any more."""
    from rg_core.cli.sharing import bring_up_to_date, summary

    if said := summary(bring_up_to_date(config)):
        print(said)


def _show(config: Config, *, as_json: bool) -> None:
    values = {key: _masked(key, value_of(config, key)) for key in KEYS}
    if as_json:
        say_json(values, "config")
        return
    print(f"# {line(config.path)}{'' if os.path.exists(config.path) else ' (not there yet: these are the defaults)'}")
    width = max(map(len, KEYS))
    for key, value in values.items():
        print(f"{key:<{width}}  {line(_plain(value))}".rstrip())


def _masked(key: str, value: Value) -> Value:
    return "********" if key in SECRETS and value else value


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _edit(environ: Mapping[str, str]) -> None:
    """Edit a private copy, and write it back once it is valid."""
    path = paths.config_file(environ)
    editor = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory(prefix="rg-memory-") as directory:  # of mode 0700
        draft = os.path.join(directory, "config.toml")
        write_text(draft, read_text(path) or TEMPLATE)
        while True:
            try:
                subprocess.run([*editor, draft], check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                raise UserError(
                    f"the editor failed: {error}; {path} is unchanged; name another one in $EDITOR"
                ) from error
            text = read_text(draft)
            try:
                config = parse(text, path)
            except UserError as error:
                if not sys.stdin.isatty():
                    raise UserError(f"{error}; the file is unchanged") from error
                warn(error)
                if input("Edit again? [Y/n] ").strip().lower().startswith("n"):
                    raise UserError(f"{path} is unchanged") from error
                continue
            _take_events(environ)
            write_text(path, text)
            current(environ)
            for sentence in idle(config):
                warn(f"written; {sentence}")
            return


def _take_events(environ: Mapping[str, str]) -> None:
    """Take in what hooks left under the identity and the pseudonym that stand now."""
    try:
        TouchLog(outbox_file(environ)).drain()
    except UserError as error:  # they carry who they are of, and can wait
        warn(error)
