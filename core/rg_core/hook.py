"""rg-hook: one payload on stdin, the harness's answer on stdout, exit 0 always."""

from __future__ import annotations


def main() -> None:
    """Run the hook."""
