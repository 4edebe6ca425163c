"""config.toml: who the user is, tokens, the store, what is not recorded. Cold: the hook reads a published extract.

The one hook call that finds config.toml changed imports this within its deadline, so writers import what they need.

Identities and tokens come from this file alone, never from environment variables. It is written with mode 0600, aside
and renamed into place, and keeps the user's comments.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from rg_core import files, paths
from rg_core.border import keep_secret
from rg_core.errors import UserError

BOM, CRLF = "\ufeff", "\r\n"
Value = str | bool | int | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose Touches are recorded and shown."""

    user_id: str = ""
    pseudonym: bool = False  # whether Touches carry a keyed hash of user_id instead of it
    pseudonym_key: str = ""  # made by `config set identity.pseudonym true`; never leaves this machine
    former_ids: tuple[str, ...] = ()  # names that Touches of this person carry from before


@dataclass(frozen=True, slots=True)
class GitHub:
    """How GitHub is asked; without a token anonymously, 60 requests an hour."""

    token: str = ""
    api_url: str = "https://api.github.com"


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Where memory is: a file of this machine unless a url is set (rg_core.store.addresses says of what form)."""

    url: str = ""
    user: str = ""
    password: str = ""
    database: str = ""  # "" is the server's default
    touches: str = "graph"  # with a url: "graph" sends Touches to the server, "local" keeps them here


@dataclass(frozen=True, slots=True)
class Capture:
    """What is not recorded."""

    exclude_projects: tuple[str, ...] = ()  # directories, with all below them; * and ? are wildcards
    exclude_tools: tuple[str, ...] = ()  # tool names as the harness calls them; * and ? are wildcards


@dataclass(frozen=True, slots=True)
class SweepConfig:
    """When the Sweep runs, and how much of a listing it fetches."""

    auto: bool = False  # whether the end of a session starts a Sweep in the background
    max_members: int = 5000  # of a listing


@dataclass(frozen=True, slots=True)
class TelemetryConfig:
    """What is kept of what memory served: on this machine only."""

    enabled: bool = True
    query_text: bool = True  # whether the words of a recall are kept
    keep_days: int = 365
    rework_tokens: int = 5000  # what one `saved_rework` is declared to have saved


@dataclass(frozen=True, slots=True)
class Projects:
    """Which directories are which project: for documents, notes and assets."""

    dirs: tuple[str, ...] = ()  # NAME=DIRECTORY each; of several that hold a directory the longest wins
    shared: tuple[str, ...] = ()  # names of projects whose documents and notes a server may hold


@dataclass(frozen=True, slots=True)
class Documents:
    """How documents and notes are read."""

    prefixes: tuple[str, ...] = ("SPEC", "ADR")  # of the names by which texts speak of documents: SPEC-054
    front_matter: bool = True  # whether keys such as `requires` draw edges
    notes: str = "on"  # "off" hides the tool `remember`
    upstream_note: bool = True  # whether a prompt that names a document is told what that builds on


@dataclass(frozen=True, slots=True)
class Recall:
    """How recall weighs its legs."""

    weights: str = "measured"  # or "equal"
    class_weights: tuple[str, ...] = ()  # CLASS=VEC:LEX:GRAPH each, e.g. decision=1:3:1


@dataclass(frozen=True, slots=True)
class AssetsConfig:
    """Who this installation is for governed assets, and what agents may do with them."""

    teams: tuple[str, ...] = ()  # of this user
    roles: tuple[str, ...] = ()  # of this user
    agent: str = ""  # this installation's main agent
    task: str = ""  # what this installation works on
    mcp: str = "off"  # what agents may do: off, read, write (propose), full (whatever the user may)
    deliver: bool = False  # whether a session begins with its loadout; needs assets.mcp
    session_budget: int = 1600  # tokens of that loadout
    max_age_hours: int = 24  # of a rendered loadout, where a server is configured


@dataclass(frozen=True, slots=True)
class Config:
    """All of config.toml; a missing file is a Config of defaults."""

    path: str
    identity: Identity = field(default_factory=Identity)
    github: GitHub = field(default_factory=GitHub)
    store: StoreConfig = field(default_factory=StoreConfig)
    capture: Capture = field(default_factory=Capture)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    assets: AssetsConfig = field(default_factory=AssetsConfig)
    telemetry: TelemetryConfig = field(default_factory=TelemetryConfig)
    projects: Projects = field(default_factory=Projects)
    documents: Documents = field(default_factory=Documents)
    recall: Recall = field(default_factory=Recall)

    @property
    def user(self) -> str:
        """The identity that Touches carry: user_id, or its pseudonym; "" where none is configured."""
        return self._pseudonym(self.identity.user_id) if self.identity.pseudonym else self.identity.user_id

    @property
    def former(self) -> tuple[str, ...]:
        """The other names that Touches of this identity may carry: with or without a pseudonym, and from before."""
        if not self.identity.user_id:
            return ()
        plain = (self.identity.user_id, *self.identity.former_ids)
        names = [*plain, *(self._pseudonym(name) for name in plain if self.identity.pseudonym_key)]
        return tuple(name for name in dict.fromkeys(names) if name and name != self.user)

    def _pseudonym(self, name: str) -> str:
        if not name:
            return ""
        import hmac

        return "p-" + hmac.new(self.identity.pseudonym_key.encode(), name.encode(), "sha256").hexdigest()[:32]

    def require_user(self) -> str:
        """The identity that Touches carry.

        Raises:
            UserError: if there is none.
        """
        if not self.user:
            raise UserError(f"no identity in {self.path}; say who you are: rg-memory config set identity.user_id NAME")
        return self.user


SECTIONS: Mapping[str, type[Any]] = {
    "identity": Identity,
    "github": GitHub,
    "store": StoreConfig,
    "capture": Capture,
    "sweep": SweepConfig,
    "assets": AssetsConfig,
    "telemetry": TelemetryConfig,
    "projects": Projects,
    "documents": Documents,
    "recall": Recall,
}
KEYS = tuple(f"{section}.{item.name}" for section, kind in SECTIONS.items() for item in fields(kind))
SECRETS = frozenset({"identity.pseudonym_key", "github.token", "store.password"})
TYPES: Mapping[str, Any] = {
    f"{section}.{name}": hint for section, kind in SECTIONS.items() for name, hint in get_type_hints(kind).items()
}
WORDS = {str: "text in quotes", bool: "true or false", int: "a whole number", tuple[str, ...]: "a list of texts"}


def load(environ: Mapping[str, str]) -> Config:
    """Read config.toml.

    Raises:
        UserError: if it cannot be read, is not TOML, or has a key or a value that is not known; names the line.
    """
    path = paths.config_file(environ)
    config = parse(read_text(path), path)
    keep_secret(*secrets_of(config))
    return config


def secrets_of(config: Config) -> list[str]:
    """The values that nothing may show: those of SECRETS, and the passwords in URLs, as they are written there."""
    found = [str(value_of(config, key)) for key in SECRETS]
    for url in (config.github.api_url, config.store.url):
        user, at, _ = url.partition("://")[2].partition("/")[0].rpartition("@")
        found += [user.partition(":")[2] or user] if at else []
    return found


def read_text(path: str) -> str:
    """The text of config.toml to the byte, its line ends and a byte order mark included; "" where there is none.

    Raises:
        UserError: if it cannot be read.
    """
    try:
        return (files.read(path) or b"").decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{path} cannot be read: {why}; make it a UTF-8 text file that you may read") from error


def parse(text: str, path: str) -> Config:
    """The Config that a text says; `path` is for messages.

    Raises:
        UserError: as `load`.
    """
    try:
        document = tomllib.loads(text.removeprefix(BOM))
    except (ValueError, RecursionError) as error:  # also digits beyond what Python reads, and brackets without end
        raise UserError(f"{path} is not valid TOML: {error}; correct it with: rg-memory config edit") from error
    sections = {}
    for name, table in document.items():
        if name not in SECTIONS or not isinstance(table, dict):
            raise _complaint(path, text, name, "", f"unknown section; there are {', '.join(SECTIONS)}")
        sections[name] = SECTIONS[name](**{key: _checked(path, text, name, key, value) for key, value in table.items()})
    config = Config(path, **sections)
    if config.identity.pseudonym and not config.identity.pseudonym_key:
        advice = "it needs a key, which is made by: rg-memory config set identity.pseudonym true"
        raise _complaint(path, text, "identity", "pseudonym", advice)
    return config


def value_of(config: Config, key: str) -> Value:
    """The value of a key such as "github.token".

    Raises:
        UserError: if there is no such key.
    """
    section, name = check_key(key)
    value: Value = getattr(getattr(config, section), name)
    return value


def check_key(key: str) -> tuple[str, str]:
    """The section and the name of a key.

    Raises:
        UserError: if there is no such key.
    """
    if key not in KEYS:
        raise UserError(f"there is no key {key!r}; there are {', '.join(KEYS)}")
    section, _, name = key.partition(".")
    return section, name


def read_value(key: str, word: str) -> Value:
    """What a word of a command line says for a key: true or false, a number, comma-separated texts, or text.

    Raises:
        UserError: if there is no such key or the word is not of its type.
    """
    check_key(key)
    kind = TYPES[key]
    if kind is bool and word.lower() in ("true", "false"):
        return word.lower() == "true"
    if kind is int and word.lstrip("-").isdecimal():
        return int(word)
    if kind is str:
        return word
    if kind == tuple[str, ...]:
        return tuple(part.strip() for part in word.split(",") if part.strip())
    raise UserError(f"{key} is {WORDS[kind]}, not {word!r}")


def set_values(environ: Mapping[str, str], values: Mapping[str, Value]) -> Config:
    """Write values into config.toml, keeping everything else in it; what it then says.

    Raises:
        UserError: if the result would not be valid, or the file cannot be written.
    """
    import secrets

    import tomlkit

    path = paths.config_file(environ)
    before = read_text(path)
    try:
        document = tomlkit.parse(before.removeprefix(BOM))
    except tomlkit.exceptions.TOMLKitError as error:
        raise UserError(f"{path} is not valid TOML: {error}; correct it with: rg-memory config edit") from error
    if values.get("identity.pseudonym") is True and not parse(before, path).identity.pseudonym_key:
        values = {**values, "identity.pseudonym_key": secrets.token_hex(32)}
    for key, value in values.items():
        section, name = check_key(key)
        if section not in document:
            document[section] = tomlkit.table()
        document[section][name] = list(value) if isinstance(value, tuple) else value
    text = tomlkit.dumps(document)
    if CRLF in before and before.count(CRLF) == before.count("\n"):
        text = text.replace(CRLF, "\n").replace("\n", CRLF)
    text = BOM * before.startswith(BOM) + text
    config = parse(text, path)
    write_text(path, text)
    return config


def write_text(path: str, text: str) -> None:
    """Write the whole file, which is private from then on: it may hold a token.

    Raises:
        UserError: if it cannot be written.
    """
    try:
        files.make_folder(os.path.dirname(os.path.realpath(path)))
        files.write(path, text.encode(), secret=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}; see that you may write there") from error


def ensure_identity(environ: Mapping[str, str]) -> Config:
    """The Config, with an identity made up first where there is none: it says nothing about the person.

    Raises:
        UserError: as `load` and `set_values`.
    """
    import secrets

    config = load(environ)
    if config.identity.user_id:
        return config
    return set_values(environ, {"identity.user_id": f"user-{secrets.token_hex(6)}"})


def _checked(path: str, text: str, section: str, name: str, value: Any) -> Value:
    key = f"{section}.{name}"
    if key not in KEYS:
        known = ", ".join(item.name for item in fields(SECTIONS[section]))
        raise _complaint(path, text, section, name, f"unknown key; [{section}] has {known}")
    kind = TYPES[key]
    is_list = kind == tuple[str, ...]
    if is_list and isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = tuple(value)
    if type(value) is (tuple if is_list else kind) and _allowed(key, value):
        checked: Value = value
        return checked
    raise _complaint(path, text, section, name, f"must be {RULES.get(key, WORDS[kind])}, not {value!r}", secret=key)


RULES = {
    "store.touches": '"graph" or "local"',
    "sweep.max_members": "a whole number above 0",
    "telemetry.keep_days": "a whole number above 0",
    "telemetry.rework_tokens": "a whole number, 0 or more",
    "projects.dirs": "a list of NAME=DIRECTORY; a name is lower-case letters, digits, dots, hyphens and underscores",
    "projects.shared": "a list of project names",
    "documents.prefixes": "a list of prefixes made of letters, at most 20",
    "documents.notes": '"on" or "off"',
    "recall.weights": '"measured" or "equal"',
    "recall.class_weights": 'a list of CLASS=VEC:LEX:GRAPH, such as "decision=1:3:1"',
    "assets.mcp": '"off", "read", "write" or "full"',
    "assets.session_budget": "a whole number from 64 to 3200",
    "assets.max_age_hours": "a whole number above 0",
    "identity.user_id": "a text of one line",
    "github.api_url": "a URL such as https://api.github.com",
    "github.token": "letters, digits and signs without spaces, as GitHub made it",
}


CHOICES = {
    "assets.mcp": ("off", "read", "write", "full"),
    "store.touches": ("graph", "local"),
    "documents.notes": ("on", "off"),
    "recall.weights": ("measured", "equal"),
}
PATTERNS = {  # of each text in a list
    "projects.dirs": r"[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?=\S[\s\S]*",
    "projects.shared": r"[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?",
    "documents.prefixes": r"[A-Za-z]{1,20}",
    "recall.class_weights": r"(decision|historical|current_state|architectural|other)=\d+(\.\d+)?(:\d+(\.\d+)?){2}",
}


def _allowed(key: str, value: Any) -> bool:
    if key in PATTERNS:
        import re

        return len(value) <= 1_000 and all(re.fullmatch(PATTERNS[key], part) for part in value)
    if key in CHOICES:
        return value in CHOICES[key]
    if key in ("sweep.max_members", "telemetry.keep_days", "assets.max_age_hours"):
        return bool(value > 0)
    if key == "assets.session_budget":
        return bool(64 <= value <= 3200)
    if key == "telemetry.rework_tokens":
        return bool(value >= 0)
    if key == "identity.user_id":
        return bool(value.isprintable() and value == value.strip())
    if key == "github.api_url":
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(value)
            whole = bool(parts.hostname) and parts.port != 0 and not (parts.query or parts.fragment)
            return parts.scheme in ("http", "https") and whole and value.isprintable()
        except ValueError:
            return False
    if key == "github.token":
        return bool(value.isascii() and value.isprintable() and " " not in value)
    return True


def _complaint(path: str, text: str, section: str, name: str, what: str, secret: str = "") -> UserError:
    if secret in SECRETS:
        what = what.partition(", not ")[0]
    place = f"[{section}] {name}".strip()
    return UserError(
        f"{path}, line {_line(text, section, name)}: {place}: {what}; change it with: rg-memory config edit"
    )


def _line(text: str, section: str, name: str) -> int:
    """The line of a key, or of its section where the key is not found at the begin of a line."""
    current, found = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words.startswith("["):
            current = words.strip("[]").partition("]")[0].partition(".")[0].strip(" \"'")
            found = number if current == section else found
        first = words.partition("=")[0].strip().strip("\"'")
        if (current == section and name and first == name) or first in (f"{section}.{name}", section):
            return number
    return found
