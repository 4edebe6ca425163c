"""What is done to telemetry beside the Sweep: verdicts, what was brought up to date, old rows, sessions that are over.

None of it may fail a Sweep: what cannot be done now is done by the next one, and the reason is logged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing

from rg_core import paths, times
from rg_core.config import Config
from rg_core.errors import UserError
from rg_core.log import note
from rg_core.store import open_documents
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.telemetry import wrap
from rg_core.telemetry.forget import expire, forget_address
from rg_core.telemetry.scope import scope_of
from rg_core.telemetry.settle import settle, settle_texts


def after_sweep(config: Config, environ: Mapping[str, str], store: Store) -> None:
    """Settle, let go of old rows, and keep the counts of sessions that are over."""
    files = (paths.telemetry_file(environ), paths.outbox_file(environ))
    if not config.telemetry.enabled or not os.path.exists(files[0]):
        return
    now = times.now()
    try:
        if store.exists():
            settle(*files, store, config.user, now)
        with closing(open_documents(environ)) as texts:
            settle_texts(files[0], texts, config.user, now)
        scope = scope_of(config, environ, counting=False)
        wrap.keep(*files, scope)  # a Sweep often begins where a session ends
        wrap.keep_quiet(*files, scope, now)
        expire(*files, config.telemetry.keep_days, now)
    except (UserError, StoreUnavailable) as error:
        note(environ, "telemetry", str(error))


def eraser(environ: Mapping[str, str]) -> Callable[[str], None]:
    """What forgets everything below the key of a repository that is not public, whosever it is."""

    def erase(key: str) -> None:
        files = (paths.telemetry_file(environ), paths.outbox_file(environ))
        try:
            forget_address(*files, None, key, below=True)
        except UserError as error:
            note(environ, "telemetry", str(error))

    return erase
