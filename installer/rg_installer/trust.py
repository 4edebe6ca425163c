"""Trust entries of a program that runs hooks only after its user has trusted them: as they shall be, or to be taken."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Sequence

from rg_core.harness.capabilities import Trusting
from rg_core.harness.edits import Edit, Json, Key
from rg_core.harness.protocol import Place
from rg_installer import toml_text
from rg_installer.apply import read
from rg_installer.json_text import Malformed
from rg_installer.memo import Memo
from rg_installer.plan import Objection, plan


def given(trusting: Trusting, objection: Objection, place: Place, edits: Sequence[Edit], memo: Memo) -> Sequence[Key]:
    """The entries for our hooks as the edits will leave them."""
    changes = plan(edits, read, copy.deepcopy(memo), objection)
    file = trusting.hooks_file(place)
    return trusting.trust(place, _json(next((c.after for c in changes if c.path == file), read(file))))


def there(trusting: Trusting, place: Place) -> Sequence[Key]:
    """The entries for our hooks that are there, as the user has them: one may be switched off in them."""
    keys = trusting.trust(place, _json(read(trusting.hooks_file(place))))
    return [dataclasses.replace(key, value=value) for key in keys if (value := _value(key))]


def _value(key: Key) -> Json:
    try:
        value: Json = toml_text.value(read(key.path) or b"")
    except Malformed:
        return None
    for part in key.at:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _json(raw: bytes | None) -> Json:
    try:
        parsed: Json = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        return {}
    return parsed
