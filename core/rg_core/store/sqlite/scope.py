"""A Scope as conditions and parameters of the index's statements."""

from __future__ import annotations

import json
from typing import Any

from rg_core.store.search import Scope
from rg_core.store.sqlite import sql_recall as sql


def valid(scope: Scope) -> str:
    """The condition that tells which States count."""
    return sql.THEN if scope.as_of else sql.OPEN


def values(scope: Scope) -> dict[str, Any]:
    """The parameters of the scope's conditions."""
    return {"user": scope.user, "kinds": json.dumps(scope.kinds), "repository": scope.repository,
            "project": scope.project, "as_of": scope.as_of or ""}  # fmt: skip
