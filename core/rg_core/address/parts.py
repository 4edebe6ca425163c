"""What a call asks of an address: which of its fields, and whether memory keeps them all. Hot, pure.

A reader leaves in `Address.asked` the names of the fields that the call asks for: () for the thing as a person reads
it, (UNTOLD,) for what cannot be told or is never kept, such as a diff. What memory has of everything that is asked,
and not only of what changes by the hour, is worth a Nudge (`kept`).
"""

from __future__ import annotations

from rg_core.address.found import WHOLE, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rg_core.address.model import Address

UNTOLD = "?"
COUNT = "count"
NOWHERE = frozenset({"/dev/null", "NUL", "nul", "$null"})  # files whose content nobody sees
# Names as gh, REST and GraphQL have them, in lower case and without underscores.
_IDENTITY = word_set("number url htmlurl id nodeid typename name fullname namewithowner owner")
VOLATILE = word_set("state closed closedat updatedat merged pushedat changedfiles")
_PEOPLE = word_set("author user login assignee assignees")
_ITEM = _IDENTITY | VOLATILE | _PEOPLE | word_set(
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
FIELDS = frozenset(_PARTLY).union(_ITEM, _REPOSITORY, _BELOW, *_PARTLY.values())
_CONNECTION = frozenset({"nodes", "edges", "node", "pageinfo", "endcursor", "hasnextpage", "cursor"})


def kept(address: Address) -> bool:
    """Whether memory, where it has this address, has all that the call asks of it, and not only what is volatile."""
    if not address.asked:
        return True
    asked = set(address.asked) - {WHOLE}
    if not asked <= (_REPOSITORY if address.kind == "repository" else _ITEM):
        return False
    content = asked - VOLATILE
    if asked & VOLATILE and not address.is_listing:
        content -= _IDENTITY
    return bool(content) or WHOLE in address.asked


def of_json(fields: str, left: tuple[str, ...]) -> tuple[str, ...]:
    """What `--json FIELDS` asks for, of which what is left is shown (rg_core.address.piped)."""
    if COUNT in left:
        return (COUNT,)
    asked = tuple(plain_name(field) for field in fields.split(",") if field)
    below = [name for name in left if name not in asked]
    if any(name not in _BELOW for name in below):
        return (UNTOLD,)
    chosen = tuple(field for field in asked if field in left) or asked
    return tuple(_narrowed(field, below) for field in chosen) or (UNTOLD,)


def of_rest(part: str, left: tuple[str, ...]) -> tuple[str, ...]:
    """What a REST path asks for: the part of the item ("" for the item itself), of which what is left is shown."""
    if COUNT in left or UNTOLD in left:
        return left
    if not part:
        return tuple(COUNT if name == "comments" else name for name in left)  # REST counts them there
    if part in ("comments", "labels"):
        return (part,) if all(name in _BELOW for name in left) else (UNTOLD,)
    return (_narrowed(part, left),)


def of_fields(asked: tuple[str, ...], left: tuple[str, ...]) -> tuple[str, ...]:
    """What a GraphQL query asks for, of which what is left is shown."""
    if COUNT in left:
        return (COUNT,)
    return tuple(name for name in asked if name in left) or asked


def of_selection(name: str, below: Iterable[str]) -> str:
    """What a field of a GraphQL query asks for, by its own name and all names selected below it."""
    name, names = plain_name(name), [plain_name(each) for each in below]
    if not names:
        return name
    inner = [each for each in names if each not in _CONNECTION]
    if "totalcount" in inner:
        return COUNT
    if name in _PARTLY:
        return _narrowed(name, inner)
    return name if all(each in _BELOW for each in inner) else UNTOLD


def _narrowed(field: str, below: Iterable[str]) -> str:
    """The field, or what stands for it where all that is taken of it is kept."""
    if field not in _PARTLY:
        return field
    return "comments" if below and all(name in _PARTLY[field] for name in below) else UNTOLD


def another_form(headers: Iterable[str]) -> bool:
    """Whether headers of a request ask for a diff or a patch in place of what the path names."""
    return any(form in header.lower() for header in headers for form in (".diff", ".patch"))


def plain_name(name: str) -> str:
    """A field's name as the sets here have it."""
    return name.strip().replace("_", "").lower()
