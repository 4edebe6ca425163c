"""Why a version was fetched, where that was the asking user's own doing."""

from __future__ import annotations

from collections.abc import Sequence

from rg_core.store.model import StateFacts
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import PROMPTED


def causes(log: TouchLog, user: str, chain: Sequence[StateFacts]) -> dict[str, str]:
    """What the user's own Touches were that made these States, by their id; nobody else's are looked at."""
    wanted = {facts.cause for facts in chain if facts.cause}
    if not wanted:
        return {}
    did = {PROMPTED: "your prompt named"}
    return {
        touch.id: f"{did.get(touch.provenance, 'you fetched')} {touch.address} at {touch.at}"
        for touch in log.touches(user, limit=None)
        if touch.id in wanted
    }
