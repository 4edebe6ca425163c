"""Broken payloads: real ones, bent. `python -m tests.core.hook.mutations 100000 [SEED]` runs that many."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from rg_core.hook.main import respond
from rg_core.hook.relevance import may_concern
from tests.core.hook.running import identified, known

CAPTURES = Path(__file__).parents[2] / "harnesses" / "claude_code" / "captures"
INSERTS = (
    b"\x00", b"\xff\xfe", b"\xf0\x9f\x90\x99", b'"', b"\\", b"\\u0000", b"\\ud800", b"{", b"}", b"[" * 2000, b"null",
    b"-1e999", b"9" * 5000, b"NaN", b"github.com/o/r/issues/1", b"gh issue view 1 -R o/r;", b"$(", b"`", b"'", b"\\n",
    b"<<EOF", b"https://github.com/o/r/issues?q=%FF%00", b"\xe2\x80\xae", b"$((", b"${x:-", b"o/r#99999999999999999999",
)  # fmt: skip
VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1e308, "", "\0", "\ud800", [], {}, [[]], {"a": {}}, "x" * 100_000, "gh issue view 3 -R o/r",
    "https://github.com/a/b/pull/3", ["bash", "-lc", "gh issue view 3 -R o/r"], "PreToolUse", "SessionStart",
)  # fmt: skip
LINES = (
    "gh issue view 12 -R memgraph/memgraph",
    "gh issue list -R o/r --label bug --search 'is:open crash'",
    'gh api graphql -f query=\'{repository(owner:"a",name:"b"){issue(number:9){title}}}\'',
    "for i in 1 2; do gh pr view $i -R o/r; done | tee $(mktemp)",
    "curl -s https://api.github.com/repos/a/b/issues/5 <<EOF\ntext\nEOF",
)


def seeds() -> list[bytes]:
    """Real payloads, and ones whose command is worth reading."""
    real = [path.read_bytes() for path in sorted(CAPTURES.glob("*/*.json"))]
    calls = [json.loads(raw) for raw in real if b'"PreToolUse"' in raw and b'"command"' in raw]
    for call, line in zip(calls, LINES * 10, strict=False):
        call["tool_input"]["command"] = line
    return real + [json.dumps(call).encode() for call in calls]


def mutated(chance: random.Random, raw: bytes) -> bytes:
    """One payload, bent once to four times: in its values where it still parses, in its bytes otherwise."""
    for _ in range(chance.randint(1, 4)):
        raw = chance.choice((_bend_value, _insert, _cut, _flip, _repeat))(chance, raw)
    return raw


def _bend_value(chance: random.Random, raw: bytes) -> bytes:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return _insert(chance, raw)
    holders = [holder for holder in _holders(value) if holder]
    if holders:
        holder = chance.choice(holders)
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if chance.random() < 0.2:
            del holder[key]
        else:
            holder[key] = chance.choice(VALUES)
    try:
        return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return raw


def _holders(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _holders(inner)


def _insert(chance: random.Random, raw: bytes) -> bytes:
    at = chance.randint(0, len(raw))
    return raw[:at] + chance.choice(INSERTS) + raw[at:]


def _cut(chance: random.Random, raw: bytes) -> bytes:
    start = chance.randint(0, len(raw))
    return raw[:start] + raw[start + chance.randint(0, 40) :]


def _flip(chance: random.Random, raw: bytes) -> bytes:
    if not raw:
        return raw
    at = chance.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :]


def _repeat(chance: random.Random, raw: bytes) -> bytes:
    start = chance.randint(0, len(raw))
    part = raw[start : start + chance.randint(0, 60)]
    return raw[:start] + part * chance.randint(2, 50) + raw[start:]


def check(raw: bytes, event: str | None, environ: Mapping[str, str]) -> bool:
    """One call in this process: no exception, and no answer but none or one note. Whether it got as far as a note."""
    if not may_concern(raw, event):
        return False
    answer, sweep = respond("claude_code", event, raw, environ)
    assert isinstance(sweep, bool)
    if answer == "":
        return False
    (output,) = json.loads(answer).items()
    assert output[0] == "hookSpecificOutput"
    assert set(output[1]) == {"hookEventName", "additionalContext"}
    assert 0 < len(output[1]["additionalContext"]) < 3000
    return True


def run(count: int, seed: int, environ: Mapping[str, str]) -> tuple[int, float]:
    """So many mutated payloads; how many were answered with a note, and the longest call in seconds."""
    chance = random.Random(seed)
    identified(environ).put_known(
        [known(f"github:{name}#{number}") for name in ("o/r", "a/b") for number in range(1, 99)]
    )
    originals, notes, longest = seeds(), 0, 0.0
    for _ in range(count):
        raw = mutated(chance, chance.choice(originals))
        began = time.perf_counter()
        notes += check(raw, chance.choice((None, None, "SessionStart", "preToolUse", "\ud800")), environ)
        longest = max(longest, time.perf_counter() - began)
    return notes, longest


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as directory:
        environ = dict(os.environ) | {"HOME": directory, "XDG_CONFIG_HOME": directory, "XDG_DATA_HOME": directory}
        notes, longest = run(count, seed, environ)
    print(f"{count} payloads, seed {seed}: {notes} notes, no exception, longest call {longest * 1000:.0f} ms")


if __name__ == "__main__":
    main()
