"""Canonical keys as stores keep them: what is stored by a repository's name and a number, or a listing's question."""

from __future__ import annotations

from rg_core.address.model import Address


def place(key: str) -> tuple[str, int]:
    """The repository and number (0: the repository itself) of a canonical key; ("", -1) for anything else."""
    name, _, number = key.removeprefix("github:").partition("#")
    if not key.startswith("github:") or (number and not (number.isascii() and number.isdigit() and len(number) < 19)):
        return "", -1
    return name, int(number or 0)


def query_of(listing: Address) -> str:
    """What follows the repository in a listing's canonical key."""
    return str(listing).removeprefix(f"github:{listing.repository}")
