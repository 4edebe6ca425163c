"""What a harness may be able to do besides: optional Protocols that rg_<name>/install.py keeps or leaves out.

Nobody asks a harness for its name: the installer looks once which of these its module keeps
(rg_installer.harnesses), and leaves out what it cannot do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from rg_core import __version__
from rg_core.harness.edits import Json, Key
from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source

PLUGIN, MARKET = "resources-graph", "rg-memory"
ABOUT = "Remembers the public GitHub issues, pull requests and lists that agents explored. Needs rg-memory installed."


@dataclass(frozen=True)
class Probe:
    """A call that views octocat/hello-world#1, which `--doctor` plays to our hook as it stands in the user's file."""

    payload: Mapping[str, Json]
    registered: str  # the event's name in the harness's file, e.g. PreToolUse: our entry for tool calls is below it
    event: str | None = None  # the EVENT argument of rg-hook where the payload does not say it


@runtime_checkable
class Probed(Protocol):
    """`--doctor` can prove the hook: without this it says that it could not."""

    def probe(self) -> Probe:
        """A shell call as the program's captured payloads have it."""
        ...


@runtime_checkable
class OwnLanguage(Protocol):
    """The hook stands in a file of ours that is a program, not JSON."""

    def command_in(self, text: str) -> Sequence[str] | None:
        """The words that this file runs for a tool call, EVENT included; None if it runs nothing of ours."""
        ...


@runtime_checkable
class FastHooks(Protocol):
    """Hooks can ask the running MCP server instead of starting rg-hook (`--fast-hooks`): Commands.fast is heeded."""

    def fast_since(self) -> tuple[str, tuple[int, ...]]:
        """The program, and its oldest version that reads such hooks; an older one may drop the whole file."""
        ...


@runtime_checkable
class Trusting(Protocol):
    """The program runs hooks only after the user has trusted them, and keeps that in a file (`--trust-hooks`)."""

    def hooks_file(self, place: Place) -> Path:
        """The file whose hooks are trusted."""
        ...

    def trust(self, place: Place, hooks: Json) -> Sequence[Key]:
        """The entries by which our hooks, and nobody else's, are trusted when the file holds `hooks`."""
        ...


@runtime_checkable
class Skilled(Protocol):
    """The program reads Agent Skills (agentskills.io): `rg-install` puts one of ours there (`--no-skill`: none)."""

    def skills(self, place: Place) -> Path | None:
        """The folder that holds a folder for each skill; None where the program reads none, e.g. in a project."""
        ...


@runtime_checkable
class Transcribed(Protocol):
    """The program keeps conversations on this disk: rg_<name>/transcripts.py, a module of its own, reads them."""

    def found(self, place: Place) -> Sequence[Source]:
        """The conversations of this user, oldest first; those of subagents may be among them."""
        ...

    def read(self, source: Source) -> Conversation:
        """What the person wrote and the assistant answered; no turns where it is a subagent's.

        Raises:
            UnknownShape: for a file in which nothing is known.
            OSError: for one that cannot be read.
        """
        ...


@dataclass(frozen=True)
class Packaging:
    """How a plugin package for the program is laid out; paths are below the package, but for the marketplace's.

    The repository itself is the marketplace: its file stands at the root, and `listing` makes it from where the package
    is, seen from there.
    """

    manifest: str
    says: Mapping[str, Json] = field(default_factory=dict)  # in the manifest, besides name, version and description
    servers: str = ".mcp.json"  # the file that names the MCP server
    marketplace: str = ""  # the file that lists the package; "" where the program needs none
    listing: Callable[[str], Mapping[str, Json]] | None = None


@runtime_checkable
class Plugged(Protocol):
    """The program takes plugins: another way in than `rg-install`, and together with it each event is seen twice."""

    def plugin_enabled(self, place: Place) -> bool:
        """Whether our plugin is on."""
        ...

    def packaging(self) -> Packaging:
        """How our plugin is laid out."""
        ...


def marketplace(source: str) -> Mapping[str, Json]:
    """The marketplace file of Claude Code and of Copilot; `source` is the package, e.g. ./plugins/copilot/NAME."""
    entry = {"name": PLUGIN, "description": ABOUT, "source": source, "version": __version__}
    return {"name": MARKET, "owner": {"name": MARKET}, "plugins": [entry]}
