"""JSON by the C parts of `json` alone is the JSON of `json`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rg_core.quickjson import dumps, whole

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=20)


@given(VALUES)
def test_it_writes_and_reads_what_json_does(value: object) -> None:
    assert dumps(value) == json.dumps(value)
    assert whole(f" {json.dumps(value, ensure_ascii=False)}\r\n") == value


@given(st.text(alphabet='{}[]":,0123456789.eE+-truefalsn\\ \n\ufeff\x00', max_size=12))
def test_it_refuses_what_json_refuses(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises((ValueError, StopIteration)):
            whole(text)
    else:
        assert whole(text) == expected


def test_it_refuses_also_where_json_was_never_imported() -> None:
    """Python 3.11's scanner has then no exception to raise."""
    code = (
        "import sys; from rg_core.quickjson import whole\n"
        "for text in '{1}', '{\"a\" 1}', '[1 2]', '\"a', '[', '', 'x':\n"
        "    try: whole(text)\n"
        "    except (ValueError, StopIteration): continue\n"
        "    sys.exit(text)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
