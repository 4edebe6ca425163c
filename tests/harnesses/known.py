"""The six harnesses that ship with rg-memory. The annotations are what makes mypy check each against its Protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import rg_claude_code.hook
import rg_claude_code.install
import rg_claude_code.transcripts
import rg_codex.hook
import rg_codex.install
import rg_codex.transcripts
import rg_copilot.hook
import rg_copilot.install
import rg_copilot.transcripts
import rg_cursor.hook
import rg_cursor.install
import rg_cursor.transcripts
import rg_grok.hook
import rg_grok.install
import rg_grok.transcripts
import rg_opencode.hook
import rg_opencode.install
import rg_opencode.transcripts
from rg_core.harness.capabilities import FastHooks, OwnLanguage, Plugged, Probed, Transcribed, Trusting
from rg_core.harness.protocol import Hook, Install

HOOKS: dict[str, Hook] = {
    "claude_code": rg_claude_code.hook,
    "codex": rg_codex.hook,
    "copilot": rg_copilot.hook,
    "cursor": rg_cursor.hook,
    "grok": rg_grok.hook,
    "opencode": rg_opencode.hook,
}


if TYPE_CHECKING:

    class Proven(Install, Probed, Protocol):
        """What all six are: installed, and tried by the doctor."""


INSTALLS: dict[str, Proven] = {
    "claude_code": rg_claude_code.install,
    "codex": rg_codex.install,
    "copilot": rg_copilot.install,
    "cursor": rg_cursor.install,
    "grok": rg_grok.install,
    "opencode": rg_opencode.install,
}
PROBED: Mapping[str, Probed] = INSTALLS
PLUGGED: dict[str, Plugged] = {
    "claude_code": rg_claude_code.install,
    "codex": rg_codex.install,
    "copilot": rg_copilot.install,
    "cursor": rg_cursor.install,
}
FAST: dict[str, FastHooks] = {"claude_code": rg_claude_code.install, "codex": rg_codex.install}
TRUSTING: dict[str, Trusting] = {"codex": rg_codex.install}
OWN_LANGUAGE: dict[str, OwnLanguage] = {"opencode": rg_opencode.install}
TRANSCRIBED: dict[str, Transcribed] = {
    "claude_code": rg_claude_code.transcripts,
    "codex": rg_codex.transcripts,
    "copilot": rg_copilot.transcripts,
    "cursor": rg_cursor.transcripts,
    "grok": rg_grok.transcripts,
    "opencode": rg_opencode.transcripts,
}
