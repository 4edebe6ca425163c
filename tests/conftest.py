"""No test may touch a real home: the places that programs default to are poisoned before any test runs.

What tests write goes into memory where there is room (/dev/shm): they make thousands of databases, and would wait for
the disk most of their time. A kill -9 loses no more there than on a disk.
"""

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import coverage
import pytest
from hypothesis import settings

from tests import bolt_server

IN_MEMORY = Path("/dev/shm")
ROOM = 3 * 2**30  # bytes, several times what a run holds at once
if "TMPDIR" not in os.environ and IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)

# An example takes as long as it takes on a busy machine; a run plays the same ones as the last, with RG_RANDOM others.
settings.register_profile("tests", settings.get_profile("ci"), derandomize="RG_RANDOM" not in os.environ)
settings.load_profile("tests")

# Its parent is a file, so nothing can be created or read below it.
POISON = Path(tempfile.gettempdir()) / f"rg-memory-tests-{os.getpid()}-no-home"
HOMES = (
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GROK_HOME",
)


@pytest.fixture(scope="session", autouse=True)
def poisoned_home() -> Iterator[Path]:
    """HOME and its like point below a plain file: whoever uses them without being told another place fails."""
    with pytest.MonkeyPatch.context() as patch:
        POISON.write_text("tests must pass their own HOME; see the fixture `home`\n")
        for name in HOMES:
            patch.setenv(name, str(POISON / name.lower()))
        yield POISON
        POISON.unlink()


@pytest.fixture(scope="session")
def bolt_servers() -> Iterator[bolt_server.BoltServers]:
    """Real Bolt servers, started when they are first asked for; one start for all tests of a process."""
    servers = bolt_server.BoltServers()
    yield servers
    servers.close()


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose home is a new directory; pass it as `environ`, also to subprocesses."""
    directory = tmp_path / "home"
    directory.mkdir()
    environ = {name: value for name, value in os.environ.items() if name not in HOMES}
    environ |= {
        "HOME": str(directory),
        "XDG_CONFIG_HOME": str(directory / ".config"),
        "XDG_DATA_HOME": str(directory / ".local" / "share"),
    }
    for name in ("CURSOR_VERSION", "GROK_HOOK_EVENT", "COPILOT_CLI", "GH_HOST", "GH_REPO", "PYTHONPATH"):
        environ.pop(name, None)  # a developer's agent may run these tests
    return environ


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure no coverage in what is marked `unmeasured`, nor in its processes."""
    measuring = coverage.Coverage.current() if item.get_closest_marker("unmeasured") else None
    if not measuring:
        return (yield)
    measuring.stop()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
            patch.delenv(name)
        done = yield
    measuring.start()
    return done


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a Bolt server its tests are left out; one line at the end says so."""
    if bolt_server.missing():
        left_out = [item for item in items if item.get_closest_marker("bolt")]
        items[:] = [item for item in items if not item.get_closest_marker("bolt")]
        config.hook.pytest_deselected(items=left_out)
    # The driver leaves a socket to the garbage collector, some tests later, where a server went away in mid-sentence.
    left_socket = "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
    for item in items:
        if item.get_closest_marker("bolt"):
            item.add_marker(pytest.mark.filterwarnings(left_socket))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why the Bolt tests were left out."""
    if why := bolt_server.missing():
        terminalreporter.write_line(f"{why}; the tests marked bolt were left out")
