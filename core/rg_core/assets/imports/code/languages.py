"""The languages of code graphs. To add one: a module like its neighbours', and a row here."""

from __future__ import annotations

from rg_core.assets.imports.code.ecmascript import ECMASCRIPT
from rg_core.assets.imports.code.go import GO
from rg_core.assets.imports.code.language import Language
from rg_core.assets.imports.code.python import PYTHON

LANGUAGES = (PYTHON, GO, ECMASCRIPT)
TITLES = {"python": "Python", "go": "Go", "typescript": "TypeScript", "javascript": "JavaScript"}


def language_of(path: str) -> Language | None:
    """The language of a file, by its name."""
    return next((one for one in LANGUAGES if path.endswith(tuple(one.suffixes))), None)
