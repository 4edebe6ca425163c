"""Projects: a name and its directories, by the user's configuration alone. For documents, notes and assets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rg_core.address.local import PROJECT
from rg_core.config import Config, set_values
from rg_core.errors import UserError

HELP = "rg-memory project add NAME DIR"


@dataclass(frozen=True, slots=True)
class Project:
    """One project. Its directories are absolute; a document's path is relative to the one that holds it."""

    name: str
    directories: tuple[str, ...]
    shared: bool = False


def projects(config: Config) -> dict[str, Project]:
    """Every configured project by name, in the order of the configuration."""
    directories: dict[str, list[str]] = {}
    for name, directory in _pairs(config):
        directories.setdefault(name, []).append(directory)
    return {name: Project(name, tuple(there), name in config.projects.shared) for name, there in directories.items()}


def project_of(config: Config, directory: str) -> Project | None:
    """The project that a directory is in: the longest configured directory that holds it wins; "" is in none."""
    if not directory:
        return None
    here = os.path.realpath(directory)
    holding = [(len(path), name) for name, path in _pairs(config) if within(here, path)]
    return projects(config)[max(holding)[1]] if holding else None


def named(config: Config, name: str | None, directory: str) -> Project:
    """The project of this name, or without one the directory's.

    Raises:
        UserError: if there is none; names those that there are.
    """
    if name is None:
        if found := project_of(config, directory):
            return found
        raise UserError(f"{directory or 'a directory that is gone'} is in no project; say which one it is: {HELP}")
    try:
        return projects(config)[name]
    except KeyError:
        known = ", ".join(projects(config)) or "none yet"
        raise UserError(f"there is no project {name[:80]!r} ({known}); add it: {HELP}") from None


def add(config: Config, environ: Mapping[str, str], name: str, directory: str) -> Config:
    """Have a directory belong to a project, made where it is new.

    Raises:
        UserError: for a name that is none, a directory that is not there, or one that belongs to another project.
    """
    if not PROJECT.match(name):
        raise UserError(
            f"{name[:80]!r} is no project name: up to 64 lower-case letters, digits, dots, hyphens and underscores"
        )
    path = os.path.realpath(os.path.expanduser(directory))
    if not os.path.isdir(path):
        raise UserError(f"{directory} is not a directory; name one that is there")
    for owner, there in _pairs(config):
        if there == path and owner != name:
            raise UserError(f"{path} belongs to project {owner}; first: rg-memory project remove {owner}")
        if there == path:
            return config
    return set_values(environ, {"projects.dirs": (*config.projects.dirs, f"{name}={path}")})


def remove(config: Config, environ: Mapping[str, str], name: str) -> Config:
    """Take a project out of the configuration, which is returned; what is stored of it stays.

    Raises:
        UserError: if there is none of this name.
    """
    named(config, name, "")
    dirs = tuple(entry for entry in config.projects.dirs if entry.partition("=")[0] != name)
    return set_values(
        environ,
        {"projects.dirs": dirs, "projects.shared": tuple(one for one in config.projects.shared if one != name)},
    )


def place(project: Project, path: str) -> tuple[str, str]:
    """The project's directory that holds an absolute path, and the path relative to it, with slashes.

    Raises:
        UserError: if none of its directories holds it.
    """
    for directory in sorted(project.directories, key=len, reverse=True):
        if within(path, directory):
            return directory, os.path.relpath(path, directory).replace(os.sep, "/")
    raise UserError(
        f"{path} is in no directory of project {project.name}; add it: rg-memory project add {project.name} DIR"
    )


def within(path: str, directory: str) -> bool:
    """Whether a path is a directory or lies below it; both absolute and without links."""
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _pairs(config: Config) -> Iterator[tuple[str, str]]:
    for entry in config.projects.dirs:
        name, _, directory = entry.partition("=")
        yield name, os.path.realpath(os.path.expanduser(directory))
