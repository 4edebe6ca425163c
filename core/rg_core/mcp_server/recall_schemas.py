"""What the tools `recall` and `remember` say of themselves, and who hides one. Plain data: no SDK here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

RECALL, REMEMBER = "recall", "remember"
KINDS = ["issue", "pull_request", "repository", "document", "note"]
TOOLS: dict[str, dict[str, Any]] = {
    RECALL: {
        "title": "Search memory",
        "reads": True,
        "description": "Search memory: GitHub issues, pull requests and repositories, the project's own documents "
        "(specs, ADRs) and notes, by words, meaning and relations. Ask it when you do not know the address, or before "
        'you plan a change: "what depends on SPEC-034". What the query names comes first; results show the path that '
        "led there.",
        "schema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, in any words; names and addresses help."},
                "as_of": {"type": "string", "description": "What held at this time, in ISO 8601. Default: now."},
                "kinds": {"type": "array", "items": {"type": "string", "enum": KINDS}, "description": "Default: all."},
                "repository": {"type": "string", "description": "Only of this owner/repo."},
                "project": {"type": "string", "description": "Only documents and notes of this project."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
                "page": {"type": "integer", "minimum": 1, "default": 1},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    },
    REMEMBER: {
        "title": "Keep a note",
        "reads": False,
        "description": "Keep a short note in the user's private memory: a decision, a lesson, a fact or something to "
        "do, for later sessions to recall. Never secrets.",
        "schema": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "At most 4,000 characters; the first line is its title."},
                "about": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "What it is about: SPEC-054, owner/repo#12, a doc: key.",
                },
                "kind": {"type": "string", "enum": ["decision", "lesson", "fact", "todo"], "default": "fact"},
                "replaces": {"type": "string", "description": "The note: key whose new wording this is."},
            },
            "required": ["text"],
            "additionalProperties": False,
        },
    },
}


def hidden(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The tools that the configuration hides: `remember` where `documents.notes` is off.

    Part of the front desk: a configuration that does not speak of notes, as most do not, is not parsed.
    """
    from rg_core.mcp_server.launch import config_bytes

    if b"notes" not in config_bytes(environ):
        return ()
    from rg_core.config import load
    from rg_core.errors import UserError

    try:
        return (REMEMBER,) if load(environ).documents.notes == "off" else ()
    except UserError:
        return ()
