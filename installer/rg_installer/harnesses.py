"""The harnesses that are installed here, ours and anybody's: every entry point in the group `rg_memory.harnesses`.

What a harness can do besides the two Protocols is looked up here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from rg_core.harness.capabilities import FastHooks, OwnLanguage, Plugged, Probed, Skilled, Trusting
from rg_core.harness.protocol import Hook, Install

GROUP = "rg_memory.harnesses"
NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Harness:
    """One harness: what it must be able to do, and what it may; None for what it cannot."""

    name: str
    install: Install
    probed: Probed | None
    own_language: OwnLanguage | None
    fast: FastHooks | None
    trusting: Trusting | None
    plugged: Plugged | None
    skilled: Skilled | None

    @property
    def title(self) -> str:
        """The program's name as its users know it."""
        return self.install.TITLE


@dataclass(frozen=True)
class Installed:
    """The harnesses by name, in their order; and why one that announces itself cannot be used."""

    usable: Mapping[str, Harness]
    broken: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """All names, of the broken ones too."""
        return sorted([*self.usable, *self.broken])


@cache
def installed() -> Installed:
    """Read the entry points of this environment, once; one that is broken does not hide the others."""
    usable, broken = {}, {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            usable[point.name] = _loaded(point.name, point.value)
        except Exception as error:  # noqa: BLE001 - whatever a foreign module does when it is imported
            broken[point.name] = f"its package {point.value} cannot be used ({error}); update or uninstall it"
    return Installed(usable, broken)


def _loaded(name: str, package: str) -> Harness:
    """A harness by its entry point.

    Raises:
        ValueError: rg-hook would not find it, or it lacks something.
        Exception: what its modules raise when they are imported.
    """
    if not NAME.fullmatch(name) or package != f"rg_{name}":  # rg-hook imports it by this name, and asks nobody
        raise ValueError(f"the entry point {name!r} must name the package rg_{name}")
    if not isinstance(getattr(import_module(package), "NEUTRAL", None), str):
        raise ValueError(f"{package} lacks NEUTRAL")
    hook, install = import_module(f"{package}.hook"), import_module(f"{package}.install")
    for module, protocol in ((hook, Hook), (install, Install)):
        if lacking := [word for word in _members(protocol) if not hasattr(module, word)]:
            raise ValueError(f"{module.__name__} lacks {', '.join(lacking)}")
    return Harness(
        name,
        cast("Install", install),
        install if isinstance(install, Probed) else None,
        install if isinstance(install, OwnLanguage) else None,
        install if isinstance(install, FastHooks) else None,
        install if isinstance(install, Trusting) else None,
        install if isinstance(install, Plugged) else None,
        install if isinstance(install, Skilled) else None,
    )


def _members(protocol: type) -> list[str]:
    return [word for word in (*vars(protocol), *protocol.__annotations__) if not word.startswith("_")]
