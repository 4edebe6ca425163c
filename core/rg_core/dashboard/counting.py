"""Counts that may take longer than a page should: begun in the background, waited for a moment, taken when ready."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
WORKERS = 2


class Counting(Generic[T]):
    """Counts that go on, by what was asked. Whoever asks the same meanwhile gets the same count."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, "counting")
        self._running: dict[Hashable, Future[T]] = {}
        self._lock = Lock()

    def count(self, asked: Hashable, begin: Callable[[], T], patience: float | None) -> T | None:
        """What `begin` gives; None if that is not ready within `patience` seconds, and then it goes on.

        Raises:
            Exception: what `begin` raised.
        """
        with self._lock:
            if asked not in self._running:
                self._running[asked] = self._pool.submit(begin)
            counted = self._running[asked]
        if not wait([counted], patience).done:
            return None
        with self._lock:
            self._running.pop(asked, None)
        return counted.result()

    def later(self, task: Callable[[], object]) -> None:
        """Do something beside, when there is room."""
        self._pool.submit(task)
