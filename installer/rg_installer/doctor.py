"""rg-install --doctor: prove, harness by harness, that hooks fire and that the MCP server answers.

A hook is proven by running the very command that stands in the harness's file, with the payload of a call, in a scratch
data directory; the server by starting its entry and shaking hands with it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rg_core import config, paths
from rg_core.errors import UserError
from rg_core.harness.protocol import Check, Place
from rg_core.touches.database import TouchLog
from rg_installer import memo, probes, programs, written
from rg_installer.apply import read
from rg_installer.harnesses import Harness, installed
from rg_installer.plan import plan


@dataclass
class Finding:
    """What was found about one harness."""

    name: str
    title: str
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
    if reason := installed().broken.get(name):
        return Finding(name, name, "broken", wired=True, checks=[Check("the harness can be used", False, reason)])
    harness = installed().usable[name]
    install = harness.install
    program = install.present(place)
    if not program and not named:
        return None
    finding = Finding(name, harness.title, program or "not found", wired=True)
    if harness.plugged and harness.plugged.plugin_enabled(place):
        finding.checks = [*_by_plugin(harness, place), *install.checks(place)]
        return finding
    hooks, server = written.hooks(harness, place), written.server(install, place)
    if not hooks and server is None:
        finding.wired = False
        return finding
    missing = f"not there; run rg-install --harness {name} again"
    finding.checks = [_wiring(harness, place)]
    finding.checks += [_fires(harness, hook, server, place) for hook in hooks]
    if not hooks:
        finding.checks.append(_unproven(harness, missing))
    finding.checks.append(probes.answers(server[0], place) if server else Check("MCP server", False, missing))
    finding.checks += install.checks(place)
    if all(check.ok for check in finding.checks) and _last_event(name, place) is None:
        finding.todo = install.todo(place)
    return finding


def _unproven(harness: Harness, missing: str) -> Check:
    if harness.probed:
        return Check("hooks", False, missing)
    return Check(f"hooks: {harness.title} offers no way to prove that they fire", True)


def _ground(place: Place) -> list[Check]:
    """What all harnesses need: a valid configuration with an identity."""
    try:
        known = config.load(place.environ)
    except UserError as error:
        return [Check("configuration", False, str(error))]
    if not known.user:
        return [Check("identity", False, "nothing is recorded without one: rg-install --all makes it")]
    return [Check(f"identity {known.user}", True)]


def _wiring(harness: Harness, place: Place) -> Check:
    """Whether the files are as this release would write them."""
    fast = written.ASKS_SERVER in written.hooks(harness, place)
    try:
        edits = harness.install.edits(place, programs.find(fast=fast))
        changes = plan(edits, read, memo.load(place.environ), harness.install.objection)
    except UserError as error:
        return Check("wired", False, str(error))
    if changes:
        files = ", ".join(str(change.path) for change in changes)
        return Check("wired", False, f"{files} is not as this release writes it: run rg-install again")
    return Check("wired", True)


def _by_plugin(harness: Harness, place: Place) -> list[Check]:
    """Whether the plugin finds our programs, which it looks for as a person's shell would, and whether they work."""
    path = f"{place.environ.get('PATH', '')}{os.pathsep}{place.home}/.local/bin"
    hook, server = shutil.which("rg-hook", path=path), shutil.which("rg-mcp", path=path)
    if not hook or not server:
        lost = "the plugin looks for rg-hook and rg-mcp on the PATH: install rg-memory with pipx or uv tool"
        return [Check("wired by the plugin", False, lost)]
    fires = []
    if harness.probed:
        event = harness.probed.probe().event
        fires = [_fires(harness, [hook, harness.name, *([event] if event else [])], None, place)]
    return [Check("wired by the plugin", True), *fires, probes.answers([server], place)]


def _fires(
    harness: Harness, hook: Sequence[str], server: tuple[Sequence[str], Mapping[str, str]] | None, place: Place
) -> Check:
    """The probe's result, with the time of the last real event."""
    assert harness.probed
    payload = harness.probed.probe().payload
    if hook == written.ASKS_SERVER:
        check = probes.fires_through(server[0] if server else ["rg-mcp"], harness.name, payload, place)
    else:
        check = probes.fires(hook, payload, place)
    last = _last_event(harness.name, place)
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
    title = f"{finding.title} ({finding.program})"
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
