"""Keeps what recall searches in step, in a thread of its own: documents, the index, vectors, the model.

A recall waits for it a moment and then answers with what there is, and says what is missing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from rg_core import paths
from rg_core.config import load
from rg_core.documents.again import read_again
from rg_core.documents.share import share
from rg_core.errors import UserError
from rg_core.recall import vectors
from rg_core.recall.own import OwnRecall
from rg_core.store import open_store
from rg_core.store.protocol import StoreUnavailable

AGAIN = 10.0  # seconds between two looks at the documents
TICK = 0.02


class Keeper:
    """One thread at a time; started by a recall, ended when everything is in step."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Nothing is started yet."""
        self.environ = environ
        self.model_ready = False
        self._synced = 0.0
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """See that everything gets in step."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
            self._thread.start()

    def wait(self, seconds: float, step: Callable[[], None]) -> bool:
        """Wait for that, for so long at most; whether it is done. `step` is called while it goes on."""
        end = time.monotonic() + seconds
        while self._thread and self._thread.is_alive() and time.monotonic() < end:
            self._thread.join(TICK)
            step()
        return not (self._thread and self._thread.is_alive())

    def _run(self) -> None:
        try:
            self._keep()
        except (UserError, StoreUnavailable) as error:
            logging.getLogger(__name__).warning("memory's index is not in step: %s", error)
        except Exception:
            logging.getLogger(__name__).exception("memory's index is not in step")

    def _keep(self) -> None:
        config = load(self.environ)
        store = open_store(config, self.environ)
        own = OwnRecall(config, self.environ, paths.here(), store)
        try:
            if time.monotonic() - self._synced > AGAIN:
                for problem in read_again(own.texts):
                    logging.getLogger(__name__).warning("documents are not read again: %s", problem)
                self._synced = time.monotonic()
            if problem := share(own.texts.store, config, store).problem:
                logging.getLogger(__name__).warning(problem)
            own.catch_up(embed=False)
            if vectors.is_installed():
                vectors.model()
                self.model_ready = True  # or cannot be: answers say which
                own.catch_up()
        finally:
            own.close()
            store.close()
