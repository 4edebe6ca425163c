"""Where Acme keeps hooks and servers: one JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rg_core.harness import guard
from rg_core.harness.capabilities import Probe
from rg_core.harness.edits import Edit, Item, Json, Key, Ours
from rg_core.harness.protocol import Check, Commands, Place

TITLE = "Acme"


def present(place: Place) -> str | None:
    """The directory that it made."""
    folder = place.home / ".acme"
    return str(folder) if folder.is_dir() else None


def edits(place: Place, commands: Commands) -> Sequence[Edit]:
    """Two hooks and the server."""
    file = place.home / ".acme" / "acme.json"
    lines = {"begin": guard.posix(commands.hook, "acme", "SessionStart"), "call": guard.posix(commands.hook, "acme")}
    server = {"command": commands.mcp, "args": ["--harness", "acme"]}
    return [
        *(Item(file, "json", ("on", on), {"run": line}, Ours("rg-hook", ("acme",))) for on, line in lines.items()),
        Key(file, "json", ("servers", "resources-graph"), server, Ours("rg-mcp")),
    ]


def objection(path: Path, value: Json) -> str | None:
    """Acme wants an object."""
    return None if isinstance(value, Mapping) else "Acme wants an object here"


def todo(place: Place) -> Sequence[str]:
    """Acme asks for nothing."""
    return ["start a new session."]


def checks(place: Place) -> Sequence[Check]:
    """Acme has no switches."""
    return [Check("no switch silences it", True)]


def probe() -> Probe:
    """The one capability of Acme's."""
    payload = {"acme": "before", "run": "gh issue view 1 -R octocat/hello-world", "session": "rg-doctor"}
    return Probe(payload, registered="call")
