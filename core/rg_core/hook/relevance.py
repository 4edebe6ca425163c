"""A test on a payload's raw bytes: may it concern an address, our own tool or a session? Hot: imports nothing.

Most tool calls concern none, and cost no more than this. Whatever yields an Address passes it (a property test): a
command can be spelled with quotes, escapes and variables, so what cannot be ruled out passes too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION = (b"sessionstart", b"sessionend", b"subagentstart")
# GitHub's host, the arguments and tools of its MCP server under any name of that server, our own tool under any name.
NAMES = (
    b"github",
    b'"repo',
    b"repo:",
    b"searchissues",
    b"searchpull",
    b"resourcesgraph",
    b"mcp:resource",
    b"mcp:recall",
    b"mcp:cite",
    b"mcp:remember",
)
PROMPTS = (b'"prompt"', b"chat.message")
PARTS = (*NAMES, b"#0", *SESSION)  # any digit: owner/repo#1
# A shell that puts words together from variables, or decodes escapes.
EXPANDING = (b"=", b"for ", b"$'")
UPPER, DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"
FOLDED = bytes.maketrans(UPPER + DIGITS, UPPER.lower() + b"0000000000")
WORDS = bytes(byte if chr(byte).isalnum() and byte < 128 else 32 for byte in FOLDED)
JOINING = b"_-"  # session_start, resources-graph
QUOTES = b"\"'`\\^"


def may_concern(raw: bytes, event: str | None = None) -> bool:
    """Whether a payload, or the event it came for, is worth reading."""
    if event and _folded(event.encode("utf-8", "replace")).startswith(SESSION):
        return True
    folded = _folded(raw)
    if any(part in folded for part in PARTS):
        return True
    if b"$" in raw and any(part in raw for part in EXPANDING):
        return True
    # As a shell would read it: line continuations, quotes and escapes gone; the escapes of JSON end words.
    lines = raw.replace(b"\\\\\\n", b"").replace(b"\\n", b" ").replace(b"\\t", b" ").replace(b"\\r", b" ")
    bare = lines.translate(FOLDED, QUOTES)
    if b"github" in bare:
        return True
    # Quotes and escapes end a word or do not: g''h is gh, and so is the last part of C:\\bin\\gh.
    return b"gh" in bare and (b"\\u00" in raw or _has_gh(bare) or _has_gh(lines))


def may_name_document(raw: bytes, environ: Mapping[str, str]) -> bool:
    """Whether a payload may be a prompt that names a document; opens one small file (rg_core.touches.upstream)."""
    if not any(part in raw for part in PROMPTS):
        return False
    from rg_core import paths
    from rg_core.touches.upstream import names_path

    try:
        with open(names_path(paths.data_dir(environ)), "rb") as file:
            _, *parts = _folded(file.read()).split(b"\n")
    except OSError:
        return False
    folded = _folded(raw)
    return any(part in folded for part in parts)


def _folded(text: bytes) -> bytes:
    return text.translate(FOLDED, JOINING)


def _has_gh(text: bytes) -> bool:
    return b" gh " in b" %b " % text.translate(WORDS)
