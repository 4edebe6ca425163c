"""From a configuration and what a person asks to the scope of a question."""

from __future__ import annotations

from collections.abc import Mapping

from rg_core import paths
from rg_core.config import Config
from rg_core.store import open_documents, open_store
from rg_core.store.protocol import StoreUnavailable
from rg_core.telemetry.estimate import BYTES_A_TOKEN
from rg_core.telemetry.panels import ALWAYS, NEVER, PanelScope, declared

RESOURCES = ("repositories", "issues", "pull_requests")


def scope_of(
    config: Config,
    environ: Mapping[str, str],
    *,
    since: str = ALWAYS,
    until: str = NEVER,
    agent: str = "",
    project: str = "",
    session: str = "",
    counting: bool = True,
    declaring: bool = True,
) -> PanelScope:
    """The scope of the configured user.

    Args:
        config: what config.toml says.
        environ: tells where the files are.
        since: from this time on.
        until: before this time.
        agent: a harness, or harness/agent type, where "main" is the main agent; "" for all.
        project: sessions of this project; "" for all.
        session: only this session; "" for all.
        counting: whether memory is asked how many memories it holds; only the panel `unserved` needs it.
        declaring: whether the file of telemetry is asked for what the server declared; where it is in trouble, not.

    Raises:
        UserError: without an identity, or if the file of telemetry cannot be read.
    """
    harness, slash, agent_type = agent.partition("/")
    tools_bytes, nudge_bytes = declared(paths.telemetry_file(environ)) if declaring else (0, 0)
    return PanelScope(
        config.require_user(),
        since,
        until,
        tools_bytes,
        nudge_bytes,
        config.telemetry.rework_tokens * BYTES_A_TOKEN,
        _stored(config, environ) if counting else None,
        harness or None,
        (agent_type if agent_type != "main" else "") if slash else None,
        project or None,
        session or None,
    )


def _stored(config: Config, environ: Mapping[str, str]) -> int | None:
    """How many memories are stored: resources, the user's documents and notes; None where memory is away."""
    store, texts = open_store(config, environ), open_documents(environ)
    try:
        own = sum(texts.counts(config.user).values())
        if not store.exists():
            return own
        store.init()
        return own + sum(store.counts().get(kind, 0) for kind in RESOURCES)
    except StoreUnavailable:
        return None
    finally:
        store.close()
        texts.close()
