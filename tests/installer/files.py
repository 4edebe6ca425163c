"""Files as people keep them: a value printed in a random hand, in the dialect that its program reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

REMARKS = ("mine", 'a "quoted" remark', "see https://example.com/a,b", "] } , {", "ünïcode ☃", "ends in blanks   ")
WORDS = ("echo hi", "/opt/tool --flag 'a b'", "jq .tool_input", "ünï ☃", "C:\\tools\\x.exe", 'say "x"', "a,b}]")


def other_value(rnd: Random, depth: int = 0) -> Any:
    """Any JSON value that is nothing of ours."""
    kind = rnd.randrange(8 if depth < 3 else 5)
    if kind == 0:
        return rnd.choice((True, False, None))
    if kind == 1:
        return rnd.choice((0, -1, 12, 3.5, 1e9))
    if kind < 5:
        return rnd.choice((*WORDS, "https://example.com//x", "/* no remark */", "a, ] b"))
    if kind == 5:
        return [other_value(rnd, depth + 1) for _ in range(rnd.randrange(4))]
    return {
        f"{rnd.choice(('k', 'ключ', 'a b', 'x.y'))}{i}": other_value(rnd, depth + 1) for i in range(rnd.randrange(4))
    }


def shuffled(rnd: Random, value: Mapping[str, Any]) -> dict[str, Any]:
    """The same object with its keys in another order."""
    keys = list(value)
    rnd.shuffle(keys)
    return {key: value[key] for key in keys}


class Hand:
    """One person's way of writing JSON: indentation, line ends, comments, trailing commas, one-line containers."""

    def __init__(self, rnd: Random, *, comments: bool = False, trailing: bool = False, mark: bool = False) -> None:
        """Choose the habits; `comments`, `trailing` and `mark` say what the dialect allows."""
        self.rnd = rnd
        self.eol = rnd.choice(("\n", "\n", "\r\n"))
        self.unit = rnd.choice(("  ", "  ", "    ", "\t", " "))
        self.comments = rnd.choice((0.0, 0.2, 0.5)) if comments else 0.0
        self.trailing = rnd.choice((0.0, 0.5, 1.0)) if trailing else 0.0
        self.mark = mark and rnd.random() < 0.2
        self.dense = rnd.random() < 0.15  # all on one line
        self.colon = rnd.choice((": ", ":", " : "))

    def written(self, value: Any) -> bytes:
        """The file."""
        head = self._remark_line("") if self.rnd.random() < 0.3 else ""
        tail = self.rnd.choice(("", self.eol, self.eol, self.eol * 2))
        return (("\ufeff" if self.mark else "") + head + self._value(value, "") + tail).encode()

    def _value(self, value: Any, indent: str) -> str:
        if isinstance(value, Mapping):
            parts = [json.dumps(k, ensure_ascii=self.rnd.random() < 0.5) + self.colon for k in value]
            return self._box(
                "{}",
                [part + self._value(v, indent + self.unit) for part, v in zip(parts, value.values(), strict=True)],
                indent,
            )
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self._box("[]", [self._value(v, indent + self.unit) for v in value], indent)
        return json.dumps(value, ensure_ascii=self.rnd.random() < 0.5)

    def _box(self, brackets: str, parts: Sequence[str], indent: str) -> str:
        inner = indent + self.unit
        if not parts:
            empty = ["", "", " ", self.eol + indent]
            if self.comments:
                empty += [f" /* {self.rnd.choice(REMARKS)} */ ", self.eol + self._remark_line(inner) + indent]
            return brackets[0] + self.rnd.choice(empty) + brackets[1]
        last = "," if self.rnd.random() < self.trailing else ""
        if self.dense or (self.rnd.random() < 0.2 and not any("\n" in part for part in parts)):
            gap = self.rnd.choice(("", " "))
            return brackets[0] + gap + ("," + self.rnd.choice((" ", ""))).join(parts) + last + gap + brackets[1]
        lines = []
        for i, part in enumerate(parts):
            comma = "," if i < len(parts) - 1 else last
            if self._often():
                lines.append(self._remark_line(inner))
            before = f" /* {self.rnd.choice(REMARKS)} */ " if comma and self._often(0.2) else ""
            after = f"  // {self.rnd.choice(REMARKS)}" if self._often() else self.rnd.choice(("", "", "  "))
            lines.append(inner + part + before + comma + after + self.eol)
        if self._often(0.3):
            lines.append(self._remark_line(inner))
        blank = self.eol if self.rnd.random() < 0.1 else ""
        return brackets[0] + self.eol + blank + "".join(lines) + indent + brackets[1]

    def _remark_line(self, indent: str) -> str:
        if not self.comments or self.dense:
            return ""
        return f"{indent}{self.rnd.choice(('// {}', '/* {} */'))}{self.eol}".format(self.rnd.choice(REMARKS))

    def _often(self, share: float = 1.0) -> bool:
        return not self.dense and self.rnd.random() < self.comments * share


def toml_written(rnd: Random, tables: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    """A TOML file of these tables ("" is the top, first), with people's remarks, blank lines and line ends."""
    eol = rnd.choice(("\n", "\n", "\r\n"))
    lines = []
    for name, pairs in tables:
        if name:
            lines += [""] * rnd.choice((0, 1, 1, 2))
            if rnd.random() < 0.3:
                lines.append(f"# {rnd.choice(REMARKS).strip()}")
            lines.append(rnd.choice((f"[{name}]", f"[{name}]  # {rnd.choice(REMARKS).strip()}", f"  [ {name} ]")))
        for pair in pairs:
            remark = f"  # {rnd.choice(REMARKS).strip()}" if rnd.random() < 0.2 else ""
            lines.append(rnd.choice(("", "", "  ")) + pair.replace("\n", eol) + remark)
            if rnd.random() < 0.1:
                lines.append("")
    text = eol.join(lines) + rnd.choice(("", eol, eol, eol * 2, f"{eol}# end"))
    return (("\ufeff" if rnd.random() < 0.05 else "") + text).encode()
