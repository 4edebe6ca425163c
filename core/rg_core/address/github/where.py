"""Where a command runs: its working directory and its environment, as far as they are known."""

from __future__ import annotations

from rg_core.address.found import NoAddress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rg_core.address.found import ReadRemotes


class Surroundings:
    """The surroundings of one simple command; `cwd` is None when only the shell could tell it."""

    __slots__ = ("_changed", "_environ", "_remotes", "cwd")

    def __init__(
        self, cwd: str | None, changed: Mapping[str, str], environ: Mapping[str, str], remotes: ReadRemotes
    ) -> None:
        self.cwd = cwd
        self._changed = changed
        self._environ = environ
        self._remotes = remotes

    def variable(self, name: str) -> str:
        """An environment variable's value, else "".

        Raises:
            NoAddress: if the command line sets it to something that only the shell could tell.
        """
        value = self._changed[name] if name in self._changed else self._environ.get(name, "")
        if "\0" in value:
            raise NoAddress(f"only the shell knows the value of {name}")
        return value

    def repository(self, flag: str = "") -> str:
        """owner/repo that gh works on: -R, else GH_REPO, else the working directory's remotes.

        Raises:
            NoAddress: if that cannot be told, or is on another host than github.com.
        """
        from rg_core.address.github.remotes import base_repository, flag_repository

        gh_host = self.variable("GH_HOST")
        if named := flag or self.variable("GH_REPO"):
            return flag_repository(named, gh_host)
        if not self.cwd:
            raise NoAddress("no repository is named and the working directory is unknown")
        remotes = self._remotes(self.cwd)
        if remotes is None:
            raise NoAddress("no repository is named and the working directory is not a Git checkout that can be read")
        return base_repository(remotes, gh_host)
