"""What a call asks of an address: which of its fields, and whether memory keeps them all. Hot, pure.

A reader leaves in `Address.asked` the names of the fields that the call asks for: () for the thing as a person reads
it, (UNKNOWN,) for what cannot be told or is never kept, such as a diff. What memory has of everything that is asked,
and not only of what changes by the hour, is worth a Nudge (`kept`).
"""

from __future__ import annotations

from rg_core.address.found import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rg_core.address.model import Address

UNKNOWN = "?"
COUNT = "count"
# Names as gh, REST and GraphQL have them, in lower case and without underscores.
_IDENTITY = word_set("number url htmlurl id nodeid typename name fullname namewithowner owner")
_VOLATILE = word_set("state closed closedat updatedat merged pushedat changedfiles")
_PEOPLE = word_set("author user login assignee assignees")
_ITEM = _IDENTITY | _VOLATILE | _PEOPLE | word_set(
    "title body bodytext createdat labels label milestone comments closingissuesreferences baserefname base ref"
)  # fmt: skip
_REPOSITORY = _IDENTITY | word_set("description readme content pushedat updatedat login")
_BELOW = _ITEM | word_set("description path")  # of fields of fields: a label's name, a comment's author
# Of these, only some of what they bring is kept: they count when a filter leaves nothing else.
_PARTLY = {
    "files": word_set("path filename"),
    "reviews": word_set("body author user login id"),
    "reviewcomments": word_set("body author user login path id createdat updatedat"),
}
_CONNECTION = frozenset({"nodes", "edges", "node", "pageinfo", "endcursor", "hasnextpage", "cursor"})
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")


def kept(address: Address) -> bool:
    """Whether memory, where it has this address, has all that the call asks of it, and not only what is volatile."""
    if not address.asked:
        return True
    asked = set(address.asked)
    if not asked <= (_REPOSITORY if address.kind == "repository" else _ITEM):
        return False
    content = asked - _VOLATILE
    if asked & _VOLATILE and not address.is_listing:
        content -= _IDENTITY
    return bool(content)


def of_json(fields: str, program: str) -> tuple[str, ...]:
    """What `--json FIELDS` asks for, narrowed by a jq program or a template, "" for none."""
    names, counts = _named(program)
    if counts:
        return (COUNT,)
    asked = tuple(_plain(field) for field in fields.split(",") if field)
    below = [name for name in names if name not in asked]
    if any(name not in _BELOW for name in below):
        return (UNKNOWN,)
    return tuple(_narrowed(field, below) for field in asked) or (UNKNOWN,)


def of_rest(part: str, program: str) -> tuple[str, ...]:
    """What a REST path asks for: the part of the item ("" for the item itself), narrowed by a jq program."""
    names, counts = _named(program)
    if counts:
        return (COUNT,)
    if not part:
        return tuple(COUNT if name == "comments" else name for name in names)  # REST counts them there
    if part in ("comments", "labels"):
        return (part,) if all(name in _BELOW for name in names) else (UNKNOWN,)
    return (_narrowed(part, names),)


def of_selection(name: str, below: Iterable[str]) -> str:
    """What a field of a GraphQL query asks for, by its own name and all names selected below it."""
    name, names = _plain(name), [_plain(each) for each in below]
    if not names:
        return name
    inner = [each for each in names if each not in _CONNECTION]
    if "totalcount" in inner:
        return COUNT
    if name in _PARTLY:
        return _narrowed(name, inner)
    return name if all(each in _BELOW for each in inner) else UNKNOWN


def _narrowed(field: str, below: list[str]) -> str:
    """The field, or what stands for it where all that is taken of it is kept."""
    if field not in _PARTLY:
        return field
    return "comments" if below and all(name in _PARTLY[field] for name in below) else UNKNOWN


def _plain(name: str) -> str:
    return name.strip().replace("_", "").lower()


def _named(program: str) -> tuple[list[str], bool]:
    """The fields that a jq program or a Go template names, and whether it counts instead of showing them.

    Texts in it are not told from the rest: a name too many only costs a Nudge.
    """
    names: list[str] = []
    counts = False
    at, size = 0, len(program)
    while at < size:
        if program[at] not in _LETTERS:
            at += 1
            continue
        end = at
        while end < size and (program[end] in _LETTERS or program[end].isdigit()):
            end += 1
        word, before, after = program[at:end], program[:at].rstrip(), program[end:].lstrip()
        shorthand = before.endswith(("{", ",")) and after.startswith(("}", ","))  # {number, title}
        if program[at - 1 : at] == "." or before.endswith('["') or shorthand:
            names.append(_plain(word))
        elif word in ("length", "len", "add", "keys"):
            counts = True
        at = end
    return list(dict.fromkeys(names)), counts
