"""Sends Touches to a shared memory behind the server's back, so that no answer waits for it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock, Thread

from rg_core import paths
from rg_core.config import load
from rg_core.errors import UserError
from rg_core.store import open_store
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.sharing import drain
from rg_core.touches.database import TouchLog

DRAIN_AFTER = 1.0  # seconds


class Drainer:
    """Drains in the background; what fails stays in the local file."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._lock = Lock()

    def soon(self) -> None:
        """Drain in a moment, together with what comes until then."""
        if self._lock.acquire(blocking=False):
            Thread(target=self._run, daemon=True, name="rg-memory outbox").start()

    def _run(self) -> None:
        time.sleep(DRAIN_AFTER)
        self._lock.release()
        with suppress(UserError, StoreUnavailable):
            config = load(self._environ)
            store = open_store(config, self._environ)
            try:
                drain(TouchLog(paths.outbox_file(self._environ)), config, store)
            finally:
                store.close()
