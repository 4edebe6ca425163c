"""What can go wrong between us and GitHub.

GitHubError
├── Unreachable     no answer at all, after several tries
├── Misconfigured   the configuration or the environment does not let us ask
├── Unauthorized    401: the token is wrong, or missing where one is needed
├── RateLimited     nothing more before `resets_at`
├── TooHeavy        GitHub could not answer this query in time or size: ask for less
├── Withdrawn       GitHub's schema has no such field (any more)
├── Refused         another status than the caller can use
└── Malformed       an answer that lacks what GitHub promises
"""

from __future__ import annotations

from collections.abc import Sequence

LATER = "sweep again later"
SEE_URL = "see that [github] api_url is right, and that no proxy or login page answers in its place"


class GitHubError(Exception):
    """`what` is our own words; `said` what GitHub put into its answer, on one line. Neither holds a token.

    `todo` is what a person can do about it.
    """

    def __init__(self, what: str, said: str = "", todo: str = LATER) -> None:
        super().__init__(what)
        self.what = what
        self.said = said
        self.todo = todo

    def __str__(self) -> str:
        """Both, for a person."""
        return f"{self.what}: {self.said}" if self.said else self.what


class Unreachable(GitHubError):
    """No connection, or none that lasted."""


class Misconfigured(GitHubError):
    """`what` names the setting or variable that is wrong, and what to do."""


class Unauthorized(GitHubError):
    """GitHub answered 401. `with_token`: to a token, which is wrong then."""

    def __init__(self, what: str, *, with_token: bool) -> None:
        super().__init__(what)
        self.with_token = with_token


class RateLimited(GitHubError):
    """A limit is used up. `resets_at` is in seconds since the epoch."""

    def __init__(self, what: str, resets_at: float) -> None:
        super().__init__(what)
        self.resets_at = resets_at


class TooHeavy(GitHubError):
    """5xx, a timeout, a broken or cut answer, a refused size."""


class Withdrawn(GitHubError):
    """A query that GitHub's schema does not allow. `names`: where in it, outermost first."""

    def __init__(self, names: Sequence[str], said: str) -> None:
        super().__init__("GitHub's schema has changed", said)
        self.names = names


class Refused(GitHubError):
    """A status that was not expected, e.g. 422."""

    def __init__(self, what: str, status: int, said: str = "") -> None:
        super().__init__(what, said)
        self.status = status


class Malformed(GitHubError):
    """An answer without a field that GitHub's schema promises."""


FATAL = (Unreachable, Misconfigured, Unauthorized, RateLimited)  # these end a run; any other stays with what was asked
