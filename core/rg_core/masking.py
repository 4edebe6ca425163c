"""What looks like a secret, taken out of a text on its way to a person or a file. Pure; not for the hook's way."""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "***"
SHAPES = re.compile(
    r"\b(?:gh[a-z]_|github_pat_)\w{8,}"  # GitHub's own tokens
    r"|(?<=bearer )\S+|(?<=basic )\S+"  # an Authorization header that comes back
    r"|(?<=://)[^\s/@]+(?=@)",  # user and password in a URL
    re.IGNORECASE,
)


def masked(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets, and without whatever has the shape of one."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    return SHAPES.sub(MASK, text)
