"""Who calls our tools and from where, as far as the process knows it: project, store, a person at a terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from rg_core import paths
from rg_core.address import of_argument
from rg_core.address.found import NoAddress
from rg_core.address.github.remotes import base_repository
from rg_core.config import Config
from rg_core.documents.projects import project_of
from rg_core.git import remotes
from rg_core.telemetry.events import Caller

TERMINAL = "cli"  # the harness, and the connection, of what a person runs
VARIABLE = "_PROJECT_DIR"  # how harnesses name the variable that tells their project's directory


def project_name(config: Config, environ: Mapping[str, str]) -> str:
    """The configured project that this process's project directory is in, or its GitHub repository's key.

    Without either dir:NAME, NAME being that of its work tree; outside any work tree "".
    """
    told = (value for name, value in sorted(environ.items()) if name.endswith(VARIABLE) and os.path.isdir(value))
    directory = next(told, "") or paths.here()
    if project := project_of(config, directory):
        return project.name
    tree = _work_tree(directory)
    if not tree:
        return ""
    try:
        found = of_argument(base_repository(remotes(directory, environ) or {}))
        return str(found.addresses[0])
    except (NoAddress, IndexError):
        return f"dir:{os.path.basename(tree)}"


def store_name(config: Config) -> str:
    """The host of the store's url; "local" without one."""
    return urlsplit(config.store.url).hostname or "local" if config.store.url else "local"


def terminal(config: Config, environ: Mapping[str, str]) -> Caller:
    """The configured person at a terminal: all that was run there counts as one connection."""
    return Caller(
        config.user, TERMINAL, connection=TERMINAL, project=project_name(config, environ), store=store_name(config)
    )


def _work_tree(directory: str) -> str:
    if not directory:
        return ""
    here = os.path.abspath(directory)
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent
    return here
