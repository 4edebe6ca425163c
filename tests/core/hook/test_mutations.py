"""No payload, however broken, makes the hook fail or say more than a note."""

import random

import pytest

from tests.core.hook import mutations
from tests.core.hook.running import identified, run_hook

pytestmark = pytest.mark.unmeasured


def test_thousands_of_mutated_payloads(home: dict[str, str]) -> None:
    notes, _ = mutations.run(5000, seed=20261129, environ=home)
    assert notes > 100  # enough of them are read to the end


def test_mutated_payloads_through_the_real_program(home: dict[str, str]) -> None:
    identified(home)
    chance = random.Random(11)
    originals = mutations.seeds()
    for _ in range(100):
        raw = mutations.mutated(chance, chance.choice(originals))
        answer = run_hook(home, raw)  # which asserts exit 0 and a silent stderr
        assert answer == "" or answer.startswith('{"hookSpecificOutput": {"hookEventName": "')
