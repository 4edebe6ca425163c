"""Manifests against their schema; their cards against the official A2A SDKs."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from a2a.types import AgentCard
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import MessageToDict, ParseDict  # type: ignore[import-untyped]

from rg_core.assets.loadout import LoadoutRequest
from rg_core.assets.manifest import About
from rg_core.assets.store import Assets
from rg_core.store.sqlite.assets import SqliteAssets
from tests.core.assets import a2a_node, cases, worlds
from tests.core.assets.people import NOW

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "agent-manifest-1.schema.json").read_text("utf-8"))
WORLDS = 320
URL = "https://agents.example.com/a2a"


def given() -> list[dict[str, Any]]:
    """Every manifest of the cases."""
    found = [cases.run_manifest(row) for row in cases.rows("manifests")]
    return [one for one in found if "error" not in one]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every manifest of the cases, and those of random worlds."""
    local = SqliteAssets(str(tmp_path_factory.mktemp("worlds") / "assets.db"))
    assets = Assets(local)
    made = given()
    for seed in range(WORLDS):
        chance = random.Random(seed)
        worlds.write(local, worlds.world(chance, f"w{seed}").values())
        who = worlds.people(chance, f"w{seed}")
        who = replace(who, agent=who.agent or "ann")
        about = About(who.agent, interface_url=URL, content=True)
        made.append(dict(assets.manifest(who, LoadoutRequest(NOW, "release", unbound="all"), about)))
    assets.close()
    return made


def test_manifests_follow_their_schema(made: list[dict[str, Any]]) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for one in made:
        validator.validate(one)
        assert len(one["assets"]) == sum(one["capabilities"]["asset_types"].values())


def without_defaults(value: Any) -> Any:
    """What protobuf writes of a message: members that have their default value are left out."""
    if isinstance(value, Mapping):
        kept = {name: without_defaults(one) for name, one in value.items()}
        return {name: one for name, one in kept.items() if one not in (False, "", [], {}, None)}
    return [without_defaults(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def cards(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Their cards."""
    return [one["agent_card"] for one in made if one["agent_card"]]


def test_cards_pass_the_official_types(cards: list[dict[str, Any]]) -> None:
    assert len(cards) > 20
    for card in cards:
        message = ParseDict(card, AgentCard())
        validate_proto_required_fields(message)
        assert without_defaults(MessageToDict(message)) == without_defaults(card)


@pytest.mark.skipif(a2a_node.missing() is not None, reason=str(a2a_node.missing()))
def test_cards_come_back_from_the_javascript_sdk(cards: list[dict[str, Any]]) -> None:
    assert [without_defaults(card) for card in a2a_node.read_back(cards)] == [without_defaults(card) for card in cards]


@pytest.mark.parametrize(
    "url",
    [
        "http://agents.example.com", "ftp://agents.example.com", "//agents.example.com", "https://", "https:///x",
        "https://user:pw@agents.example.com", "https://user@agents.example.com", "https://a b.example.com",
        "javascript:1",
        "https://agents.example.com:port", "https://agents.example.com/\n", "http://127.0.0.1.example.com",
    ],
)  # fmt: skip
def test_an_address_where_no_agent_can_be_reached_is_refused(url: str) -> None:
    row = cases.rows("manifests")[1]
    assert cases.run_manifest({**row, "about": {**row["about"], "interface_url": url}}) == {"error": "invalid"}


@pytest.mark.parametrize("url", ["http://localhost:8080/a", "http://127.0.0.1/", "http://[::1]:99/a2a", URL + "?x=1"])
def test_an_agent_on_this_machine_needs_no_certificate(url: str) -> None:
    row = cases.rows("manifests")[1]
    card = cases.run_manifest({**row, "about": {**row["about"], "interface_url": url}})["agent_card"]
    assert card["supportedInterfaces"][0]["url"] == url


def test_the_same_equipment_is_the_same_version_whenever_it_is_made() -> None:
    row = cases.rows("manifests")[1]
    later = {**row, "ask": {**row["ask"], "now": "2027-01-01T00:00:00Z"}}
    first, second = cases.run_manifest(row), cases.run_manifest(later)
    assert first["generated_at"] != second["generated_at"]
    assert (first["id"], first["version"]) == (second["id"], second["version"])
