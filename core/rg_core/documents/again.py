"""Reading documents again without being asked: by the MCP server before a recall, and by the Sweep."""

from __future__ import annotations

from datetime import UTC, datetime

from rg_core.documents.own import OwnTexts
from rg_core.documents.plan import plan
from rg_core.documents.sync import Settings, apply
from rg_core.errors import UserError


def read_again(texts: OwnTexts) -> list[str]:
    """Read what changed below everything that the user added; what could not be read, in words.

    Edges that change are kept for whoever looks: nobody was asked.

    Raises:
        UserError: without an identity.
        StoreUnavailable: when the file is away.
    """
    store, user, config = texts.store, texts.user, texts.config
    settings = Settings(config.documents.prefixes, config.documents.front_matter)
    problems = []
    roots = store.roots(user)
    for root in roots:
        try:
            apply(store, user, plan(store, user, config, [root]), settings, datetime.now(UTC), unasked=True)
        except UserError as error:
            problems.append(str(error))
    if roots:
        texts.publish()
    return problems
