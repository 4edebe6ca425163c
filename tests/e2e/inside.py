"""What runs inside the network namespace: the scripted model, and beside it the program under test.

`python -m tests.e2e.inside JOB RESULT`, both JSON files: the job has `conversations`, `command`, `cwd`, `environ` and
`timeout` (seconds); the result has every request to the model, the exit code (None after the timeout) and the output.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.e2e.model import Script, conversations, serve

PORT = 8901  # the namespace is ours alone


def main() -> None:
    """Run one job."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    script = Script(conversations(job["conversations"]))
    server = serve(script, PORT)
    process = subprocess.Popen(
        job["command"], cwd=job["cwd"], env=job["environ"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        stdout, stderr = process.communicate(timeout=job["timeout"])
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # ours alone: it began a session of its own
        stdout, stderr = process.communicate()
        code = None
    server.shutdown()
    result = {
        "requests": script.requests,
        "code": code,
        "stdout": stdout.decode(errors="replace"),
        "stderr": stderr.decode(errors="replace"),
    }
    Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
