"""Where rg-memory keeps its files, on each platform. Names only: nothing is created here.

Hot: os and sys only.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "rg-memory"


def config_file(environ: Mapping[str, str]) -> str:
    """config.toml: $XDG_CONFIG_HOME/rg-memory (Linux), ~/Library/Application Support (macOS), %APPDATA% (Windows)."""
    return os.path.join(_base(environ, "XDG_CONFIG_HOME", ".config", "APPDATA"), NAME, "config.toml")


def data_dir(environ: Mapping[str, str]) -> str:
    """The data directory: $XDG_DATA_HOME/rg-memory, ~/Library/Application Support/rg-memory, %LOCALAPPDATA%."""
    return os.path.join(_base(environ, "XDG_DATA_HOME", os.path.join(".local", "share"), "LOCALAPPDATA"), NAME)


def memory_file(environ: Mapping[str, str]) -> str:
    """The embedded store: public content."""
    return os.path.join(data_dir(environ), "memory.db")


def assets_file(environ: Mapping[str, str]) -> str:
    """Governed assets and their audit: of people, so apart from memory."""
    return os.path.join(data_dir(environ), "assets.db")


def outbox_file(environ: Mapping[str, str]) -> str:
    """The local file of Touches and of the index of known addresses: private."""
    return os.path.join(data_dir(environ), "touches.db")


def telemetry_file(environ: Mapping[str, str]) -> str:
    """What memory served and what was used: private."""
    return os.path.join(data_dir(environ), "telemetry.db")


def documents_file(environ: Mapping[str, str]) -> str:
    """Documents and notes with their versions: private."""
    return os.path.join(data_dir(environ), "documents.db")


def recall_file(environ: Mapping[str, str], version: int) -> str:
    """The index that recall searches, made anew from the other files under every new version number: private."""
    return os.path.join(data_dir(environ), f"recall-{version}.db")


def log_file(environ: Mapping[str, str]) -> str:
    """What happened where nobody looks (rg_core.log)."""
    return os.path.join(data_dir(environ), "rg-memory.log")


def last_sweep_file(environ: Mapping[str, str]) -> str:
    """How the last Sweep on this machine ended (rg_core.sweep.last)."""
    return os.path.join(data_dir(environ), "last-sweep.json")


def here() -> str:
    """The working directory; "" where it is gone, as under a session whose worktree was removed."""
    try:
        return os.getcwd()  # noqa: TID251
    except OSError:
        return ""


def _base(environ: Mapping[str, str], variable: str, below_home: str, windows: str) -> str:
    if os.path.isabs(value := environ.get(variable, "")):  # the XDG specification: a relative path is ignored
        return value
    if sys.platform == "win32" and (value := environ.get(windows, "")):
        return value
    home = environ.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return os.path.join(home, below_home)
