"""What commands print with --json has the schema that is published for it, and says so itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from rg_core import config, paths
from rg_core.cli.main import main
from rg_core.cli.screen import as_json
from rg_core.store import open_store
from rg_core.store.model import Batch
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, Touch
from tests.core.cli.schemas import SCHEMAS, checked, schema_of, with_json
from tests.core.store.worlds import a_comment, a_listing, a_repository, an_item

AT = "2026-11-29T20:00:00Z"
ITEM = an_item(1, comments=(a_comment(1),))


@pytest.fixture
def me(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Somebody who explored one issue that is stored, and one that waits."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    store = open_store(config.set_values(home, {"identity.user_id": "ann"}), home)
    store.init()
    store.write(Batch(AT, repositories=[a_repository()], items=[ITEM], listings=[a_listing([ITEM])]))
    store.close()
    touch = Touch("1", "ann", "github:o/r#1", "item", FETCHED, AT, "s", "codex")
    TouchLog(paths.outbox_file(home)).record([touch])
    return home


def test_every_command_with_json_has_a_schema_and_every_schema_a_command() -> None:
    found = {schema_of(*words[:2]) for words in with_json()}
    assert {"asset_audit", "asset_code", "install", "documents"} <= found
    assert found | {"explain"} == {path.stem for path in SCHEMAS.iterdir()}  # which prints nothing but JSON


@pytest.mark.usefixtures("me")
@pytest.mark.parametrize(
    "words",
    [
        "status", "touches", "list", "show owner/repo#1", "show owner/repo", "show owner/repo/issues?state=all",
        "show owner/repo#9", "history owner/repo#1", "store init", "store check", "store reindex", "config show",
        "project list", "stats", "forget owner/repo#1 --yes", "recall title",
        "documents list", "documents edges", "wrap --session s",
    ],
)  # fmt: skip
def test_a_command_prints_what_its_schema_says(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words.split(), "--json"]) == 0
    assert checked(words.split()[0], capsys.readouterr().out) is not None


@pytest.mark.usefixtures("me")
def test_summaries_of_what_goes_out_and_comes_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "memory.jsonl")
    assert main(["export", file, "--json"]) == 0
    assert checked("export", capsys.readouterr().out)["records"] > 0
    assert main(["import", file, "--json"]) == 0
    assert checked("import", capsys.readouterr().out)["records"] > 0
    assert main(["explain", "--prompt", "see o/r#1 and https://github.com/o/r"]) == 0
    assert len(checked("explain", capsys.readouterr().out)["addresses"]) == 2


def test_a_field_that_no_schema_has_is_not_printed() -> None:
    with pytest.raises(ValidationError):
        as_json({"records": 1, "known": 1, "surprise": 1}, "import_")
