"""Build the plugin packages from the same entries that rg-install writes, and the marketplace files that list them.

    python -m rg_installer.plugins [--check] [REPOSITORY]

A plugin is made before it is known where rg-memory will be, so its commands look for rg-hook and rg-mcp on the PATH and
are silent without them. One folder per harness below plugins/: Claude Code would load another harness's
hooks/hooks.json. The marketplace files stand at the root, so that a program finds them in a clone of the repository.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rg_core import __version__
from rg_core.harness.capabilities import ABOUT, MARKET, PLUGIN, Packaging
from rg_core.harness.edits import Item, Json, Key, NewFile, OwnFile
from rg_core.harness.protocol import Commands, Install, Place
from rg_installer import skill
from rg_installer.harnesses import installed

MANIFEST: Mapping[str, Json] = {
    "name": PLUGIN,
    "version": __version__,
    "description": ABOUT,
    "author": {"name": MARKET},
    "license": "MIT",
}


def files(harness: str, install: Install, packaging: Packaging) -> dict[Path, str]:
    """A harness's plugin: paths below the repository, and their text."""
    folder = Path("plugins", harness, PLUGIN)
    place = Place(Path("/"), {}, "linux", None)
    hooks: dict[str, Json] = {}
    servers: dict[str, Json] = {}
    version: dict[str, Json] = {}
    for edit in install.edits(place, Commands("rg-hook", "rg-mcp")):
        match edit:
            case Item(at=("hooks", event), value=value):
                hooks[event] = [value]
            case OwnFile(text=text):
                made = json.loads(text)
                hooks, version = made["hooks"], {"version": made["version"]}
            case NewFile(value=value):
                version = dict(value)
            case Key(at=(_, name), value=Mapping() as value):
                servers[name] = {**value, "args": ["--make-identity"]}  # nobody else does where rg-install does not run
    built: dict[Path, Json] = {
        folder / packaging.manifest: {**MANIFEST, **packaging.says},
        folder / "hooks/hooks.json": {**version, "hooks": hooks},
        folder / packaging.servers: {"mcpServers": servers},
    }
    if packaging.listing:
        built[Path(packaging.marketplace)] = packaging.listing(f"./{folder.as_posix()}")
    texts = {path: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for path, content in built.items()}
    return {**texts, folder / "skills" / skill.FILE: skill.TEXT}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the packages; with --check only say which are not current, and exit 1 if any is not."""
    parser = argparse.ArgumentParser(prog="python -m rg_installer.plugins", description="Build the plugin packages.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file is not current")
    parser.add_argument("repository", nargs="?", type=Path, default=Path())
    options = parser.parse_args(argv)
    root: Path = options.repository
    built = [files(name, h.install, h.plugged.packaging()) for name, h in installed().usable.items() if h.plugged]
    wanted = {root / path: text for files_ in built for path, text in files_.items()}
    there = {path for path in (root / "plugins").rglob("*") if path.is_file()}
    stale = sorted(path for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text)
    surplus = sorted(path for path in there - set(wanted) if path.name != "README.md")
    for path in [*stale, *surplus]:
        print(path, "is not current" if options.check else "built" if path in wanted else "removed")
    if options.check:
        return 1 if stale or surplus else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], "utf-8")
    for path in surplus:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
