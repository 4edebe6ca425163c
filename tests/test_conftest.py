"""The poison works: what defaults to the user's home fails in a test."""

import os
import re
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import load, set_values
from rg_core.errors import UserError
from rg_core.touches.database import TouchLog


def test_default_places_cannot_be_written() -> None:
    with pytest.raises(UserError):
        set_values(os.environ, {"identity.user_id": "somebody"})
    with pytest.raises(UserError):
        TouchLog(paths.outbox_file(os.environ)).known_count()
    with pytest.raises(NotADirectoryError):
        Path("~/x").expanduser().mkdir(parents=True)


def test_default_places_cannot_be_read() -> None:
    with pytest.raises(UserError):
        load(os.environ)


def test_the_home_fixture_is_a_place_of_its_own(home: dict[str, str], tmp_path: Path) -> None:
    for file in (paths.config_file(home), paths.memory_file(home), paths.outbox_file(home)):
        assert Path(file).is_relative_to(tmp_path)
    assert set_values(home, {"identity.user_id": "somebody"}).user == "somebody"


def test_what_drives_a_program_or_a_browser_is_where_make_looks_for_it() -> None:
    root = Path(__file__).parent.parent
    (folders,) = re.findall(r"-m 'e2e or browser' (.*)", (root / "Makefile").read_text("utf-8"))
    driving = [
        file.relative_to(root)
        for file in (root / "tests").rglob("test_*.py")
        if re.search(r"pytest\.mark\.(e2e|browser)\b", file.read_text("utf-8"))
    ]
    assert driving
    assert [file for file in driving if not any(file.is_relative_to(folder) for folder in folders.split())] == []
