"""Fetches the official A2A SDK for JavaScript from npm: python -m tests.core.assets.a2a_node."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[3] / ".cache" / "a2a-node"
PACKAGE = "@a2a-js/sdk@1.3.0"
INSTALLED = FOLDER / "node_modules" / "@a2a-js" / "sdk" / "package.json"
READ_BACK = """
import { AgentCard } from "@a2a-js/sdk";
let text = "";
for await (const part of process.stdin) text += part;
console.log(JSON.stringify(JSON.parse(text).map((card) => AgentCard.toJSON(AgentCard.fromJSON(card)))));
"""


def missing() -> str | None:
    """Why the SDK cannot be used here, in one line; None if it can."""
    if not shutil.which("node"):
        return "no A2A SDK for JavaScript: node is not installed"
    if not INSTALLED.exists():
        return "no A2A SDK for JavaScript: `python -m tests.core.assets.a2a_node` fetches it"
    return None


def read_back(cards: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The cards as the SDK reads and writes them."""
    script = FOLDER / "read_back.mjs"
    script.write_text(READ_BACK, "utf-8")
    done = subprocess.run(["node", script], input=json.dumps(cards), capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def fetch() -> None:
    """Install it into the repository's .cache.

    Raises:
        subprocess.CalledProcessError: if npm fails; npm has said why.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    subprocess.run(["npm", "install", "--prefix", str(FOLDER), *quiet, PACKAGE], check=True)


if __name__ == "__main__":
    fetch()
