"""Fetches the official TypeScript clients and the inspector from npm: python -m tests.core.mcp.node_clients."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / ".cache" / "mcp-node"
PACKAGES = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/inspector@2.12.0",
)


def missing() -> str | None:
    """Why the clients cannot be used here, in one line; None if they can."""
    if not shutil.which("node"):
        return "no TypeScript clients: node is not installed"
    if not (FOLDER / "complete").exists():
        return "no TypeScript clients: `python -m tests.core.mcp.node_clients` fetches them"
    return None


def fetch() -> None:
    """Install the packages into the repository's .cache; what is there is kept.

    Raises:
        subprocess.CalledProcessError: if npm fails; npm has said why.
    """
    if (FOLDER / "complete").exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    subprocess.run(["npm", "install", "--prefix", str(FOLDER), *quiet, *PACKAGES], check=True)
    (FOLDER / "complete").touch()


if __name__ == "__main__":
    fetch()
