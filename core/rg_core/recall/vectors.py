"""The optional vector leg: texts as 256 numbers, by a small static model that comes with its package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

MODEL = "wordllama-l2-256"
SIZE = 256
SCALE = 127.0
MISSING = "Searched without vectors: rg-memory[vectors] is not installed."
LOADING = "Searched without vectors: their model is still loading; ask again in a moment for them."
BROKEN = "Searched without vectors: their model does not load; install rg-memory[vectors] again."
NONE_STORED = "Searched without vectors: none are stored yet; they are made in the background."


@lru_cache(maxsize=1)
def model() -> Any:
    """The model, loaded once (0.7 s); None where the extra is not installed, or its files are not there."""
    try:
        import wordllama  # type: ignore[import-untyped]

        # Both arguments: else it looks for its tokenizer on the network, since its folder for that is misnamed.
        return wordllama.WordLlama.load(dim=SIZE, cache_dir=os.path.dirname(wordllama.__file__), disable_download=True)
    except Exception:  # noqa: BLE001 - whatever is wrong with an optional package: recall goes on without it
        return None


def is_installed() -> bool:
    """Whether the extra is there; loads nothing."""
    from importlib.util import find_spec

    return find_spec("wordllama") is not None and find_spec("numpy") is not None


def embed(texts: Sequence[str]) -> Any:
    """One unit vector a text, as a float32 matrix; None without a model."""
    loaded = model()
    if loaded is None:
        return None
    import numpy as np

    whole = [
        text.encode("utf-8", "replace").decode() for text in texts
    ]  # half a character is an error to the tokenizer
    found = np.asarray(loaded.embed(whole, norm=True), dtype=np.float32)
    return np.nan_to_num(found)


def packed(matrix: Any) -> list[bytes]:
    """Unit vectors as bytes, one signed number in each."""
    import numpy as np

    return [row.tobytes() for row in np.clip(np.rint(matrix * SCALE), -127, 127).astype(np.int8)]
