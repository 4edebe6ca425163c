"""What core and the installer ask of a harness: two Protocols that two modules of its package keep.

rg_<name>/hook.py is on the hot path and pure; rg_<name>/install.py is cold and pure but for `present` and `checks`.
Core can hand an adapter only a note, so no adapter's answer can hold a decision (allow, deny, ask, changed input).
"""

from __future__ import annotations

from rg_core.quickjson import quote
from rg_core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any, Literal, Protocol

    from rg_core.harness.edits import Edit, Json
    from rg_core.harness.events import Event
else:
    Protocol = object


OWN_TOOLS = ("resource", "recall", "cite", "remember")


@record
class Call:
    """One hook call as the program made it: the parsed payload, the EVENT argument of rg-hook, the environment."""

    payload: Mapping[str, Any]
    event: str | None
    environ: Mapping[str, str]


def text(payload: Mapping[str, Any], *names: str) -> str:
    """The first of these keys that holds a string; "" if none does. One field has several spellings over versions."""
    for name in names:
        if isinstance(value := payload.get(name), str):
            return value
    return ""


def own_tool(tool: str, resource: str) -> str:
    """Which of our tools this is, where `resource` has this full name; "" for a tool of somebody else."""
    prefix = resource[: -len(OWN_TOOLS[0])]
    name = tool[len(prefix) :]
    return name if tool.startswith(prefix) and name in OWN_TOOLS else ""


def context(event: str, note: str) -> str:
    """The envelope by which Claude Code, Codex and Grok Build take a note for the model, exact to the key.

    `event` must be the payload's own event name, or the program rejects the whole output.
    """
    return f'{{"hookSpecificOutput": {{"hookEventName": {quote(event)}, "additionalContext": {quote(note)}}}}}'


class Hook(Protocol):
    """rg_<name>/hook.py; pure: no file, no socket, no clock; standard library within the import budget.

    A module with `NUDGES_PROMPTS = False` has its prompts told of documents alone, and not what memory has of GitHub.
    Where the program drops what prompts are told, rg_<name>.PROMPT_NOTES_LATER = True has the next tool call told.
    """

    def read(self, call: Call) -> Event | None:
        """The event, or None: not relevant, not understood, or another harness's payload."""
        ...

    def answer(self, call: Call, note: str | None) -> str:
        """What to print. A note goes where this harness shows it to the model; None gives the neutral answer.

        The neutral answer is "" or, where the program wants an object, "{}"; rg_<name>.NEUTRAL is its value for an
        irrelevant tool call, so that the hook can print it without importing this module.
        """
        ...

    def tool(self, call: Call) -> str:
        """The full name under which this harness shows the `resource` tool to the model."""
        ...


@record
class Place:
    """Where an installer may look; everything it may know about the machine."""

    home: Path
    environ: Mapping[str, str]
    platform: Literal["linux", "darwin", "win32"]
    project: Path | None


@record
class Commands:
    """The absolute programs that go into a harness's files, e.g. /venv/bin/rg-hook and /venv/bin/rg-mcp.

    `fast`: where the harness can, its hooks ask the running MCP server instead of starting rg-hook (`--fast-hooks`).
    """

    hook: str
    mcp: str
    fast: bool = False


@record
class Check:
    """One line of --doctor: what was looked at, whether it is well, and what the user can do if not."""

    what: str
    ok: bool
    todo: str = ""


class Install(Protocol):
    """rg_<name>/install.py. What only some harnesses can do besides: rg_core.harness.capabilities."""

    TITLE: str  # the program's name as its users know it

    def present(self, place: Place) -> str | None:
        """The version or path of the program found, or None."""
        ...

    def edits(self, place: Place, commands: Commands) -> Sequence[Edit]:
        """What should be in the user's files. Writes nothing; looks at most at which of several files exists."""
        ...

    def objection(self, path: Path, value: Json) -> str | None:
        """Why the program itself would drop or refuse the file with this content; None if it would read it."""
        ...

    def todo(self, place: Place) -> Sequence[str]:
        """What only the user can do, without the harness's name: trust, approve, restart."""
        ...

    def checks(self, place: Place) -> Sequence[Check]:
        """What --doctor finds out about this harness: switches, policies, trust."""
        ...
