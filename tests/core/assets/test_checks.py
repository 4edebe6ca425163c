"""The ceilings of what may be handed in: the last value that fits, and the first that does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rg_core.assets import checks
from rg_core.assets.errors import Refused
from rg_core.assets.model import Policy
from tests.core.assets.people import NOW

CONTENT: dict[str, tuple[Callable[[int], Any], int]] = {
    "name": (lambda n: "é" * n, 80),
    "description": (lambda n: "é" * n, 1024),
    "summary": (lambda n: "é" * n, 4096),
    "body": (lambda n: "é" * (n // 2) + "x" * (n % 2), 256 * 1024),
    "payload": (lambda n: {"x": "y" * (n - 8)}, 64 * 1024),
    "labels": (lambda n: [f"label {one}" for one in range(n)], 50),
}
POLICY: dict[str, tuple[Callable[[int], Any], int]] = {
    "acl": (lambda n: [{"effect": "allow", "subject": f"user:u{one}", "rights": ["use"]} for one in range(n)], 100),
    "bindings": (lambda n: [{"target": f"agent:a{one}"} for one in range(n)], 100),
    "owner": (lambda n: "é" * n, 200),
}


def content(**given: Any) -> object:
    return checks.revised(None, {"name": "n", **given})


def policy(**given: Any) -> object:
    return checks.patched(Policy("ann"), given, NOW)


@pytest.mark.parametrize("field", [*CONTENT, *POLICY])
def test_a_ceiling_is_the_last_value_that_fits(field: str) -> None:
    made, most = {**CONTENT, **POLICY}[field]
    checked = content if field in CONTENT else policy
    checked(**{field: made(most)})
    with pytest.raises(Refused, match=f"^{field}:") as refused:
        checked(**{field: made(most + 1)})
    assert refused.value.word == "invalid"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("labels", ["x" * 61]),
        ("labels", [""]),
        ("labels", "x"),
        ("name", " "),
        ("name", 7),
        ("body", "\ud800"),
        ("payload", {"x": {1}}),
        ("payload", ["x"]),
        ("acl", [{"effect": "allow", "subject": "pet:rex", "rights": ["use"]}]),
        ("acl", [{"effect": "allow", "subject": "user:bob", "rights": []}]),
        ("acl", [{"effect": "allow", "subject": "user:", "rights": ["use"]}]),
        ("acl", [{"effect": "perhaps", "subject": "user:bob", "rights": ["use"]}]),
        ("bindings", [{"target": "user:bob"}]),
        ("bindings", [{"target": "agent:*"}]),
        ("bindings", [{"target": "agent:a"}, {"target": " agent: a "}]),
        ("bindings", [{"target": "agent:a", "mode": "loud"}]),
        ("bindings", [{"target": "agent:a", "priority": 0.0001}]),
        ("priority", 1.001),
        ("priority", 0.1234),
        ("priority", True),
        ("confidence", "high"),
        ("expires_at", NOW),
        ("expires_at", "soon"),
        ("visibility", "public"),
        ("visibility", "team"),
        ("follow", 1),
        ("colour", "red"),
    ],
)
def test_what_does_not_fit_names_its_field(field: str, value: Any) -> None:
    with pytest.raises(Refused) as refused:
        (content if field in CONTENT else policy)(**{field: value})
    assert refused.value.word == "invalid"
    named = "teams" if (field, value) == ("visibility", "team") else field
    assert str(refused.value).startswith(named)
    assert "\n" not in str(refused.value)
