"""Secrets out of what people and programs said: detect-secrets, and our own patterns for what it misses."""

from __future__ import annotations

from collections.abc import Callable

from rg_core.errors import UserError
from rg_core.secret import replaced

KEPT = 8  # characters: shorter "secrets" are words
LONGEST = 20_000  # characters of a line that is looked at whole; patterns of others cost too much on longer ones


def masker() -> Callable[[str], str]:
    """Replaces secrets in a text by `[secret: KIND]`. A net with holes: what it lets through waits for a person.

    Raises:
        UserError: without the extra that finds them.
    """
    try:
        from detect_secrets.filters import heuristic
        from detect_secrets.settings import default_settings, get_plugins
    except ImportError:
        raise UserError("conversations are imported with detect-secrets; pip install 'rg-memory[assets]'") from None

    look_alikes = (heuristic.is_potential_uuid, heuristic.is_sequential_string, heuristic.is_templated_secret,
                   heuristic.is_not_alphanumeric_string)  # fmt: skip

    def line_masked(line: str) -> str:
        found: dict[str, str] = {}
        for start in range(0, len(line), LONGEST):
            part = line[start : start + LONGEST]
            indirect = heuristic.is_indirect_reference(part)  # password = get_password()
            for plugin in get_plugins():
                for one in plugin.analyze_line(filename="", line=part, line_number=1):
                    secret = one.secret_value or ""
                    if len(secret) >= KEPT and not indirect and not any(is_one(secret) for is_one in look_alikes):
                        found.setdefault(secret, one.type)
        for secret in sorted(found, key=len, reverse=True):
            if not secret.startswith("[secret"):
                line = line.replace(secret, f"[secret: {found[secret]}]")
        return line

    def masked(text: str) -> str:
        with default_settings():
            return "\n".join(line_masked(line) for line in replaced(text).split("\n"))

    return masked
