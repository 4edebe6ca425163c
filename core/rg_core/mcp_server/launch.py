"""Who this server works for, as whoever starts rg-mcp says it; never as a model does. Part of the front desk."""

from __future__ import annotations

import os

from rg_core import paths
from rg_core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = ("--project", "--agent", "--task", "--framework")
KEY = "mcp"
MODES = ("off", "read", "write", "full")


@record
class Launch:
    """The arguments of rg-mcp that name an identity; "" where the configuration or the handshake says it."""

    project: str = ""
    agent: str = ""
    task: str = ""
    framework: str = ""


def taken(arguments: list[str]) -> tuple[Launch, list[str]]:
    """The Launch that these arguments say, and the arguments that are left."""
    values, rest = {}, []
    left = list(arguments)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if name in NAMES and (equals or left):
            values[name[2:]] = value if equals else left.pop(0)
        else:
            rest.append(word)
    return Launch(**values), rest


def config_bytes(environ: Mapping[str, str]) -> bytes:
    """config.toml as it stands, for a look before it is parsed; nothing while it cannot be read."""
    path = paths.config_file(environ)
    try:
        if not os.path.isfile(path):  # opening a named pipe waits for its other end
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def asset_mode(environ: Mapping[str, str]) -> str:
    """`assets.mcp` of config.toml as it stands: off, read, write or full; off while the file cannot be read.

    A file in which no assets are spoken of, as most are, is not parsed: tomllib would cost the handshake 10 ms.
    """
    raw = config_bytes(environ)
    if b"assets" not in raw or KEY.encode() not in raw:
        return "off"
    from rg_core.config import load
    from rg_core.errors import UserError

    try:
        return load(environ).assets.mcp
    except UserError:
        return "off"


def framework_of(launch: Launch, client: str) -> str:
    """The harness that the server works for: as it was started, else as the client introduced itself."""
    from rg_core.harness.tool_names import harness_of

    return launch.framework or harness_of(client)


def instructions(client: str, environ: Mapping[str, str], launch: Launch) -> str:
    """What this client is told in the handshake: the Hint, and what its agent should have where only this reaches it.

    A harness says in its package that nothing else does: INSTRUCTIONS_TOKENS.
    """
    from rg_core.harness.tool_names import harness_of
    from rg_core.harness.tool_names import instructions as hint

    told = hint(client, environ)
    try:
        package = __import__(f"rg_{harness_of(client)}")
    except ImportError:
        return told
    if not getattr(package, "INSTRUCTIONS_TOKENS", 0):
        return told
    from rg_core import times
    from rg_core.assets import delivered

    data, config = delivered.places(environ)
    where = (paths.here(), framework_of(launch, client), launch.agent)
    text, _ = delivered.text_for(data, config, *where, times.now())
    return f"{told}\n\n{text}" if text else told
