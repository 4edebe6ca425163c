"""The checks of what people, agents and importers hand in: content and patches of a policy. Pure.

Every error names the field and what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rg_core import times
from rg_core.assets.errors import invalid
from rg_core.assets.model import (
    KINDS,
    MODES,
    RIGHTS,
    TARGETS,
    VISIBILITIES,
    AccessEntry,
    Binding,
    Content,
    Policy,
    compact,
    name_of,
    names_of,
    subject_of,
    thousandths,
)

BODY, PAYLOAD = 256 * 1024, 64 * 1024  # bytes
NAME, DESCRIPTION, SUMMARY, LABEL, PERSON = 80, 1024, 4096, 60, 200  # characters
LABELS, ENTRIES = 50, 100
CONTENT_FIELDS = ("name", "description", "body", "summary", "labels", "payload")
ENTRY_FIELDS = frozenset({"effect", "subject", "rights"})
BINDING_FIELDS = frozenset({"target", "mode", "priority", "required", "enabled"})


def revised(content: Content | None, given: Mapping[str, Any]) -> Content:
    """Content with the given fields (of CONTENT_FIELDS) replaced; a first one without description is described by name.

    Raises:
        Refused: invalid.
    """
    for name in given:
        if name not in CONTENT_FIELDS:
            raise invalid(str(name)[:60], f"is no field of content; there are {', '.join(CONTENT_FIELDS)}")
    fields = {**(content.json() if content else {}), **given}
    name = _text("name", fields.get("name"), NAME).strip()
    return Content(
        name=name,
        description=_text("description", fields.get("description") or name, DESCRIPTION),
        body=_body(fields.get("body")),
        summary=_text("summary", fields.get("summary"), SUMMARY, none=True),
        labels=_labels(fields.get("labels") or ()),
        payload=_payload(fields.get("payload") or {}),
    )


def patched(policy: Policy, patch: Mapping[str, Any], now: str) -> Policy:
    """A policy with the patch's fields replaced, whole fields at a time. `status` is not looked at.

    Raises:
        Refused: invalid.
    """
    fields: dict[str, Any] = {}
    for name, value in patch.items():
        if name != "status":
            if name not in READERS:
                raise invalid(str(name)[:60], f"cannot be governed; there are status, {', '.join(READERS)}")
            fields[name] = READERS[name](value)
    after = replace(policy, **fields)
    if fields.get("expires_at") is not None and fields["expires_at"] <= now:
        raise invalid("expires_at", f"a time after now ({now}), or null for never")
    if after.visibility == "team" and not after.teams:
        raise invalid("teams", "name at least one team for the visibility team")
    return after


def _text(field: str, value: object, most: int, *, none: bool = False) -> Any:
    if value is None and none:
        return None
    if not isinstance(value, str) or not (value.strip() or none) or len(value) > most or not _encodes(value):
        raise invalid(field, f"a text of 1 to {most:,} characters")
    return value


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _body(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not _encodes(value) or len(value.encode()) > BODY:
        raise invalid("body", f"a text of at most {BODY // 1024} KiB")
    return value


def _labels(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > LABELS:
        raise invalid("labels", f"a list of at most {LABELS} texts")
    return names_of([_text("labels", label, LABEL) for label in value])


def _payload(value: object) -> Mapping[str, Any]:
    takes = f"an object of at most {PAYLOAD // 1024} KiB as JSON"
    if not isinstance(value, Mapping):
        raise invalid("payload", takes)
    try:
        data = compact(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid("payload", takes) from error
    if len(data) > PAYLOAD:
        raise invalid("payload", takes)
    return dict(value)


def _owner(value: object) -> str:
    return _name("owner", value)


def _name(field: str, value: object) -> str:
    takes = f"a name of 1 to {PERSON} characters on one line"
    if not isinstance(value, str) or len(value) > PERSON or not name_of(value) or not name_of(value).isprintable():
        raise invalid(field, takes)
    return name_of(value)


def _visibility(value: object) -> str:
    if value not in VISIBILITIES:
        raise invalid("visibility", f"one of {', '.join(VISIBILITIES)}")
    return str(value)


def _teams(value: object) -> tuple[str, ...]:
    return names_of([_name("teams", name) for name in _list("teams", value)])


def _list(field: str, value: object) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or len(value) > ENTRIES:
        raise invalid(field, f"a list of at most {ENTRIES}")
    return value


def _subject(field: str, value: object, kinds: Sequence[str]) -> str:
    kind, colon, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if not colon or kind.strip() not in kinds:
        raise invalid(field, f"KIND:NAME, where KIND is one of {', '.join(kinds)}")
    _name(field, name)
    return subject_of(str(value))


def _acl(value: object) -> tuple[AccessEntry, ...]:
    return tuple(dict.fromkeys(_entry(entry) for entry in _list("acl", value)))


def _entry(given: object) -> AccessEntry:
    if not isinstance(given, Mapping) or set(given) != ENTRY_FIELDS:
        raise invalid("acl", 'entries such as {"effect": "allow", "subject": "user:bob", "rights": ["use"]}')
    if given["effect"] not in ("allow", "deny"):
        raise invalid("acl.effect", "allow or deny")
    rights = given["rights"]
    if not isinstance(rights, list | tuple) or not rights or any(right not in RIGHTS for right in rights):
        raise invalid("acl.rights", f"a list of {', '.join(RIGHTS)}")
    return AccessEntry(given["effect"], _subject("acl.subject", given["subject"], KINDS), tuple(dict.fromkeys(rights)))


def _bindings(value: object) -> tuple[Binding, ...]:
    bindings = tuple(_binding(bound) for bound in _list("bindings", value))
    if len({bound.target for bound in bindings}) < len(bindings):
        raise invalid("bindings", "one for each target")
    return bindings


def _binding(given: object) -> Binding:
    if not isinstance(given, Mapping) or not {"target"} <= set(given) <= BINDING_FIELDS:
        raise invalid("bindings", 'entries such as {"target": "agent:reviewer", "mode": "direct", "required": true}')
    target = _subject("bindings.target", given["target"], TARGETS)
    if target.endswith(":*"):
        raise invalid("bindings.target", "the name of one agent, task or framework; * is for access entries")
    mode, priority = given.get("mode"), given.get("priority")
    if mode is not None and mode not in MODES:
        raise invalid("bindings.mode", f"one of {', '.join(MODES)}, or null")
    for flag in ("required", "enabled"):
        if not isinstance(given.get(flag, False), bool):
            raise invalid(f"bindings.{flag}", "true or false")
    number = None if priority is None else _number("bindings.priority", priority)
    return Binding(target, mode, number, given.get("required", False), given.get("enabled", True))


def _number(field: str, value: object) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        number = thousandths(value)
        if abs(value * 1000 - number) < 1e-6:
            return number
    raise invalid(field, "a number from 0 to 1 with at most three decimals")


def _expires_at(value: object) -> str | None:
    if value is None:
        return None
    try:
        return times.instant(str(value))
    except ValueError as error:
        raise invalid("expires_at", "a time such as 2027-01-31T12:00:00Z, or null for never") from error


def _follow(value: object) -> bool:
    if not isinstance(value, bool):
        raise invalid("follow", "true or false")
    return value


READERS = {
    "owner": _owner,
    "visibility": _visibility,
    "teams": _teams,
    "acl": _acl,
    "bindings": _bindings,
    "priority": lambda value: _number("priority", value),
    "confidence": lambda value: _number("confidence", value),
    "expires_at": _expires_at,
    "follow": _follow,
}
