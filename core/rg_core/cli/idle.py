"""Settings that have no effect while another one is off. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rg_core.config import KEYS, Config, value_of

TO_SET = {  # what switches on that others need
    "assets.deliver": "true",
    "assets.mcp": "read",
    "identity.user_id": "NAME",
    "store.url": "URL",
    "telemetry.enabled": "true",
}
NEEDS = {  # what each needs
    "assets.deliver": ("assets.mcp", "identity.user_id"),
    "assets.max_age_hours": ("assets.deliver", "store.url"),
    "assets.session_budget": ("assets.deliver",),
    "identity.former_ids": ("identity.user_id",),
    "identity.pseudonym": ("identity.user_id",),
    "projects.shared": ("store.url",),
    "store.database": ("store.url",),
    "store.password": ("store.url",),
    "store.touches": ("store.url",),
    "store.user": ("store.url",),
    "sweep.auto": ("identity.user_id",),
    "telemetry.keep_days": ("telemetry.enabled",),
    "telemetry.query_text": ("telemetry.enabled",),
}
OFF: dict[object, str] = {False: "false", "": "not set", "off": "off"}


def idle(config: Config, changed: Sequence[str] = KEYS) -> Iterator[str]:
    """A sentence for each setting that is not the default and has no effect, with the command that gives it one.

    `changed` narrows them to those in which one of these keys has a part.
    """
    defaults = Config(config.path)
    for key, needs in NEEDS.items():
        if value_of(config, key) == value_of(defaults, key):
            continue
        for need in needs:
            value = value_of(config, need)
            if value in OFF and {key, need} & {*changed}:
                yield f"{key} has no effect while {need} is {OFF[value]}: rg-memory config set {need} {TO_SET[need]}"
