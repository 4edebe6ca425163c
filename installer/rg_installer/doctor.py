"""rg-install --doctor: prove, harness by harness, that hooks fire and that the MCP server answers.

A hook is proven by running the very command that stands in the harness's file, with the payload of a call, in a scratch
data directory; the server by starting its entry and shaking hands with it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field

from rg_core import config, paths
from rg_core.errors import UserError
from rg_core.harness.protocol import Check, Install, Place
from rg_core.touches.database import TouchLog
from rg_installer import memo, probes, programs
from rg_installer.apply import read
from rg_installer.harnesses import INSTALLS, TITLES
from rg_installer.plan import plan


@dataclass
class Finding:
    """What was found about one harness."""

    name: str
    program: str
    wired: bool
    checks: list[Check] = field(default_factory=list)
    todo: Sequence[str] = ()


def run(names: Sequence[str], place: Place, *, as_json: bool, named: bool = False) -> int:
    """Print what was found; 0 when all that is wired is well (and, if harnesses were named, wired), else 1."""
    ground = _ground(place)
    if not as_json:
        _print("rg-memory", ground)
    found: list[Finding] = []
    for name in names:
        if finding := examine(name, place, named=named):
            found.append(finding)
            if not as_json:
                _tell(finding)
    well = all(check.ok for check in [*ground, *(check for finding in found for check in finding.checks)])
    well = well and not (named and any(not finding.wired for finding in found))
    if as_json:
        print(json.dumps({"ok": well, "checks": _plain(ground), "harnesses": [_entry(f) for f in found]}))
    elif not found:
        print("No harness was found here.")
    return 0 if well else 1


def examine(name: str, place: Place, *, named: bool = False) -> Finding | None:
    """All checks of one harness; None if it is not here and was not asked for by name."""
    install = INSTALLS[name]
    program = install.present(place)
    if not program and not named:
        return None
    finding = Finding(name, program or "not found", wired=True)
    if install.plugin_enabled(place):
        finding.checks = [*_by_plugin(name, install, place), *install.checks(place)]
        return finding
    hook, server = probes.hook_command(name, install, place), probes.server_command(install, place)
    if hook is None and server is None:
        finding.wired = False
        return finding
    finding.checks = [_wiring(install, place)]
    missing = f"not there; run rg-install --harness {name} again"
    finding.checks.append(_fires(name, hook, server, place) if hook is not None else Check("hooks", False, missing))
    finding.checks.append(probes.answers(server, place) if server else Check("MCP server", False, missing))
    finding.checks += install.checks(place)
    if all(check.ok for check in finding.checks) and _last_event(name, place) is None:
        finding.todo = install.todo(place)
    return finding


def _ground(place: Place) -> list[Check]:
    """What all harnesses need: a valid configuration with an identity."""
    try:
        known = config.load(place.environ)
    except UserError as error:
        return [Check("configuration", False, str(error))]
    if not known.user:
        return [Check("identity", False, "nothing is recorded without one: rg-install --all makes it")]
    return [Check(f"identity {known.user}", True)]


def _wiring(install: Install, place: Place) -> Check:
    """Whether the files are as this release would write them."""
    try:
        edits = install.edits(place, programs.find(fast=probes.fast(install, place)))
        changes = plan(edits, read, memo.load(place.environ), install.objection)
    except UserError as error:
        return Check("wired", False, str(error))
    if changes:
        files = ", ".join(str(change.path) for change in changes)
        return Check("wired", False, f"{files} is not as this release writes it: run rg-install again")
    return Check("wired", True)


def _by_plugin(name: str, install: Install, place: Place) -> list[Check]:
    """Whether the plugin finds our programs, which it looks for as a person's shell would, and whether they work."""
    path = f"{place.environ.get('PATH', '')}{os.pathsep}{place.home}/.local/bin"
    hook, server = shutil.which("rg-hook", path=path), shutil.which("rg-mcp", path=path)
    if not hook or not server:
        lost = "the plugin looks for rg-hook and rg-mcp on the PATH: install rg-memory with pipx or uv tool"
        return [Check("wired by the plugin", False, lost)]
    event, _ = install.probe()
    words = [hook, name, *([event] if event else [])]
    return [Check("wired by the plugin", True), _fires(name, words, None, place), probes.answers([server], place)]


def _fires(name: str, hook: Sequence[str], server: Sequence[str] | None, place: Place) -> Check:
    """The probe's result, with the time of the last real event."""
    payload = INSTALLS[name].probe()[1]
    check = (
        probes.fires(hook, payload, place) if hook else probes.fires_through(server or ["rg-mcp"], name, payload, place)
    )
    last = _last_event(name, place)
    return Check(f"{check.what}; {f'last real event {last}' if last else 'no real event yet'}", check.ok, check.todo)


def _last_event(name: str, place: Place) -> str | None:
    """When a real event of this harness was last recorded."""
    if not os.path.exists(paths.outbox_file(place.environ)):
        return None
    try:
        user = config.load(place.environ).user
        touches = TouchLog(paths.outbox_file(place.environ)).touches(user, limit=1000)
    except UserError:
        return None
    return max((touch.at for touch in touches if touch.harness == name), default=None)


def _tell(finding: Finding) -> None:
    title = f"{TITLES[finding.name]} ({finding.program})"
    if not finding.wired:
        print(f"{title}\n  --    not wired; rg-install --harness {finding.name}", flush=True)
        return
    _print(title, finding.checks)
    for step in finding.todo:
        print(f"  note  {step}", flush=True)


def _print(title: str, checks: Sequence[Check]) -> None:
    print(title)
    for check in checks:
        print(f"  ok    {check.what}" if check.ok else f"  FAIL  {check.what}: {check.todo}", flush=True)


def _plain(checks: Sequence[Check]) -> list[dict[str, object]]:
    return [{"what": check.what, "ok": check.ok, "todo": check.todo or None} for check in checks]


def _entry(finding: Finding) -> dict[str, object]:
    return {
        "name": finding.name,
        "program": finding.program,
        "wired": finding.wired,
        "checks": _plain(finding.checks),
        "todo": list(finding.todo),
    }
