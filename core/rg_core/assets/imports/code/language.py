"""What a language has to say for itself, to be in code graphs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from rg_core.assets.imports.code.source import Source


class Modules(Protocol):
    """How the files of a repository find each other."""

    def find(self, path: str, origin: str) -> str | None:
        """The file that an import of `origin` in `path` means: of a package of several, its first one."""
        ...

    def files(self, path: str) -> Sequence[str]:
        """The files that may be of one package with this one, itself among them."""
        ...

    def place(self, path: str) -> str:
        """What names the file's package, also when its files change."""
        ...

    def within(self, path: str, name: str) -> str:
        """The origin by which a module's own file imports a module inside of it; "" where it cannot have any."""
        ...

    def name(self, path: str) -> str:
        """What the file's module is called."""
        ...


@dataclass(frozen=True, slots=True)
class Language:
    """A language, or languages whose files import each other."""

    extractor: str  # the reading of a file, and its version: another one reads every blob anew
    suffixes: Mapping[str, str]  # how its files end, and what the language is called then
    grammars: Sequence[str]  # the packages that it is parsed with
    extract: Callable[[bytes, str], Source]  # what a file of a path says; what is no code of the language is left out
    modules: Callable[
        [Sequence[str], Mapping[str, bytes]], Modules
    ]  # how files find each other, by paths and manifests
    builtin: Set[str]  # names that are there everywhere
    generated: tuple[str, ...] = ()  # how the names of files end that no person wrote
    manifests: Set[str] = frozenset()  # names of files that say how imports are spelled
    elements: Mapping[str, str] = field(default_factory=dict)  # methods of what holds values: whether they return one
    # of them (ELEMENT), or such a holder (LIST)
    open_classes: bool = False  # what stands directly in a class sees the class's members by their bare names
    packages: bool = False  # a package is known by the name that it gives itself
    converts: bool = False  # a type in the place of a callee converts, and calls nothing
