"""Under which key a hook tells the server whose call of one of our tools comes next. Hot, pure.

A call of `resource` has its address; every other one the tool's name and a digest of what tells it from another.
"""

from __future__ import annotations

from rg_core.touches.touch import identify

NAMED_BY = {"recall": "query", "cite": "memory", "remember": "text"}  # the argument that tells a call from another


def caller_key(tool: str, arguments: object) -> str:
    """The key of a call of recall, cite or remember."""
    named = arguments.get(NAMED_BY[tool], "") if isinstance(arguments, dict) else ""
    return f"{tool} {identify(str(named))}"
