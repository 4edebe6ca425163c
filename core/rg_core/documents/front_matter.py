"""Front matter of a document: YAML without anchors, aliases and tags, read by PyYAML's safe loader. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from rg_core.documents.edges import FRONT

if TYPE_CHECKING:
    import yaml

LARGEST = 16 * 1024  # bytes
DEEPEST = 20  # levels of lists and mappings


def front_matter(markdown: str) -> Mapping[str, Any]:
    """The front matter's keys, lower-case with hyphens; empty where there is none or it is not to be trusted.

    Anything but a plain mapping counts as none: a document is worth reading without it.
    """
    text = markdown.removeprefix("\ufeff")
    match = FRONT.match(text)
    if match is None or len(block := match[0]) > LARGEST:
        return {}
    inner = block.split("\n", 1)[1].rsplit("---", 1)[0]
    try:
        loaded = _load(inner)
    except (ValueError, RecursionError, OverflowError):
        return {}
    if not isinstance(loaded, dict):
        return {}
    return {str(key).lower().replace("_", "-"): value for key, value in loaded.items()}


def text_of(value: Any) -> str:
    """A scalar of the front matter as text; "" for anything else."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value).strip() if isinstance(value, str | int | float) else ""


def texts_of(value: Any) -> list[str]:
    """The texts of a list, or of a scalar with commas."""
    if isinstance(value, list):
        return [text for part in value if (text := text_of(part))]
    return [part.strip() for part in text_of(value).split(",") if part.strip()]


def refuse_tricks(text: str) -> None:
    """See that a text is plain YAML.

    Raises:
        ValueError: for broken YAML, deep nesting, or anchors, aliases and tags: few bytes that mean millions.
    """
    import yaml

    depth = 0
    try:
        for event in yaml.parse(text, Loader=_loader()):
            if _is_refused(event):
                raise ValueError("anchors, aliases and tags are not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:  # each further level costs more time than the one before
                raise ValueError("it is nested too deeply")
    except yaml.MarkedYAMLError as error:
        problem = error.problem or "it is broken"
        raise ValueError("it is nested too deeply" if "nesting depth" in problem else problem) from error
    except yaml.YAMLError as error:
        raise ValueError("it is broken") from error


def _load(text: str) -> Any:
    """Load plain YAML.

    Raises:
        ValueError: as `refuse_tricks`.
    """
    import yaml

    refuse_tricks(text)
    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - it is a safe one
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _loader() -> type[yaml.SafeLoader]:
    """PyYAML's safe loader; libyaml's, ten times as fast, where PyYAML was built with it."""
    import yaml

    loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return loader


def _is_refused(event: yaml.Event) -> bool:
    import yaml

    return (
        isinstance(event, yaml.AliasEvent)
        or getattr(event, "anchor", None) is not None
        or getattr(event, "tag", None) is not None
    )
