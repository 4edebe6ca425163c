"""rg-install --doctor: prove, harness by harness, that what an agent does is recorded and that memory answers.

It goes the way the real thing goes: the very command and the very MCP entry that stand in the harness's file are run,
with the payload of a call; the configuration, the data directory, the store and the token are those of the user.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rg_core import config, paths
from rg_core.cli.screen import line, say, say_json
from rg_core.errors import UserError
from rg_core.harness.protocol import Check, Place
from rg_core.touches.database import TouchLog
from rg_installer import ground, memo, probes, programs, skill, written
from rg_installer.apply import read
from rg_installer.harnesses import Harness, installed
from rg_installer.plan import plan
from rg_installer.work import refusal

NEW_SESSION = "nothing of a real session was recorded yet: start a new one"
STYLES = {"  ok": "green", "  FAIL": "bold red"}


@dataclass
class Finding:
    """What was found about one harness."""

    name: str
    title: str
    program: str
    wired: bool = True
    checks: list[Check] = field(default_factory=list)
    todo: Sequence[str] = ()


def run(names: Sequence[str], place: Place, *, as_json: bool, named: bool = False) -> int:
    """Print what was found; 0 when all that is wired is well (and, if harnesses were named, wired), else 1."""
    shared = ground.checks(place.environ)
    if not as_json:
        _print("rg-memory", shared)
    found: list[Finding] = []
    for name in names:
        if finding := examine(name, place, named=named):
            found.append(finding)
            if not as_json:
                _tell(finding)
    well = all(check.ok for check in [*shared, *(check for finding in found for check in finding.checks)])
    well = well and not (named and any(not finding.wired for finding in found))
    if as_json:
        say_json({"ok": well, "checks": _plain(shared), "harnesses": [_entry(f) for f in found]}, "doctor", indent=None)
    elif not found:
        say("No harness was found here.")
    return 0 if well else 1


def examine(name: str, place: Place, *, named: bool = False) -> Finding | None:
    """All checks of one harness; None if it is not here and was not asked for by name."""
    if reason := installed().broken.get(name):
        return Finding(name, name, "broken", checks=[Check("it cannot be used", False, reason)])
    harness = installed().usable[name]
    try:
        program = harness.install.present(place)
        if not program and not named:
            return None
        finding = Finding(name, harness.title, program or "not found")
        _examine(harness, place, finding)
    except Exception as error:  # noqa: BLE001 - one harness that cannot be read is no reason to leave the others out
        return Finding(name, harness.title, "?", checks=[Check("its files cannot be read", False, refusal(error))])
    return finding


def _examine(harness: Harness, place: Place, finding: Finding) -> None:
    install, name = harness.install, harness.name
    if harness.plugged and harness.plugged.plugin_enabled(place):
        finding.checks = [*_by_plugin(harness, place), *install.checks(place)]
        return
    hooks, server = written.hooks(harness, place), written.server(install, place)
    if not hooks and server is None:
        finding.wired = False
        return
    again = f"rg-install --harness {name}{f' --project {place.project}' if place.project else ''}"
    finding.checks = [_wiring(harness, place, again)]
    if not hooks:
        finding.checks.append(_unproven(harness, again))
    for hook in hooks:
        finding.checks.append(_fires(harness, hook, server, place, again))
    if server:
        finding.checks.append(probes.answers(*server, place, again))
    else:
        finding.checks.append(Check("its MCP server is not in its file", False, again))
    finding.checks += [*skill.check(harness, place, again), *install.checks(place)]
    last = _last_event(name, place)
    if last:
        finding.checks.append(Check(f"last real event {last}", True))
    elif all(check.ok for check in finding.checks):
        finding.todo = [NEW_SESSION]


def _unproven(harness: Harness, again: str) -> Check:
    if harness.probed:
        return Check("its hooks are not in its file", False, again)
    return Check(f"its hooks are not tried: {harness.title}'s adapter has no probe", True)


def _wiring(harness: Harness, place: Place, again: str) -> Check:
    """Whether the files are as this release would write them."""
    fast = written.ASKS_SERVER in written.hooks(harness, place)
    try:
        edits = list(harness.install.edits(place, programs.find(fast=fast)))
        if (own := skill.skill(harness, place)) and read(own.path) is not None:
            edits.append(own)
        changes = plan(edits, read, memo.load(place.environ), harness.install.objection)
    except UserError as error:
        return Check("its files are not as they should be", False, str(error))
    if changes:
        files = ", ".join(str(change.path) for change in changes)
        return Check(f"{files} is not as this release writes it", False, f"{again}{' --fast-hooks' if fast else ''}")
    return Check("its files are as this release writes them", True)


def _by_plugin(harness: Harness, place: Place) -> list[Check]:
    """Whether the plugin finds our programs, which it looks for as a person's shell would, and whether they work."""
    path = f"{place.environ.get('PATH', '')}{os.pathsep}{place.home}/.local/bin"
    hook, server = shutil.which("rg-hook", path=path), shutil.which("rg-mcp", path=path)
    again = "install rg-memory with pipx or uv tool"
    if not hook or not server:
        lost = "its plugin looks for rg-hook and rg-mcp on the PATH, and does not find them"
        return [Check(lost, False, again)]
    fires = []
    if harness.probed:
        event = harness.probed.probe().event
        fires = [_fires(harness, [hook, harness.name, *([event] if event else [])], None, place, again)]
    return [Check("its plugin is on", True), *fires, probes.answers([server], {}, place, again)]


def _fires(
    harness: Harness,
    hook: Sequence[str],
    server: tuple[Sequence[str], Mapping[str, str]] | None,
    place: Place,
    again: str,
) -> Check:
    assert harness.probed
    payload = harness.probed.probe().payload
    if hook == written.ASKS_SERVER:
        return probes.fires_through(server[0] if server else ["rg-mcp"], harness.name, payload, place, again)
    return probes.fires(hook, payload, place, again)


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
    title = f"{finding.title} ({line(finding.program)})"
    if not finding.wired:
        say(f"{title}\n  --    not wired in: rg-install --harness {finding.name}")
        return
    _print(title, finding.checks)
    for step in finding.todo:
        say(f"  note  {line(step)}")


def _print(title: str, checks: Sequence[Check]) -> None:
    told = [f"  ok    {line(c.what)}" if c.ok else f"  FAIL  {line(c.what)}: {line(c.todo)}" for c in checks]
    say("\n".join([title, *told]), STYLES)


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
