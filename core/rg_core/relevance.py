"""A test on a payload's raw bytes: may it concern an address, our own tool or a session? Hot: imports nothing.

Most tool calls concern none, and cost no more than this. Whatever yields an Address passes it (a property test): a
command can be spelled with quotes, escapes and variables, so what cannot be ruled out passes too.
"""

from __future__ import annotations

SESSION = (b"sessionstart", b"sessionend", b"subagentstart", b"session_start", b"session_end", b"subagent_start")
# GitHub's host, the arguments and tools of its MCP server under any name of that server, our own tool under any name.
NAMES = (b"github", b'"repo', b"repo:", b"search_issues", b"search_pull", b"resources-graph", b"resources_graph")
PARTS = (*NAMES, b"mcp:resource", *SESSION, *(b"#%d" % digit for digit in range(10)))  # owner/repo#1
# A shell that puts words together from variables, or decodes escapes.
EXPANDING = (b"=", b"for ", b"$'")
LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
WORDS = bytes(byte if chr(byte).isalnum() and byte < 128 else 32 for byte in LOWER)
QUOTES = b"\"'`\\^"


def may_concern(raw: bytes, event: str | None = None) -> bool:
    """Whether a payload, or the event it came for, is worth reading."""
    if event and event.lower().encode("utf-8", "replace").startswith(SESSION):
        return True
    lower = raw.translate(LOWER)
    if any(part in lower for part in PARTS):
        return True
    if b"$" in lower and any(part in lower for part in EXPANDING):
        return True
    # As a shell would read it: line continuations, quotes and escapes gone; the escapes of JSON end words.
    lower = lower.replace(b"\\\\\\n", b"").replace(b"\\n", b" ").replace(b"\\t", b" ").replace(b"\\r", b" ")
    bare = lower.translate(None, QUOTES)
    if b"github" in bare:
        return True
    # Quotes and escapes end a word or do not: g''h is gh, and so is the last part of C:\\bin\\gh.
    return b"gh" in bare and (b"\\u00" in lower or _has_gh(bare) or _has_gh(lower))


def _has_gh(text: bytes) -> bool:
    return b" gh " in b" %b " % text.translate(WORDS)
