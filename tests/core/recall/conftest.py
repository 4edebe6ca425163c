"""A project of the synthetic specifications, a store of GitHub items, and the commands that a user would give."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from rg_core.config import load, set_values
from rg_core.store import open_store
from rg_core.store.model import Batch
from tests.bolt_server import BoltServers, Server
from tests.core.documents.conftest import Project, project
from tests.core.reading import samples

__all__ = ["project"]
SPECS = Path(__file__).with_name("specs")


@pytest.fixture(scope="module")
def emptied(bolt_servers: BoltServers) -> Server:
    """A server without what other tests left there: that would be found too."""
    bolt_servers.empty_store().close()
    return bolt_servers.server()


@pytest.fixture
def harbor(project: Project) -> Project:
    """The project harbor with the specifications in memory."""
    shutil.copytree(SPECS, project.root / "specs")
    project.run("documents", "add", ".", "--yes")
    return project


def remember_items(project: Project, *items: object) -> None:
    """Store GitHub items, as a Sweep would."""
    with closing(open_store(load(project.environ), project.environ)) as store:
        store.write(Batch(samples.AT, repositories=[samples.repository()], items=items))  # type: ignore[arg-type]


def share_memory(environ: dict[str, str], bolt_servers: BoltServers) -> None:
    """Have a home's memory be on a server, which is empty."""
    bolt_servers.empty_store().close()
    point_to(environ, bolt_servers.server())


def point_to(environ: dict[str, str], server: Server) -> None:
    """Have a home's memory be on this server."""
    set_values(environ, {"store.url": server.url, "store.user": server.user, "store.password": server.password})
