"""An environment of its own: a virtual environment with everything that the tests' own one has, and our programs.

What a test installs there is seen there only.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path

PROGRAMS = ("rg-hook", "rg-install", "rg-mcp", "rg-memory")


class Separate:
    """A virtual environment in `folder`."""

    def __init__(self, folder: Path) -> None:
        """Make it: nothing is downloaded, and nothing copied but the four programs."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.bin = folder / "bin"
        self.python = self.bin / "python"
        paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
        shared = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        (Path(paths["purelib"]) / "shared.pth").write_text(shared)
        for name in PROGRAMS:
            text = Path(sys.executable).with_name(name).read_text()
            (self.bin / name).write_text(f"#!{self.python}\n" + text.partition("\n")[2])
            (self.bin / name).chmod(0o755)

    def pip(self, *arguments: str) -> None:
        """Run pip for this environment, without network."""
        quiet = ["--quiet", "--disable-pip-version-check"]
        command = [sys.executable, "-m", "pip", "--python", str(self.python), *arguments, *quiet]
        subprocess.run(command, check=True)

    def run(self, program: str, *arguments: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run one of the programs with nothing of the machine's own harnesses on the PATH."""
        clean = {**environ, "PATH": "/usr/bin:/bin"}
        command = [str(self.bin / program), *arguments]
        return subprocess.run(command, env=clean, capture_output=True, text=True, timeout=120, check=False)


def wheel(folder: Path, name: str, version: str, files: Mapping[str, str], entry_points: str) -> Path:
    """A distribution with these files, as a build backend would make it."""
    info = f"{name}-{version}.dist-info"
    content = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        record = ""
        for file, text in content.items():
            archive.writestr(file, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{file},sha256={digest},{len(text.encode())}\n"
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path
