"""What commands print with `--json`, as models: one module a command, whose `Output` has its schema in docs/schemas.

Cold: a command imports its model when it prints.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Printed(BaseModel):
    """An object with these fields and no others; one that has a default may be absent."""

    model_config = ConfigDict(extra="forbid")
