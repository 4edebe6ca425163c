"""The skill in the plugin packages is one, by the reference reading of Agent Skills."""

from pathlib import Path

import pytest
from skills_ref import validate

SKILLS = sorted((Path(__file__).parents[2] / "plugins").glob("*/*/skills/memory-first"))


@pytest.mark.parametrize("folder", SKILLS, ids=lambda folder: folder.parts[-4])
def test_a_packaged_skill_is_valid_and_one_page(folder: Path) -> None:
    assert validate(folder) == []
    assert len((folder / "SKILL.md").read_text().splitlines()) <= 60


def test_every_package_has_it() -> None:
    assert len(SKILLS) == len(list((Path(__file__).parents[2] / "plugins").glob("*/*/")))
