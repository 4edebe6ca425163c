"""How long a call waits for memory: a busy machine, or what happened before, is not taken for memory that is away."""

from __future__ import annotations

import sys
import time

from tests.core.mcp_server.rig import Rig

# The server, with a worker that computes for longer than a call waits: as imports do where many programs run. On a
# machine that busy it may stand still for a while too.
BUSY = """
import time
from rg_core.mcp_server import main, server, tools
server.ALIVE_SECONDS = 60
first = tools.Memory.__init__
def slowed(self, *values):
    begun = time.process_time()
    while time.process_time() - begun < 2.5:
        pass
    first(self, *values)
tools.Memory.__init__ = slowed
main.main()
"""


def test_a_machine_that_is_too_busy_is_not_memory_that_is_away(remembered: dict[str, str]) -> None:
    with Rig([sys.executable, "-c", BUSY], remembered) as rig:
        rig.hello()
        text, failed = rig.resource(address="o/r#1")
        assert not failed, text


# The server, whose start takes longer than a call waits for memory.
SLOW = """
import time
from rg_core.mcp_server import handshake, main, server
server.ALIVE_SECONDS = 60
first = handshake.Desk.open
def slow(self, sink):
    time.sleep(2)
    first(self, sink)
handshake.Desk.open = slow
main.main()
"""


def test_a_slow_start_is_not_memory_that_is_away(remembered: dict[str, str]) -> None:
    with Rig([sys.executable, "-c", SLOW], remembered) as rig:
        rig.hello()
        text, failed = rig.resource(address="o/r#1")
        assert not failed, text


# The server that memory may leave without a sign of life for as long as a busy machine takes.
ALIVE = "from rg_core.mcp_server import main, server; server.ALIVE_SECONDS = 60; main.main()"


def test_a_request_long_before_the_first_call_costs_the_call_nothing(remembered: dict[str, str]) -> None:
    """What the front desk does not know starts the SDK; how long ago that was says nothing of memory."""
    with Rig([sys.executable, "-c", ALIVE], remembered) as rig:
        rig.hello()
        assert rig.ask("prompts/list")["error"]["code"] == -32601
        time.sleep(2)
        text, failed = rig.resource(address="o/r#1")
        assert not failed, text
