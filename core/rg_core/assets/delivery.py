"""Renders what sessions are given, as rg_core.assets.delivered says, whenever something of it has changed.

Before a change is committed the project's texts are withdrawn, and afterwards they are rendered from what is then
stored, while nobody changes it: at no moment a file says what a policy in the local file no longer allows.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from rg_core import files, paths, times
from rg_core.assets import delivered
from rg_core.assets.loadout import LoadoutRequest
from rg_core.assets.model import OTHER_AGENT, Identity, name_of, names_of
from rg_core.config import Config
from rg_core.documents.projects import projects

if TYPE_CHECKING:
    from rg_core.assets.store import Assets


class Deliveries:
    """The rendered texts of this installation."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self.config = config
        self.folder = delivered.folder(paths.data_dir(environ))
        self.head = f"{delivered.FORMAT} {delivered.stamp(paths.config_file(environ))}"
        self._changed: set[str] = set()

    def withdraw(self, project: str) -> None:
        """Take a project's texts away: something of it is about to change."""
        self._changed.add(project)
        shutil.rmtree(self._place(project), ignore_errors=True)

    def render(self, assets: Assets, *, everything: bool = False) -> None:
        """Render the projects that have changed, and all where the configuration has.

        Raises:
            StoreUnavailable: when the store is away.
            OSError: if a file cannot be written.
        """
        changed, self._changed = self._changed, set()
        if not self.config.assets.deliver or self.config.assets.mcp == "off" or not self.config.identity.user_id:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        known = projects(self.config)
        if everything or self._stale():
            shutil.rmtree(self.folder, ignore_errors=True)
            self._write(os.path.join(self.folder, "index"), self._index())
            changed = set(known)
        for project in changed & set(known):
            with assets.unchanging():
                for name, text in self._texts(assets, project):
                    self._write(os.path.join(self._place(project), name), text)

    def _texts(self, assets: Assets, project: str) -> Iterator[tuple[str, str]]:
        """The name and the text of each file of a project."""
        settings = self.config.assets
        who = Identity(
            name_of(self.config.identity.user_id), project, names_of(settings.teams), names_of(settings.roles),
            task=name_of(settings.task),
        )  # fmt: skip
        for framework, few in _frameworks():
            agents = {delivered.NONE: "", delivered.OTHER: OTHER_AGENT}
            named = {*assets.agents(replace(who, framework=framework)), name_of(settings.agent)} - {""}
            agents |= {f"={delivered.named(name)}": name for name in sorted(named)}
            ask = LoadoutRequest(times.now(), budget=few or settings.session_budget, unbound="none", bodies=not few)
            for file, agent in agents.items():
                loadout = assets.loadout(replace(who, framework=framework, agent=agent), ask)
                expiries = [row.asset.policy.expires_at for row in loadout.selected if row.asset.policy.expires_at]
                if self.config.store.url:
                    expiries.append(times.now(-3600 * settings.max_age_hours))
                until = min(expiries, default="")
                yield f"{delivered.named(framework)} {file}", f"{self.head}\n{until}\n{loadout.text()}"

    def _index(self) -> str:
        rows = [(there, one.name) for one in projects(self.config).values() for there in one.directories]
        rows.sort(key=lambda row: len(row[0]), reverse=True)
        return "\n".join([self.head, name_of(self.config.assets.agent), *(f"{there}\t{name}" for there, name in rows)])

    def _stale(self) -> bool:
        try:
            with open(os.path.join(self.folder, "index"), encoding="utf-8") as file:
                return file.readline().rstrip("\n") != self.head
        except OSError:
            return True

    def _place(self, project: str) -> str:
        return os.path.join(self.folder, delivered.named(project))

    def _write(self, path: str, text: str) -> None:
        """Write the file whole, for its owner alone."""
        files.make_folder(os.path.dirname(path))
        files.write(path, text.encode())


def _frameworks() -> list[tuple[str, int]]:
    """Every harness and, where its sessions are told by MCP instructions alone, how many tokens reach the model."""
    points = entry_points(group="rg_memory.harnesses")
    return sorted((point.name, getattr(import_module(point.value), "INSTRUCTIONS_TOKENS", 0)) for point in points)
