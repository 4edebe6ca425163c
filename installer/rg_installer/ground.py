"""What all harnesses stand on, looked at as it is: configuration, identity, data directory, memory, the token's answer.

Nothing is made in a home that had nothing, and nothing stays behind: what is written is rolled back or removed.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import TypeVar

from rg_core import config, paths
from rg_core.config import Config
from rg_core.errors import UserError, disk_is_full
from rg_core.github.client import Client
from rg_core.github.errors import GitHubError, Misconfigured, Unauthorized
from rg_core.harness.protocol import Check
from rg_core.store import open_store
from rg_core.store.protocol import StoreUnavailable
from rg_core.touches.drain import waiting

SEE = "rg-memory config get github.api_url"
PATIENCE = 15.0  # seconds for a server
LOCK = 3.0  # seconds for a file that another program holds
T = TypeVar("T")


def checks(environ: Mapping[str, str]) -> list[Check]:
    """All of it, the cause before what it causes."""
    try:
        known = config.load(environ)
    except UserError as error:
        return [Check("the configuration cannot be used, and nothing is recorded", False, str(error))]
    found = [_identity(known), data_directory(environ)]
    if found[-1].ok:
        found += _touches(environ)
    return [*found, memory(known, environ), token(known)]


def _identity(known: Config) -> Check:
    if known.user:
        return Check(f"you are {known.user}", True)
    told = "give yourself a name: rg-memory config set identity.user_id NAME"
    return Check("there is no identity, so nothing is recorded", False, told)


def data_directory(environ: Mapping[str, str]) -> Check:
    """Whether hooks and commands can make files in the data directory, or will be able to make it."""
    folder = paths.data_dir(environ)
    if os.path.isdir(folder):
        try:
            with tempfile.TemporaryDirectory(prefix=".doctor-", dir=folder) as scratch:
                Path(scratch, "probe").write_bytes(b"x" * 4096)
        except OSError as error:
            return Check(f"nothing can be written in {folder} ({error.strerror})", False, _advice(folder))
        return Check(f"{folder} can be written", True)
    above = next(place for place in Path(folder).parents if place.exists())
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return Check(f"{folder} will be made when something is recorded", True)
    return Check(f"{folder} cannot be made in {above}", False, _advice(str(above)))


def _advice(folder: str) -> str:
    if disk_is_full(os.path.join(folder, "file")):
        return "the disk is full: free some space"
    return f"make it yours: sudo chown -R $(id -u) {folder}; or set XDG_DATA_HOME to a folder that is"


def _touches(environ: Mapping[str, str]) -> list[Check]:
    """Whether the file of Touches takes writes, and what hooks left that nothing has taken in yet."""
    left = waiting(paths.data_dir(environ))
    found = [_file("Touches", paths.outbox_file(environ))]
    if left.count > left.newer:
        found.append(Check(f"events that wait for the next command of rg-memory: {left.count - left.newer}", True))
    if left.newer:
        told = "upgrade rg-memory, for instance: pipx upgrade rg-memory"
        found.append(Check(f"events of a later release wait: {left.newer}", False, told))
    return found


def _file(what: str, path: str) -> Check:
    """Whether a database of ours takes a write, which is rolled back."""
    if not os.path.exists(path):
        return Check(f"{what}: none yet", True)
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=LOCK, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("CREATE TABLE rg_doctor (written)")
            db.execute("INSERT INTO rg_doctor VALUES (1)")
            db.execute("ROLLBACK")
            (sound,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return Check(f"{what}: {path} cannot be used ({error})", False, _remedy(error.sqlite_errorname, path))
    if sound != "ok":
        return Check(f"{what}: {path} is damaged ({sound})", False, _remedy("SQLITE_CORRUPT", path))
    return Check(f"{what}: {path} takes writes", True)


def _remedy(name: str, path: str) -> str:
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return f"move it away, and a new one is made: mv {path} {path}.damaged"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another program holds it: end that program (fuser names it), or try again in a moment"
    if name.startswith("SQLITE_FULL") or disk_is_full(path):
        return "the disk is full: free some space"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"make it yours: sudo chown $(id -u) {path}*"
    return "this file system may not be able to hold a database: set XDG_DATA_HOME to a folder on a local disk"


def memory(known: Config, environ: Mapping[str, str]) -> Check:
    """Whether the configured store answers: a hanging or refusing server, a wrong password, a damaged file."""
    where = known.store.url or paths.memory_file(environ)
    try:
        stored = _in_time(lambda: _stored(known, environ))
    except TimeoutError:
        told = "see that it runs and that this machine reaches it: rg-memory config get store.url"
        return Check(f"memory: {where} does not answer within {PATIENCE:.0f} s", False, told)
    except (UserError, StoreUnavailable) as error:
        return Check(f"memory: {where} cannot be used", False, str(error))
    if stored is None:
        return Check("memory: empty; `rg-memory sweep` fills it with what agents explored", True)
    if not known.store.url and not (file := _file("memory", where)).ok:
        return file
    return Check(f"memory: {where} answers, {stored} stored", True)


def _stored(known: Config, environ: Mapping[str, str]) -> int | None:
    store = open_store(known, environ)
    try:
        return sum(store.counts().values()) if store.exists() else None
    finally:
        store.close()


def token(known: Config) -> Check:
    """What GitHub says to the token; a question that costs nothing of the rate limit."""
    client = Client(known.github.api_url, known.github.token, sleep=lambda _: None, max_wait=0)
    whose = "the token" if known.github.token else "no token"
    try:
        reply = _in_time(lambda: client.get("/rate_limit"))
    except Unauthorized:
        told = "make a new one without any scope, then: rg-memory config edit"
        return Check("GitHub does not accept the token in [github] token", False, told)
    except Misconfigured as error:
        return Check("a sweep cannot fetch", False, error.what)
    except GitHubError as error:
        return Check(f"a sweep cannot fetch: {error}", False, f"{error.todo} ({SEE}); hooks record all the same")
    except TimeoutError:
        told = f"check network and proxy ({SEE}); hooks record all the same"
        return Check(f"a sweep cannot fetch: no answer within {PATIENCE:.0f} s", False, told)
    finally:
        client.close()
    core = reply.body.get("resources", {}).get("core", {}) if isinstance(reply.body, dict) else {}
    limit = core.get("limit") if isinstance(core, dict) else None
    if reply.status != 200:
        told = f"see what stands there: {SEE}"
        return Check(f"GitHub answers {reply.status} to {whose}", False, told)
    return Check(f"GitHub answers to {whose}{f': {limit} requests an hour' if limit else ''}", True)


def _in_time(ask: Callable[[], T]) -> T:
    """What a function gives or raises, unless that takes too long; it is left to itself then.

    Raises:
        TimeoutError: it took longer than PATIENCE.
        Exception: what the function raised.
    """
    given: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            given.append(ask())
        except BaseException as error:  # noqa: BLE001 - handed on
            raised.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if raised:
        raise raised[0]
    if not given:
        raise TimeoutError
    return given[0]
