"""Recognises secrets by what their makers write in front of them. A net with holes: it stops accidents. Pure."""

from __future__ import annotations

import re

KINDS = (
    ("a GitHub token", r"\bgithub_pat_[A-Za-z0-9_]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}"),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("an API key", r"\bsk-(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{20,}|\bAIza[0-9A-Za-z_-]{35}"),
    ("a bearer token", r"\bBearer\s+(?=[^\s]*[0-9])[A-Za-z0-9._~+/-]{20,}=*"),
    ("an AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("a signed token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{4,}@"),
)
PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in KINDS)


def secret_in(text: str) -> str | None:
    """What kind of secret a text holds, e.g. "a GitHub token"; None if none is recognised."""
    return next((kind for kind, pattern in PATTERNS if pattern.search(text)), None)
