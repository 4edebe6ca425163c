"""The captures: payloads as real programs sent them, below <harness>/captures/<version>/."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rg_core.harness.protocol import Call
from tests.harnesses.known import HOOKS

HERE = Path(__file__).parent
NEUTRAL: Mapping[str, str] = {harness: import_module(f"rg_{harness}").NEUTRAL for harness in HOOKS}


@dataclass(frozen=True)
class Capture:
    """One payload, and where what it should become is written."""

    path: Path

    @property
    def harness(self) -> str:
        return self.path.relative_to(HERE).parts[0]

    @property
    def version(self) -> str:
        return self.path.parent.name

    @property
    def expectation(self) -> Path:
        return HERE / self.harness / "expected" / self.version / self.path.name

    @property
    def name(self) -> str:
        return f"{self.harness}-{self.version}-{self.path.stem}"

    @property
    def event(self) -> str | None:
        """The EVENT argument of rg-hook: Copilot's hook files name the event, OpenCode's plugin its hook or event."""
        if self.harness == "copilot":
            return self.path.stem.split("-")[0]
        if self.harness == "opencode":
            hook = str(self.payload()["hook"])
            return {"event": "SessionStart", "dispose": "SessionEnd"}.get(hook, hook)
        return None

    def payload(self) -> dict[str, Any]:
        payload = json.loads(self.path.read_bytes())
        assert isinstance(payload, dict)
        return payload

    def call(self) -> Call:
        """The call as the program made it; Copilot tells its version in the environment."""
        environ = {"COPILOT_CLI_BINARY_VERSION": self.version} if self.harness == "copilot" else {}
        return Call(self.payload(), self.event, environ)


def captures() -> list[Capture]:
    return [Capture(path) for path in sorted(HERE.glob("*/captures/*/*.json"))]


def keys(value: object) -> Iterator[str]:
    """Every key of a JSON value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)
