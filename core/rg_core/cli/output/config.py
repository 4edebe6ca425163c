"""What `rg-memory config show --json` prints: everything in effect, secrets masked."""

from __future__ import annotations

from pydantic import RootModel


class Output(RootModel[dict[str, bool | int | str | list[str]]]):
    """Values by key, such as "github.api_url"."""
