"""The Sweep: pending Touches -> resources and listings in memory, or a reason why not. Never runs inside a hook.

What was fetched is committed batch by batch, so a run that dies anywhere has lost nothing and the next one goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from rg_core import times
from rg_core.github.client import Client
from rg_core.github.errors import LATER, GitHubError, Misconfigured, RateLimited, Unauthorized
from rg_core.github.faults import Faults
from rg_core.github.graph import Graph
from rg_core.github.rest import Rest
from rg_core.github.whole import WholeItems
from rg_core.store.protocol import Store
from rg_core.sweep.alone import Busy, Lease
from rg_core.sweep.answers import Answers
from rg_core.sweep.by_graphql import GraphSweep
from rg_core.sweep.by_rest import RestSweep
from rg_core.sweep.commit import Ledger
from rg_core.sweep.plan import Request, group
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import NOT_FOUND, RATE_LIMITED, UNRESOLVED, Touch

MAX_MEMBERS = 5000
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did.

    `waiting`: Touches that are still to be done; `resets_at`: when a rate limit ends, or "". `problem` says why
    something waits where it is no rate limit, and what to do; `said` is GitHub's own message, where it gave one.
    """

    resolved: int = 0
    unresolved: Mapping[str, int] = field(default_factory=dict)
    fetched: int = 0
    unchanged: int = 0
    requests: int = 0
    points: int = 0
    seconds: float = 0.0
    waiting: int = 0
    resets_at: str = ""
    problem: str = ""
    said: str = ""
    notes: Sequence[str] = ()  # what GitHub fails to answer, and how it was done without

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
    erase: Callable[[str], None] = lambda key: None,
) -> Summary:
    """Resolve what waits for this user. What goes wrong with GitHub is told in the Summary; what came before stays.

    Args:
        user: whose Touches.
        log: the local file of Touches.
        store: memory, which holds the lease.
        client: GitHub; with a token over GraphQL, without one over REST.
        max_members: how many members of a listing are fetched at most.
        progress: is told how many items of how many are done.
        holder: the lease's holder; the same name takes over from a run of its own that died.
        erase: is told the key of each repository that is not public, so that others forget what is below it.

    Raises:
        Busy: if another Sweep is at work.
        StoreUnavailable: if memory cannot be read or written.
    """
    began = client.clock()
    touches = log.pending(user)
    if not touches:
        return Summary()
    store.init()
    lease = Lease(store, holder, user)
    if not lease.take():
        raise Busy
    ledger = Ledger(store, log, client.clock, client.sleep, lease.beat, erase)
    answers = Answers(_requests(touches, log), ledger, log)
    faults = Faults()
    try:
        with log.gathering():
            stopped = _run(answers, ledger, client, faults, max_members, progress)
    finally:
        with suppress(Exception):  # the lease runs out by itself; what matters more may be on its way up
            lease.release()
    resets_at = stopped.resets_at if isinstance(stopped, RateLimited) else client.resets_at
    problem, said = _problem(answers, stopped)
    return Summary(
        resolved=answers.resolved,
        unresolved=dict(sorted(answers.unresolved.items())),
        fetched=ledger.fetched,
        unchanged=ledger.unchanged,
        requests=client.requests,
        points=client.points,
        seconds=round(client.clock() - began, 3),
        waiting=sum(len(request.touches) for request in answers.waiting()),
        resets_at=times.written(resets_at) if resets_at else "",
        problem=problem,
        said=said,
        notes=tuple(faults.notes),
    )


def _run(
    answers: Answers, ledger: Ledger, client: Client, faults: Faults, max_members: int, progress: Progress
) -> GitHubError | None:
    """Answer the requests; what stopped it, if anything did."""
    anonymous = Rest(client, anonymous=True)
    try:
        if client.token:
            whole = WholeItems(Graph(client), faults)
            GraphSweep(whole, Rest(client), anonymous, ledger, answers, max_members).run(progress)
        else:
            RestSweep(anonymous, ledger, max_members).run(answers, progress)
    except RateLimited as error:
        answers.limited()
        return error
    except GitHubError as error:
        return error
    return None


def _problem(answers: Answers, stopped: GitHubError | None) -> tuple[str, str]:
    """What is wrong and what to do, and GitHub's own message; "" for both where nothing is."""
    match stopped:
        case Misconfigured():
            return stopped.what, ""
        case Unauthorized(with_token=True):
            return (
                "GitHub did not accept the token in config.toml; set a valid one: rg-memory config set github.token -",
                "",
            )
        case Unauthorized():
            return (
                "GitHub answered 401 to a request without a token; see that [github] api_url is right, or set a "
                "token: rg-memory config set github.token -"
            ), ""
        case RateLimited() | None:
            pass
        case _:
            return f"{stopped.what}; {stopped.todo}", stopped.said
    waiting = answers.waiting().values()
    if error := next((error for error in waiting if error), None):
        return f"{error.what}; {error.todo}", error.said
    return (f"nothing was answered; {LATER}" if waiting else ""), ""


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
