"""What calls in Python mean, as jedi says: python calls.py DIR COUNT FILE...

It asks of so many calls, at random, and of the others in the same lines.
One JSON array a line, [file, line, target], as from calls.go: the target is [file, line] of a function or class below
DIR; null is one that is elsewhere, or a value that holds one; "?" is what jedi cannot tell.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import random
import sys
from collections.abc import Iterator


def calls(path: str) -> Iterator[tuple[int, int]]:
    """The line and column of every callee's last name."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(lineno=line, col_offset=column):
                    yield line, column
                case ast.Attribute(end_lineno=int(line), end_col_offset=int(end), attr=name):
                    before = lines[line - 1].encode()[:end].decode("utf-8", "replace")
                    yield line, len(before) - len(name)


def main() -> None:
    jedi = importlib.import_module("jedi")  # the benchmark asks for it where it is installed
    root, count, files = os.path.realpath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    found = [(path, *place) for path in files for place in calls(os.path.join(root, path))]
    project = jedi.Project(root)
    lines = {place[:2] for place in random.Random(1).sample(found, min(count, len(found)))}
    for path, line, column in (place for place in found if place[:2] in lines):
        try:
            script = jedi.Script(path=os.path.join(root, path), project=project)
            told = script.goto(line, column, follow_imports=True)
            if any(str(one.module_path).endswith(".pyi") for one in told):  # jedi brings stubs of its own
                told = script.infer(line, column)
        except Exception:  # noqa: BLE001 - what jedi cannot read, it cannot tell
            told = []
        target: object = None if told else "?"
        for one in told:
            inside = one.module_path and os.path.realpath(one.module_path).startswith(root + os.sep)
            if inside and one.type in ("function", "class") and one.line:
                target = [os.path.relpath(os.path.realpath(one.module_path), root), one.line]
        print(json.dumps([path, line, target]), flush=True)


if __name__ == "__main__":
    main()
