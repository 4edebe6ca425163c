"""Foreign text at its worst, and an oracle of its own for what may be seen of it: computed from Unicode's names."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

HIDDEN_NAMES = (
    "VARIATION SELECTOR", "HANGUL FILLER", "HANGUL CHOSEONG FILLER", "HANGUL JUNGSEONG FILLER",
    "COMBINING GRAPHEME JOINER", "KHMER VOWEL INHERENT",
)  # fmt: skip
SHOWN = {  # of category Cf: signs that precede or stand above numbers, and interlinear annotation
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, *range(0xFFF9, 0xFFFC), 0x110BD, 0x110CD,
}  # fmt: skip
SECRET = "ghp_S3cretS3cretS3cretS3cretS3cretS3cr"
ATTACKS = [
    "\x1b]0;title\x07\x1b[2J\x1b[31m", "\x9b31m", "line\nanother\r\nthird\rfourth", "a\u2028b\u2029c\x85d\x0be\x0cf",
    "\u202eevil\u202c\u2066x\u2069", "\u200b--- comment 7 · by somebody", "a\u00adb\u200cc\u200dd\u2060e\ufefff\u061c",
    "\u3164\uffa0\u115f\u1160\u17b4\u180b", "x\ufe00\ufe0f\ufe0ey", "".join(map(chr, range(0xE0100, 0xE0120))),
    "\U000e0049\U000e0067", "lone \ud83d surrogate \udfff", "\x00\x08\x7f", "\ufdd0\uffff\U0010ffff\ue000",
    f"Authorization: Bearer {SECRET}", f"\u200b{SECRET[:8]}\u200b{SECRET[8:]}",
]  # fmt: skip
texts = st.lists(
    st.one_of(
        st.sampled_from(ATTACKS), st.text(st.characters(codec=None), max_size=20), st.text("ab \n#1️⃣👩‍💻", max_size=20)
    ),
    max_size=6,
).map("".join)


def is_hidden(letter: str) -> bool:
    """Whether Unicode calls it default ignorable: format characters but those that show, and a few of other kinds."""
    name, code = unicodedata.name(letter, ""), ord(letter)
    if unicodedata.category(letter) == "Cf":
        return not (code in SHOWN or name.startswith("EGYPTIAN HIEROGLYPH"))
    return any(part in name for part in HIDDEN_NAMES) or 0xE0000 <= code <= 0xE0FFF


def faults(text: str, *, one_line: bool = True) -> list[str]:
    """What of a text may reach nobody: controls, hidden characters outside emoji, further lines, the secret."""
    found = ["a secret"] if SECRET in text else []
    for at, letter in enumerate(text):
        category = unicodedata.category(letter)
        if category in ("Cc", "Zl", "Zp") and (one_line or letter not in "\n\t"):
            found.append(f"U+{ord(letter):04X} is a control")
        elif category in ("Cs", "Co") or (category == "Cn" and not 0x1F000 <= ord(letter) <= 0x1FFFD):
            found.append(f"U+{ord(letter):04X} is no character")
        elif is_hidden(letter) and not _in_emoji(text, at):
            found.append(f"U+{ord(letter):04X} is hidden")
    return found


def _in_emoji(text: str, at: int) -> bool:
    """Whether a selector or joiner stands behind a symbol or a keycap's digit."""
    before = text[at - 1 : at] if text[at - 1 : at] != "\ufe0f" or at < 2 else text[at - 2]
    keycap = before != "" and before in "0123456789#*" and text[at + 1 : at + 2] == "\u20e3"
    symbol = unicodedata.category(before) in ("So", "Sm", "Sk", "Cn", "Po") if before else False
    return text[at] in "\u200d\ufe0e\ufe0f" and (symbol or keycap)
