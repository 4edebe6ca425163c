"""Fetches the official TypeScript clients and suite from npm: python -m tests.core.mcp_server.node_clients."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / ".cache" / "mcp-node"
PACKAGES = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "node@22.23.3",  # what the conformance suite needs; the one on the PATH may be older
)


def missing() -> str | None:
    """Why the clients cannot be used here, in one line; None if they can."""
    if not shutil.which("node"):
        return "no TypeScript clients: node is not installed"
    if not _complete():
        return "no TypeScript clients: `python -m tests.core.mcp_server.node_clients` fetches them"
    return None


def modern_node() -> str:
    """A node of version 22 or later: the one on the PATH, or the one fetched here; "" if there is none."""
    fetched = FOLDER / "node_modules" / "node" / "bin" / "node"
    for node in filter(None, (shutil.which("node"), str(fetched) if fetched.exists() else None)):
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        if int(told.lstrip("v").partition(".")[0] or 0) >= 22:
            return node
    return ""


def _complete() -> bool:
    marker = FOLDER / "complete"
    return marker.exists() and marker.read_text() == " ".join(PACKAGES)


def fetch() -> None:
    """Install the packages into the repository's .cache; what is there is kept.

    Raises:
        subprocess.CalledProcessError: if npm fails; npm has said why.
    """
    if _complete():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    subprocess.run(["npm", "install", "--prefix", str(FOLDER), *quiet, *PACKAGES], check=True)
    (FOLDER / "complete").write_text(" ".join(PACKAGES))


if __name__ == "__main__":
    fetch()
