"""A project of the synthetic specifications, a store of GitHub items, and the commands that a user would give."""

import shutil
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.store.model import Batch
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.documents.conftest import Project, project
from tests.core.reading import samples

__all__ = ["project"]
SPECS = Path(__file__).with_name("specs")


@pytest.fixture
def harbor(project: Project) -> Project:
    """The project harbor with the specifications in memory."""
    shutil.copytree(SPECS, project.root / "specs")
    project.run("documents", "add", ".", "--yes")
    return project


def remember_items(project: Project, *items: object) -> None:
    """Store GitHub items, as a Sweep would."""
    store = EmbeddedStore(paths.memory_file(project.environ))
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=items))  # type: ignore[arg-type]
    store.close()
