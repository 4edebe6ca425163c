"""What a session is given when it begins: the rendered text for its project, framework and agent. Hot; once a session.

Nothing is computed here: one file is read (rg_core.assets.delivered). What is stale is not shown, and made anew by a
process of its own.
"""

from __future__ import annotations

from rg_core import paths, times
from rg_core.assets import delivered
from rg_core.harness.events import AgentStarted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rg_core.harness.events import SessionStarted

GOING_ON = frozenset({"resume", "load", "fork"})  # sources of sessions whose conversation has the text already
REFRESH = "import os; from rg_core.assets.installation import refresh; refresh(os.environ)"


def equipped(framework: str, event: SessionStarted | AgentStarted, environ: Mapping[str, str]) -> str:
    """The text for a session or subagent; "" where there is none."""
    if isinstance(event, AgentStarted):
        agent_type = event.agent_type
    elif event.source in GOING_ON:
        return ""
    else:
        agent_type = ""
    data, config = delivered.places(environ)
    now = times.now()
    try:
        text, stale = delivered.text_for(data, config, event.cwd or paths.here(), framework, agent_type, now)
        if stale:
            from rg_core.hook import detached

            detached.start(REFRESH)
    except OSError:  # a directory that is gone, no process to be had: the Hint is given all the same
        return ""
    return text
