"""The assets of this installation, and who asks: from config.toml, the directory and the caller, never from a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rg_core import times
from rg_core.assets import errors
from rg_core.assets.delivery import Deliveries
from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import Asset, Identity, name_of, names_of
from rg_core.assets.store import Assets
from rg_core.config import Config, load
from rg_core.documents.projects import project_of, projects
from rg_core.store import open_asset_rows


@contextmanager
def opened(config: Config, environ: Mapping[str, str]) -> Iterator[Assets]:
    """The assets, open; afterwards what sessions are given is rendered again, where something has changed.

    Raises:
        UserError, StoreUnavailable: saying what to do.
    """
    local, server = open_asset_rows(config, environ)
    deliveries = Deliveries(config, environ)
    assets = Assets(local, server, may_widen=lambda asset: may_widen(asset, config), changing=deliveries.withdraw)
    try:
        yield assets
    finally:
        try:
            deliveries.render(assets)
        finally:
            assets.close()


def refresh(environ: Mapping[str, str]) -> None:
    """Render everything anew: for whoever found what there was to be stale.

    Raises:
        UserError, StoreUnavailable: saying what to do.
    """
    config = load(environ)
    with opened(config, environ) as assets:
        Deliveries(config, environ).render(assets, everything=True)


def identity(
    config: Config,
    directory: str,
    *,
    project: str = "",
    agent: str = "",
    task: str = "",
    framework: str = "",
) -> Identity:
    """Who asks: of what is not given the configuration's, and the directory's project.

    A project that is not configured is none. Checks nothing.

    Assets know people by `identity.user_id`, also where Touches carry a pseudonym: entries name people.
    """
    found = projects(config).get(project) if project else project_of(config, directory)
    return Identity(
        user=name_of(config.identity.user_id),
        project=found.name if found else "",
        teams=names_of(config.assets.teams),
        roles=names_of(config.assets.roles),
        agent=name_of(agent or config.assets.agent),
        task=name_of(task or config.assets.task),
        framework=name_of(framework),
    )


def setting(via: str, config: Config) -> Setting:
    """An act that comes now: by cli, mcp or import."""
    return Setting(via, now(), config.assets.mcp)


def now() -> str:
    """The time, as assets carry it."""
    return times.now()


def may_widen(asset: Asset, config: Config) -> str:
    """Why an asset may not go to the configured server; "" if it may."""
    if config.identity.pseudonym:
        return "private while identity.pseudonym is on: a server would learn the names of people"
    known = projects(config).get(asset.project)
    if asset.head.provenance.get("source_type") == "documents" and not (known and known.shared):
        return f"private, or name the project in projects.shared: this is made of documents of {asset.project}"
    return ""


def require(who: Identity) -> Identity:
    """The identity, if it is somebody's and somewhere.

    Raises:
        Refused: no_identity, no_project.
    """
    if not who.user:
        raise errors.no_identity()
    if not who.project:
        raise errors.no_project()
    return who
