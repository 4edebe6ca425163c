"""Tool calls, prompts and arguments -> Addresses. Pure: nothing here opens a file or starts a process.

Each part is imported when a call needs it: the hook pays for what it uses.
"""

from __future__ import annotations

from rg_core.address.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rg_core.address.found import ReadRemotes

__all__ = ["Found", "of_argument", "of_call", "of_prompt"]


def of_call(tool: str, input: object, cwd: str, remotes: ReadRemotes, environ: Mapping[str, str]) -> Found:
    """The Addresses that a tool call asks GitHub for. Never raises, whatever the call holds.

    Args:
        tool: the harness's name of the tool, e.g. Bash, WebFetch, mcp__github__issue_read.
        input: its arguments, as JSON gives them.
        cwd: the working directory, "" if the payload has none.
        remotes: the Git remotes of a directory (rg_core.git.remotes), None where it is no checkout that can be read.
        environ: the environment that the call inherits (GH_REPO, GH_HOST, HOME).
    """
    from rg_core.address.calls import of_call as read

    try:
        return read(tool, input, cwd, remotes, environ)
    except RecursionError:
        return Found((), "the call is nested too deeply")


def of_prompt(text: str) -> Found:
    """The Addresses that a person's prompt names: GitHub URLs and owner/repo#number. Never raises."""
    from rg_core.address.prompt import of_prompt as read

    return read(text)


def of_argument(
    text: str, cwd: str = "", remotes: ReadRemotes = lambda directory: None, environ: Mapping[str, str] | None = None
) -> Found:
    """The Address of the `resource` tool's argument. Never raises.

    Takes a canonical key, a URL, owner/repo, owner/repo#number, owner/repo/issues, an ssh remote, a gh command with or
    without `gh`, a REST path, and MCP arguments as JSON. Without `cwd` and `remotes` a gh command must name its
    repository.
    """
    from rg_core.address.argument import of_argument as read

    try:
        return read(text, cwd, remotes, environ or {})
    except RecursionError:
        return Found((), "the argument is nested too deeply")
