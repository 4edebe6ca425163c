"""Who does what in these tests, and how."""

from __future__ import annotations

from dataclasses import replace

from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import Identity

ALICE = Identity("alice", "harbor", framework="codex")
BOB = replace(ALICE, user="bob")
NOBODY = replace(ALICE, user="")
NOWHERE = replace(ALICE, project="")
ELSEWHERE = replace(ALICE, project="tide")

NOW = "2026-12-01T00:00:00Z"
CLI = Setting("cli", NOW)
IMPORT = Setting("import", NOW)
AGENT = Setting("mcp", NOW, "write")
SKILL = {
    "name": "release-notes",
    "description": "How we write release notes.",
    "body": "From the merged pull requests.",
}
