"""Recognises secrets by what their makers write in front of them. A net with holes: it stops accidents. Pure."""

from __future__ import annotations

import re

from rg_core.border import MASK
from rg_core.border import masked as known_masked

KINDS = (
    ("a GitHub token", r"\bgithub_pat_[A-Za-z0-9_]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}"),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("an API key", r"\bsk-(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{20,}|\bAIza[0-9A-Za-z_-]{35}"),
    ("a bearer token", r"\bBearer\s+(?=[^\s]*[0-9])[A-Za-z0-9._~+/-]{20,}=*"),
    ("an AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    (
        "a private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|[A-Za-z0-9+/=\s]*)",
    ),
    ("a signed token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{4,}@"),
)
USERINFO = re.compile(r"(?<=://)[^\s/@]+(?=@)")  # user and password of a URL, however short
PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in KINDS)


def secret_in(text: str) -> str | None:
    """What kind of secret a text holds, e.g. "a GitHub token"; None if none is recognised."""
    return next((kind for kind, pattern in PATTERNS if pattern.search(text)), None)


def masked(text: str) -> str:
    """The text with *** for whatever is recognised, for every user of a URL, and for what this process keeps secret."""
    text = USERINFO.sub(MASK, text)
    for _, pattern in PATTERNS:
        text = pattern.sub(MASK, text)
    return known_masked(text)


def replaced(text: str) -> str:
    """The text with `[secret: KIND]` for whatever is recognised."""
    for kind, pattern in PATTERNS:
        text = pattern.sub(f"[secret: {kind.partition(' ')[2]}]", text)
    return text
