"""What the hook needs of config.toml, published so that no hook has to parse TOML. Hot.

The file `hook/settings` is one JSON object. It says from which state of config.toml it was read; whoever finds another
state reads config.toml and publishes again, so that a change by hand counts from the next event on.
"""

from __future__ import annotations

import os

from rg_core import paths
from rg_core.quickjson import dumps, loads
from rg_core.record import record
from rg_core.touches.published import FORMAT, folder, publish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REGULAR, KIND = 0o100000, 0o170000  # of st_mode: `stat` need not be asked


@record
class Settings:
    """What the hook needs of config.toml. `stamp` tells which state of that file it was read from."""

    stamp: str
    user: str  # "" where nobody is configured: then nothing is recorded
    exclude_projects: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    sweep_auto: bool = False
    upstream_note: bool = True


def current(environ: Mapping[str, str]) -> Settings:
    """The settings of config.toml as it stands; while that is broken, those published before, or nobody's."""
    path = os.path.join(folder(paths.data_dir(environ)), "settings")
    before = _published(path)
    stamp = _stamp(paths.config_file(environ))
    if before is not None and before.stamp == stamp:
        return before
    now = _read(environ, stamp)
    if now is None:
        return before or Settings(stamp, "")
    try:  # noqa: SIM105 - contextlib costs the hook an import
        publish(path, _text(now).encode())
    except OSError:
        pass  # what was read is as good; the next reader publishes it
    return now


def _published(path: str) -> Settings | None:
    try:
        with open(path, "rb") as file:
            held = loads(file.read().decode())
        if held["format"] != FORMAT:
            return None
        projects, tools = tuple(held["exclude_projects"]), tuple(held["exclude_tools"])
        return Settings(held["stamp"], held["user"], projects, tools, held["sweep_auto"], held["upstream_note"])
    except (OSError, ValueError, LookupError, TypeError, StopIteration):
        return None


def _text(settings: Settings) -> str:
    return dumps(
        {
            "format": FORMAT,
            "stamp": settings.stamp,
            "user": settings.user,
            "exclude_projects": list(settings.exclude_projects),
            "exclude_tools": list(settings.exclude_tools),
            "sweep_auto": settings.sweep_auto,
            "upstream_note": settings.upstream_note,
        }
    )


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return f"none {path}"
    except OSError as error:
        return f"unreadable {error.errno} {path}"
    kind = "" if status.st_mode & KIND == REGULAR else "no file "
    return f"{kind}{status.st_mtime_ns} {status.st_size} {status.st_ino} {path}"


def _read(environ: Mapping[str, str], stamp: str) -> Settings | None:
    """Settings from config.toml; None while it is broken, or no regular file: opening a pipe would wait for ever."""
    if stamp.startswith("no file "):
        return None
    from rg_core import config
    from rg_core.errors import UserError

    try:
        now = config.load(environ)
    except UserError:
        return None
    home = environ.get("HOME") or os.path.expanduser("~")
    projects = tuple(home + path[1:] if path[:2] in ("~", "~/") else path for path in now.capture.exclude_projects)
    return Settings(stamp, now.user, projects, now.capture.exclude_tools, now.sweep.auto, now.documents.upstream_note)
