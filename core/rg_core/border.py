"""The one border that foreign text passes on its way to a model, a terminal, a log or an error. Hot, pure.

Foreign is whatever we did not write ourselves: GitHub's answers, payloads, names of clients, files, servers' messages.
What passes is decided by what a character is, not by a list of bad ones: letters, marks, numbers, punctuation, symbols
and spaces. Of the rest, what is *hidden* (Unicode's Default_Ignorable_Code_Point: no screen shows it, a model reads it)
is taken out, so that what is left is what a person would have seen. Controls, those that turn the direction of writing
among them, lone surrogates, and what is private or unassigned become U+FFFD.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

REPLACED = "\ufffd"
MASK = "***"
SHORTEST_SECRET = 6  # characters; a shorter one would be found in words of any text
LINE_ENDS = ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029")
SELECTORS = "\ufe0e\ufe0f"  # after an emoji: as text, as picture
JOINER = "\u200d"  # between two emoji that make one
KEYCAPS, KEYCAP = "0123456789#*", "\u20e3"

# Default_Ignorable_Code_Point as DerivedCoreProperties.txt of Unicode 16 has it, unassigned ones included.
HIDDEN = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
TURNS = ((0x202A, 0x202E), (0x2066, 0x2069))  # of those, the ones that show text in another order than it is read
# The blocks in which emoji are; the last two are set aside for those of Unicode versions to come.
EMOJI = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x23FF), (0x24C2, 0x24C2), (0x25AA, 0x25FE), (0x2600, 0x27BF),
    (0x2934, 0x2935), (0x2B05, 0x2B55), (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299),
    (0x1F000, 0x1FAFF), (0x1FC00, 0x1FFFD),
)  # fmt: skip


_secrets: set[str] = set()


def keep_secret(*values: str) -> None:
    """From now on these values do not pass the border in this process, unless shorter than SHORTEST_SECRET."""
    _secrets.update(value for value in values if len(value) >= SHORTEST_SECRET)


def text(foreign: str) -> str:
    """Foreign text that may have several lines: newlines and tabs stay, every other line end becomes a newline."""
    if not (foreign.isascii() and foreign.replace("\n", "").isprintable()):
        for end in LINE_ENDS:
            foreign = foreign.replace(end, "\n")
        if JOINER in foreign or any(selector in foreign for selector in SELECTORS):
            foreign = "".join(letter for at, letter in enumerate(foreign) if _joins(foreign, at, letter))
        foreign = foreign.translate(_PASSING)
    return masked(foreign)


def line(foreign: object) -> str:
    """Foreign text on one line, white space folded."""
    return " ".join(text(str(foreign)).split())


def escaped(json: str) -> str:
    r"""JSON text that holds foreign text, with \u escapes for what would not pass: nothing is lost or hidden."""
    if json.isascii() and "\x7f" not in json:
        return masked(json)
    parts = []
    for at, letter in enumerate(json):
        code = ord(letter)
        if code < 0x7F or (_PASSING[code] == code and letter not in LINE_ENDS and _joins(json, at, letter)):
            parts.append(letter)
        elif code < 0x10000:
            parts.append(f"\\u{code:04x}")
        else:
            parts.append(f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}")
    return masked("".join(parts))


def masked(text: str) -> str:
    """The text with *** for every secret that this process knows; long ones first, for one may hold another."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


class _Passing(dict[int, "int | str | None"]):
    """For str.translate: what becomes of a character, looked up once for each of the basic plane."""

    def __missing__(self, code: int) -> int | str | None:
        passing = _passing(code)
        if code < 0x10000:
            self[code] = passing
        return passing


def _passing(code: int) -> int | str | None:
    letter = chr(code)
    if letter in SELECTORS or letter == JOINER:
        return code  # those that join nothing are gone by now
    if _within(code, HIDDEN):
        return REPLACED if _within(code, TURNS) else None
    if letter.isprintable() or letter in "\n\t" or (code >= 0xA0 and letter.isspace()) or _within(code, EMOJI):
        return code
    return REPLACED


_PASSING = _Passing()


def _joins(text: str, at: int, letter: str) -> bool:
    """Whether a letter is no joiner or selector, or one that is part of an emoji sequence."""
    if letter in SELECTORS:
        return _is_emoji(text, at - 1) or (at > 0 and text[at - 1] in KEYCAPS and text[at + 1 : at + 2] == KEYCAP)
    if letter == JOINER:
        return _is_emoji(text, at + 1) and _is_emoji(text, at - 2 if text[at - 1 : at] == SELECTORS[1] else at - 1)
    return True


def _is_emoji(text: str, at: int) -> bool:
    return 0 <= at < len(text) and _within(ord(text[at]), EMOJI)


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


class Screen:
    """A text stream of which everything that is written passes the border; in all else it is that stream."""

    def __init__(self, plain: TextIO) -> None:
        self.plain = plain

    def write(self, foreign: str) -> int:
        """Write text that the border lets pass, and that the stream's encoding can say."""
        encoding = getattr(self.plain, "encoding", None) or "utf-8"
        self.plain.write(text(foreign).encode(encoding, "replace").decode(encoding))
        return len(foreign)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each."""
        for each in lines:
            self.write(each)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)
