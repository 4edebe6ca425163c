"""One Sweep at a time: a lock of this data directory, and a lease in the store, which other machines may share."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rg_core import files, paths
from rg_core.errors import UserError
from rg_core.store.protocol import Store

LEASE = "sweep"
LEASE_SECONDS = 300.0  # longer than a run ever waits
PROLONG_AFTER = 30.0


class Busy(Exception):
    """Another Sweep is at work; this one leaves it to that."""


def lease_name(user: str) -> str:
    """The lease of one user's Sweeps: on a shared store nobody waits for another's, or hears of one."""
    return f"{LEASE} {hashlib.sha256(user.encode()).hexdigest()[:16]}"


class Lease:
    """Keeps the store's lease while the run goes on."""

    def __init__(self, store: Store, holder: str, user: str) -> None:
        """Nothing is taken yet. The same `holder` takes over from a run of its own that died; "" is this process."""
        self.store = store
        self.holder = holder or f"{socket.gethostname()}:{os.getpid()}"
        self.name = lease_name(user)
        self.taken = 0.0

    def take(self) -> bool:
        """Take or prolong it; whether that was possible."""
        self.taken = time.monotonic()
        return self.store.lease(self.name, self.holder, LEASE_SECONDS)

    def beat(self) -> None:
        """Prolong it when it is time.

        Raises:
            Busy: if somebody else has it by now.
        """
        if time.monotonic() - self.taken > PROLONG_AFTER and not self.take():
            raise Busy

    def release(self) -> None:
        """Give it back."""
        self.store.release(self.name, self.holder)


@contextmanager
def alone(environ: Mapping[str, str]) -> Iterator[str]:
    """Hold this data directory's lock, which ends with the process; gives the name of the lease's holder.

    The name is the same for every run here, so that after a kill the next one need not wait for the lease's end.

    Raises:
        Busy: if another process holds the lock.
        UserError: if the lock file cannot be made.
    """
    directory = paths.data_dir(environ)
    try:
        files.make_folder(directory)
        file = open(os.path.join(directory, "sweep.lock"), "a", encoding="utf-8")  # noqa: SIM115
        files.hand_over(file.name)
    except OSError as error:
        raise UserError(f"{directory} cannot be written: {error.strerror}; see that you may write there") from error
    with file:
        if not _lock(file.fileno()):
            raise Busy
        yield hashlib.sha256(f"{socket.gethostname()}:{directory}".encode()).hexdigest()[:16]


def _lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return True  # Windows: the lease alone must do
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
