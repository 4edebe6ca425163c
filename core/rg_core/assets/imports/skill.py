"""Agent Skills folders (agentskills.io): a SKILL.md with front matter, and files beside it.

Everything in a folder is data: `allowed-tools` and scripts are kept and never acted on, and no key of it can bind,
approve or name a project. A link that leads out of the folder refuses the skill.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rg_core.assets.imports.run import Taken, Unreadable, key_path
from rg_core.assets.store import Source
from rg_core.documents.edges import FRONT
from rg_core.documents.front_matter import refuse_tricks
from rg_core.documents.projects import Project
from rg_core.errors import UserError
from rg_core.secret import replaced
from rg_core.store.asset_rows import PageRow, Parts

if TYPE_CHECKING:
    import yaml

FILE = "SKILL.md"
FRONT_MATTER, BODY, TEXTS, PAGE, WHOLE = 16 * 1024, 256 * 1024, 2 << 20, 1 << 20, 64 << 20  # bytes
NAME, DESCRIPTION, COMPATIBILITY = 64, 1024, 500  # characters
FILES = 200
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
SKIPPED = frozenset({".git", "__pycache__", "node_modules"})


def skills(source: str, project: Project, *, strict: bool = False) -> Iterator[Taken]:
    """The skill in a folder, or those in the folders of a folder.

    Args:
        source: the folder.
        project: whose directory the sources' keys are relative to.
        strict: refuse what is only warned of otherwise.

    Raises:
        UserError: for what is no folder, or holds no skill.
    """
    if not os.path.isdir(source):
        raise UserError(f"{source} is not a directory; name a skill's folder, or one that holds such folders")
    folders = [source]
    if not os.path.lexists(os.path.join(source, FILE)):
        names = sorted(entry.name for entry in os.scandir(source) if entry.is_dir())
        folders = [path for name in names if os.path.lexists(os.path.join(path := os.path.join(source, name), FILE))]
    if not folders:
        raise UserError(f"there is no {FILE} in {source} nor in the folders in it; see agentskills.io/specification")
    for folder in folders:
        yield _taken(folder, source, project, strict)


def _taken(folder: str, source: str, project: Project, strict: bool) -> Taken:
    name = os.path.basename(os.path.realpath(folder))
    key = f"skill:{key_path(project, folder)}"
    provenance = {"source_type": "skill", "source_ref": key.partition(":")[2]}
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)[:80] or "skill"
    try:
        if os.path.islink(folder) and os.path.realpath(os.path.dirname(folder)) != os.path.dirname(
            os.path.realpath(folder)
        ):
            raise Unreadable(f"the folder is a link out of {source}; name the folder it leads to")
        content, pages, warnings = _read(os.path.realpath(folder), name)
        if strict and warnings:
            raise Unreadable("; ".join(warnings))
    except (Unreadable, OSError) as error:
        return Taken("skill", shown, Source(key, provenance), error=_said(error))
    return Taken("skill", content["name"], Source(key, provenance, Parts(pages=pages)), content, warnings)


def _said(error: Exception) -> str:
    return error.strerror or "cannot be read" if isinstance(error, OSError) else str(error)


def _read(folder: str, name: str) -> tuple[dict[str, Any], list[PageRow], list[str]]:
    """The content, the text files and the warnings of one skill.

    Raises:
        Unreadable, OSError: why it is none.
    """
    files = _files(folder)
    if FILE not in files:
        raise Unreadable(f"{FILE} is no file")
    if os.path.getsize(os.path.join(folder, FILE)) > FRONT_MATTER + BODY:
        raise Unreadable(f"{FILE} is larger than {BODY // 1024} KiB; move what is not always needed into other files")
    front, body = split(_text(os.path.join(folder, FILE)))
    content, warnings = fields(front, name)
    if len(body.encode()) > BODY:
        raise Unreadable(f"the text of {FILE} is larger than {BODY // 1024} KiB; move parts of it into other files")
    pages, others = _resources(folder, [path for path in files if path != FILE])
    payload = content["payload"] | ({"resources": others} if others else {})
    return {**content, "body": replaced(body), "payload": payload}, pages, warnings


def split(text: str) -> tuple[str, str]:
    """Front matter and body of a SKILL.md.

    Raises:
        Unreadable: without front matter, or with too much of it.
    """
    match = FRONT.match(text)
    if match is None:
        raise Unreadable(f"{FILE} has no front matter; it begins with --- and holds name and description")
    if len(match[0].encode()) > FRONT_MATTER:
        raise Unreadable(f"more than {FRONT_MATTER // 1024} KiB of front matter")
    inner = match[0].split("\n", 1)[1].rstrip().removesuffix("---").removesuffix("...")
    return inner, text[match.end() :].strip("\n") + "\n"


def fields(front: str, folder: str) -> tuple[dict[str, Any], list[str]]:
    """Content without body from a skill's front matter, and what is unusual about it. Pure.

    Raises:
        Unreadable: for broken YAML, anchors, aliases, tags, or a required field that is missing or too long.
    """
    given = plain_yaml(front)
    warnings, extra = [], {key: value for key, value in given.items() if key not in FIELDS}
    name, description = _required(given, "name", NAME), _required(given, "description", DESCRIPTION)
    normal = unicodedata.normalize("NFKC", name)
    if extra:
        warnings.append(f"keys that the specification does not know, kept as data: {', '.join(sorted(extra))[:300]}")
    if not _is_name(normal):
        warnings.append("the name has other characters than lower-case letters, digits and single hyphens")
    if normal != unicodedata.normalize("NFKC", folder):
        warnings.append(f"the name is not the folder's, {folder[:80]}")
        extra["folder"] = folder[:200]
    payload: dict[str, Any] = {}
    for key in FIELDS[2:]:
        if key not in given:
            continue
        value = given[key]
        if not _fits(key, value):
            warnings.append(f"{key} is not what the specification takes, kept as data")
            extra[key] = value
        elif value:
            payload[key.replace("-", "_")] = value
    if extra:
        payload["extra"] = extra
    return {"name": name, "description": description, "payload": payload}, warnings


def plain_yaml(text: str) -> Mapping[str, Any]:
    """A YAML mapping whose scalars are all texts.

    Raises:
        Unreadable: for anything else; for anchors, aliases and tags, with which a few bytes can mean millions.
    """
    import yaml

    try:
        refuse_tricks(text)
        value = _value(yaml.compose(text, Loader=yaml.SafeLoader))
    except Unreadable:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise Unreadable(f"the front matter is no plain YAML: {error}") from error
    if not isinstance(value, dict):
        raise Unreadable("the front matter holds no fields")
    return value


def _value(node: yaml.Node | None) -> Any:
    import yaml

    match node:
        case yaml.ScalarNode(value=value):
            return value
        case yaml.SequenceNode(value=items):
            return [_value(item) for item in items]
        case yaml.MappingNode(value=pairs):
            made: dict[str, Any] = {}
            for key, item in pairs:
                if not isinstance(key, yaml.ScalarNode) or key.value in made:
                    raise Unreadable("the front matter has a field twice, or one that is no text")
                made[key.value] = _value(item)
            return made
    return None


def _required(given: Mapping[str, Any], field: str, most: int) -> str:
    value = given.get(field)
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(f"the front matter lacks {field}")
    if len(value.strip()) > most:
        raise Unreadable(f"{field} is longer than {most:,} characters")
    return replaced(value.strip())


def _is_name(name: str) -> bool:
    return name == name.lower() and all(part and part.isalnum() for part in name.split("-"))


def _fits(key: str, value: object) -> bool:
    if key == "metadata":
        return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    return isinstance(value, str) and (key != "compatibility" or len(value) <= COMPATIBILITY)


def _files(folder: str) -> list[str]:
    """The files of a skill, by path relative to its folder.

    Raises:
        Unreadable: for a link out of the folder, or too much of it.
    """
    found, size = [], 0
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in (*folders, *sorted(names)):
            path = os.path.join(directory, name)
            within = os.path.relpath(path, folder).replace(os.sep, "/")
            if os.path.islink(path) and not os.path.realpath(path).startswith(folder + os.sep):
                raise Unreadable(f"{within[:200]} is a link out of the skill's folder")
            status = os.stat(path)
            if stat.S_ISREG(status.st_mode):
                found.append(within)
                size += status.st_size
            if len(found) > FILES or size > WHOLE:
                raise Unreadable(f"the folder holds more than {FILES} files or {WHOLE >> 20} MiB; import a part of it")
    return found


def _resources(folder: str, paths: Sequence[str]) -> tuple[list[PageRow], list[dict[str, Any]]]:
    """Text files as pages, others by path, size and hash.

    Raises:
        Unreadable: for more text than there may be.
    """
    pages: list[PageRow] = []
    others, size = [], 0
    for path in paths:
        absolute = os.path.join(folder, path)
        try:
            if os.path.getsize(absolute) > PAGE:
                raise Unreadable
            body = _text(absolute)
        except Unreadable:
            with open(absolute, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            others.append({"path": path, "size": os.path.getsize(absolute), "sha256": digest})
            continue
        body = replaced(body)
        size += len(body.encode())
        if size > TEXTS:
            raise Unreadable(f"more than {TEXTS >> 20} MiB of text files beside {FILE}")
        pages.append(PageRow(path, path, hashlib.sha256(body.encode()).hexdigest(), body, path))
    return pages, others


def _text(path: str) -> str:
    """The text of a file.

    Raises:
        Unreadable: if it is none.
    """
    with open(path, "rb") as file:
        data = file.read(PAGE + 1)
    if b"\0" in data:
        raise Unreadable(f"{os.path.basename(path)[:80]} is no text")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{os.path.basename(path)[:80]} is not UTF-8") from error
