"""What can go wrong between us and GitHub.

GitHubError
├── Unreachable     no answer at all, after several tries
├── Unauthorized    401: the token is wrong, or missing where one is needed
├── RateLimited     nothing more before `resets_at`
├── TooHeavy        GitHub could not answer this query in time or size: ask for less
├── Refused         another status than the caller can use
└── Malformed       an answer that lacks what GitHub promises
"""

from __future__ import annotations


class GitHubError(Exception):
    """The text never holds a token."""


class Unreachable(GitHubError):
    """No connection, or none that lasted."""


class Unauthorized(GitHubError):
    """GitHub answered 401."""


class RateLimited(GitHubError):
    """A limit is used up. `resets_at` is in seconds since the epoch."""

    def __init__(self, message: str, resets_at: float) -> None:
        super().__init__(message)
        self.resets_at = resets_at


class TooHeavy(GitHubError):
    """5xx, a timeout, a broken or cut answer, a refused size."""


class Refused(GitHubError):
    """A status that was not expected, e.g. 422."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Malformed(GitHubError):
    """An answer without a field that GitHub's schema promises."""


FATAL = (Unreachable, Unauthorized, RateLimited)  # these end a run; any other stays with what was asked
