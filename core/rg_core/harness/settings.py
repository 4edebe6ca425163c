"""What a program's settings file says, for a look at switches: never for an edit, which keeps every byte."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from rg_core import files
from rg_core.harness.edits import Json


def said(file: Path) -> Mapping[str, Json]:
    """The content of a JSON or TOML file; {} for one that is missing, unreadable or holds something else."""
    try:
        text = (files.read(str(file)) or b"").decode("utf-8-sig")
        content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
