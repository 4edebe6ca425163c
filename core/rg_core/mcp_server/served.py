"""What one MCP connection tells telemetry: reads and recalls that it answered, what was cited, its own size.

Nothing here changes an answer but by the recall id that it names; only `cite` says what went wrong.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from rg_core import paths, times
from rg_core.assets import delivered
from rg_core.config import Config
from rg_core.errors import UserError
from rg_core.harness.tool_names import TOOL, instructions
from rg_core.hook.nudge import hint, nudge
from rg_core.mcp_server.handshake import FRONT
from rg_core.reading.query import Answer
from rg_core.recall import answer as recall
from rg_core.telemetry import estimate, wrap
from rg_core.telemetry.caller import project_name, store_name
from rg_core.telemetry.cite import cite, noted_text, request
from rg_core.telemetry.events import Caller, Read
from rg_core.telemetry.log import EventLog
from rg_core.telemetry.recalled import last_line, tell
from rg_core.telemetry.scope import scope_of
from rg_core.touches.known import Known
from rg_core.touches.touch import Touch

CONNECTION_READS = 500  # the last ones are remembered, for clients that tell no session
SKILL_BYTES = 251  # of the description of the skill that rg-install adds; programs tell models each skill's
OFF = "telemetry is off on this machine, so nothing is noted; this needs no further call"


class Served:
    """The events of one connection."""

    def __init__(self, environ: Mapping[str, str], agent: str = "") -> None:
        """`agent` is the one that the server was started for, "" for the main one."""
        self.environ, self.agent = environ, agent
        self.connection = "c-" + secrets.token_hex(8)
        self.events = EventLog(paths.telemetry_file(environ))
        self.reads: deque[str] = deque(maxlen=CONNECTION_READS)  # ids of the Touches of what was read here
        self.session = ""  # the last one that was told
        self._project: str | None = None
        self._declared = False

    def caller(self, config: Config, **who: str) -> Caller:
        """Who calls, with what this process knows of it."""
        if self._project is None:
            self._project = project_name(config, self.environ)
        self.session = who.get("session") or self.session
        return Caller(connection=self.connection, project=self._project, store=store_name(config), **who)

    def read(self, config: Config, found: Answer, touch: Touch, caller: Caller, page: int, text: str) -> None:
        """Note what a call of `resource` answered."""
        if not config.telemetry.enabled:
            return
        self.declare(caller.harness)
        if found.outcome != "miss":
            self.reads.append(touch.id)
        guess = estimated(found)
        self.events.read(
            Read(
                touch.id,
                touch.user,
                touch.at,
                caller.project,
                found.reading.resource.node_id if found.reading else "",
                found.reading.state_id if found.reading else "",
                page,
                estimate.size(text),
                guess.floor_bytes,
                guess.json_bytes,
                guess.requests,
            )
        )

    def recalled(
        self,
        config: Config,
        answer: recall.Findings,
        caller: Caller,
        render: Callable[[str], str],
        *,
        took_ms: float,
        shown: int,
    ) -> str:
        """The text of an answer of recall, whose last line names its event (rg_core.telemetry.recalled.tell)."""
        if not config.telemetry.enabled:
            return render("")
        self.declare(caller.harness)
        self.events.keeps_queries = config.telemetry.query_text
        return tell(
            self.events,
            caller,
            answer,
            lambda name: render(last_line(name)),
            took_ms=took_ms,
            shown=shown,
        )

    def cite(
        self, config: Config, arguments: Mapping[str, Any], caller: Caller, find: Callable[[str], str],
        estimated: Callable[[str], estimate.Estimate],
    ) -> str:  # fmt: skip
        """Note what helped; the text that says so.

        Raises:
            UserError: if nothing could be noted; says why.
        """
        if not config.telemetry.enabled:
            raise UserError(OFF)
        if unknown := sorted(arguments.keys() - {"memory", "kind", "recall", "note"}):
            raise UserError(f"unknown argument {unknown[0][:60]!r}; cite takes memory, kind, recall and note")
        asked = request(*(arguments.get(name) for name in ("memory", "kind", "recall", "note")))
        files = (paths.telemetry_file(self.environ), paths.outbox_file(self.environ))
        return noted_text(cite(*files, asked, caller, times.now(), find=find, estimated=estimated, reads=self.reads))

    def declare(self, harness: str) -> None:
        """Say once how large what we bring into a session is, and a Nudge on average.

        Into a session come the catalogue with its instructions, the Hint, the skill's description, and what the agent
        is equipped with.
        """
        if not self._declared:
            self._declared = True
            with open(FRONT, encoding="utf-8") as file:
                catalogue = json.load(file)["handshake"]["tools/list"]
            words = (json.dumps(catalogue, separators=(",", ":")), instructions("", self.environ), hint(TOOL))
            where = (*delivered.places(self.environ), paths.here(), harness, self.agent)
            equipped, _ = delivered.text_for(*where, times.now())
            self.events.declare(estimate.size(*words, equipped) + SKILL_BYTES, estimate.size(_typical_nudge()))

    def end(self, config: Config) -> None:
        """Keep the counts of the session that ends with this connection."""
        if self.session and config.telemetry.enabled:
            files = (paths.telemetry_file(self.environ), paths.outbox_file(self.environ))
            wrap.keep(*files, scope_of(config, self.environ, counting=False), self.session)


def estimated(found: Answer) -> estimate.Estimate:
    """What an answer would have cost from GitHub."""
    if found.listing and found.question:
        return estimate.of_listing(found.listing.rows, found.listing.member_count, found.question.kind)
    return estimate.of_resource(found.reading.resource) if found.reading else estimate.NOTHING


def _typical_nudge() -> str:
    from rg_core.address import of_argument

    (address,) = of_argument("owner/repository#1234").addresses
    return nudge(
        [(address, Known(str(address), "", times.now(), times.now(), "A title of middling length, as issues have", 7))],
        TOOL,
    )
