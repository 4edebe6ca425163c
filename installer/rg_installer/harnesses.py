"""The six harnesses that ship with rg-memory. The annotations are the check that each one keeps the protocol."""

from __future__ import annotations

import rg_claude_code.hook
import rg_claude_code.install
import rg_codex.hook
import rg_codex.install
import rg_copilot.hook
import rg_copilot.install
import rg_cursor.hook
import rg_cursor.install
import rg_grok.hook
import rg_grok.install
import rg_opencode.hook
import rg_opencode.install
from rg_core.harness.protocol import Hook, Install

HOOKS: dict[str, Hook] = {
    "claude_code": rg_claude_code.hook,
    "codex": rg_codex.hook,
    "copilot": rg_copilot.hook,
    "cursor": rg_cursor.hook,
    "opencode": rg_opencode.hook,
    "grok": rg_grok.hook,
}
INSTALLS: dict[str, Install] = {
    "claude_code": rg_claude_code.install,
    "codex": rg_codex.install,
    "copilot": rg_copilot.install,
    "cursor": rg_cursor.install,
    "opencode": rg_opencode.install,
    "grok": rg_grok.install,
}
TITLES = {
    "claude_code": "Claude Code",
    "codex": "Codex",
    "copilot": "Copilot CLI",
    "cursor": "Cursor",
    "opencode": "OpenCode",
    "grok": "Grok Build",
}
