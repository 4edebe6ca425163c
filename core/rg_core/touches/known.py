"""What the hook's small index knows of a stored address: enough for the Nudge, nothing more."""

from __future__ import annotations

from rg_core.record import record


@record
class Known:
    """One row of the local index of known addresses (rg_core.touches.outbox), kept current by the Sweep."""

    address: str
    order: str  # of a listing; "" otherwise
    fetched_at: str
    updated_at: str  # the source's; "" for listings
    title: str = ""
    comments: int = 0
    member_count: int = 0
    total_count: int = 0
    complete: bool = True
