"""Which published schema each command's `--json` has, and JSON that is held to it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from rg_core.assets.code import QUESTIONS
from rg_core.cli.main import parser
from rg_installer import cli as installer

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
SHARED = {"register": "done", "govern": "done", "forget": "forgotten", **dict.fromkeys(QUESTIONS, "code")}


def schema_of(command: str, action: str = "") -> str:
    """The name of the schema: of a command's actions together, but of each action of `asset`."""
    return f"asset_{SHARED.get(action, action)}" if command == "asset" else command


def checked(schema: str, printed: str) -> Any:
    """The JSON, which is what the published schema says."""
    value = json.loads(printed)
    jsonschema.validate(value, json.loads((SCHEMAS / f"{schema}.json").read_text("utf-8")))
    return value


def with_json() -> Iterator[tuple[str, ...]]:
    """The words of every command that takes `--json`."""
    if "--json" in installer._parser()._option_string_actions:
        yield ("install",)
    yield from _with_json(parser())


def _with_json(of: argparse.ArgumentParser, *words: str) -> Iterator[tuple[str, ...]]:
    if "--json" in of._option_string_actions:
        yield words
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from _with_json(inner, *words, name)
