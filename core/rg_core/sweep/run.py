"""The Sweep: pending Touches -> resources and listings in memory, or a reason why not. Never runs inside a hook.

What was fetched is committed batch by batch, so a run that dies anywhere has lost nothing and the next one goes on.
A lock on this machine and a lease in the store keep two Sweeps from doing the same work.
"""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from rg_core import paths
from rg_core.errors import UserError
from rg_core.github.client import Client
from rg_core.github.errors import GitHubError, RateLimited, Unauthorized, Unreachable
from rg_core.github.graph import Graph
from rg_core.github.rest import Rest
from rg_core.store.protocol import Store
from rg_core.sweep.answers import Answers
from rg_core.sweep.by_graphql import GraphSweep
from rg_core.sweep.by_rest import RestSweep
from rg_core.sweep.commit import Ledger
from rg_core.sweep.plan import Request, group
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import NOT_FOUND, RATE_LIMITED, UNRESOLVED, Touch

LEASE = "sweep"
LEASE_SECONDS = 300.0  # longer than a run ever waits
PROLONG_AFTER = 30.0
MAX_MEMBERS = 5000
Progress = Callable[[int, int], None]


class Busy(Exception):
    """Another Sweep is at work; this one leaves it to that."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did. `waiting`: Touches that are still to be done; `resets_at`: when a rate limit ends, or ""."""

    resolved: int = 0
    unresolved: Mapping[str, int] = field(default_factory=dict)
    fetched: int = 0
    unchanged: int = 0
    requests: int = 0
    points: int = 0
    seconds: float = 0.0
    waiting: int = 0
    resets_at: str = ""
    problem: str = ""  # why something waits, where it is no rate limit

    @property
    def exit_code(self) -> int:
        """0: nothing is left to do now; 3: something must wait for a limit; 1: something went wrong."""
        if self.problem:
            return 1
        return 3 if RATE_LIMITED in self.unresolved else 0


def sweep(
    user: str,
    log: TouchLog,
    store: Store,
    client: Client,
    *,
    max_members: int = MAX_MEMBERS,
    progress: Progress = lambda done, total: None,
    holder: str = "",
) -> Summary:
    """Resolve what waits for this user.

    Args:
        user: whose Touches.
        log: the local file of Touches.
        store: memory, which holds the lease.
        client: GitHub; with a token over GraphQL, without one over REST.
        max_members: how many members of a listing are fetched at most.
        progress: is told how many items of how many are done.
        holder: the lease's holder; the same name takes over from a run of its own that died.

    Raises:
        Busy: if another Sweep is at work.
        UserError: if GitHub cannot be reached or does not accept the token. What was fetched before stays.
        StoreUnavailable: if memory cannot be read or written.
    """
    began = client.clock()
    touches = log.pending(user)
    if not touches:
        return Summary()
    store.init()
    lease = _Lease(store, holder or f"{socket.gethostname()}:{os.getpid()}", user)
    if not lease.take():
        raise Busy
    ledger = Ledger(store, log, client.clock, client.sleep, lease.beat)
    answers = Answers(_requests(touches, log), ledger, log)
    try:
        stopped = _run(answers, ledger, client, max_members, progress)
    finally:
        with suppress(Exception):  # the lease runs out by itself; what matters more may be on its way up
            store.release(lease.name, lease.holder)
    waiting = answers.waiting()
    return Summary(
        resolved=answers.resolved,
        unresolved=dict(sorted(answers.unresolved.items())),
        fetched=ledger.fetched,
        unchanged=ledger.unchanged,
        requests=client.requests,
        points=client.points,
        seconds=round(client.clock() - began, 3),
        waiting=sum(len(request.touches) for request in waiting),
        resets_at=_time(stopped.resets_at if stopped else client.resets_at),
        problem=next(filter(None, waiting.values()), "nothing was answered" if waiting else ""),
    )


def _run(answers: Answers, ledger: Ledger, client: Client, max_members: int, progress: Progress) -> RateLimited | None:
    """Answer the requests; the limit that stopped it, if one did."""
    anonymous = Rest(client, anonymous=True)
    try:
        if client.token:
            GraphSweep(Graph(client), Rest(client), anonymous, ledger, answers, max_members).run(progress)
        else:
            RestSweep(anonymous, ledger, max_members).run(answers, progress)
    except RateLimited as error:
        answers.limited()
        return error
    except Unauthorized:
        raise UserError(
            "GitHub did not accept the token in config.toml; set a valid one: rg-memory config set github.token TOKEN"
        ) from None
    except Unreachable as error:
        raise UserError(
            f"{error}; see that the network is up and [github] api_url is right, then sweep again"
        ) from None
    except GitHubError as error:
        raise UserError(f"{error}; sweep again later") from None
    return None


def _requests(touches: list[Touch], log: TouchLog) -> list[Request]:
    """The requests; an address that is no canonical key (of a later version, perhaps) has nothing to be found at."""
    good: list[Touch] = []
    for touch in touches:
        try:
            group([touch])
        except ValueError:
            log.settle([touch.id], UNRESOLVED, NOT_FOUND)
        else:
            good.append(touch)
    return group(good)


def lease_name(user: str) -> str:
    """The lease of one user's Sweeps: on a shared store nobody waits for another's, or hears of one."""
    return f"{LEASE} {hashlib.sha256(user.encode()).hexdigest()[:16]}"


class _Lease:
    """Keeps the store's lease while the run goes on."""

    def __init__(self, store: Store, holder: str, user: str) -> None:
        self.store = store
        self.holder = holder
        self.name = lease_name(user)
        self.taken = 0.0

    def take(self) -> bool:
        self.taken = time.monotonic()
        return self.store.lease(self.name, self.holder, LEASE_SECONDS)

    def beat(self) -> None:
        if time.monotonic() - self.taken > PROLONG_AFTER and not self.take():
            raise Busy


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
        os.makedirs(directory, mode=0o700, exist_ok=True)
        file = open(os.path.join(directory, "sweep.lock"), "a", encoding="utf-8")  # noqa: SIM115
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


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else ""
