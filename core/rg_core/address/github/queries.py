"""GraphQL documents sent to GitHub -> the one item, listing or repository that they read."""

from __future__ import annotations

import re

from rg_core.address.found import NoAddress
from rg_core.address.model import Address
from rg_core.address.parts import UNTOLD, of_fields, of_selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rg_core.address.model import Kind

MAX_TOKENS = 8_000
MAX_DEPTH = 40
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:""")?|"(?:[^"\\\n]|\\.)*"?|\.\.\.|\$?[A-Za-z_]\w*|-?[0-9][0-9.eE+-]*|[{}()\[\]:!=@|&]|#[^\n]*'
)
_ITEMS = frozenset({"issue", "pullRequest", "issueOrPullRequest"})
_LISTS: dict[str, Kind] = {"issues": "issues", "pullRequests": "pulls"}
_ORDERS = {"CREATED_AT": "created", "UPDATED_AT": "updated", "COMMENTS": "comments"}
_SELECTED = frozenset({"nodes", "edges"})
_NEVER = ("nothing",)


class Field:
    """One selected field: its name, its arguments and the fields selected below it."""

    __slots__ = ("arguments", "below", "name")

    def __init__(self, name: str, arguments: dict[str, Any], below: list[Field]) -> None:
        self.name = name
        self.arguments = arguments
        self.below = below


def of_document(document: str, variables: Mapping[str, object], left: tuple[str, ...] = ()) -> list[Address]:
    """The Addresses that a query reads, in their order.

    Args:
        document: the GraphQL text.
        variables: their values; a number may be a string, as `gh api -f` sends it.
        left: the fields that are shown of the answer (rg_core.address.piped).

    Raises:
        NoAddress: for a mutation, a document that cannot be read, and a query of nothing that is kept.
        ValueError: for a name or number GitHub does not allow.
    """
    result = [address for root in _Reader(document, variables).roots() for address in _root(root)]
    if not result:
        raise NoAddress("the GraphQL query names no issue, pull request, listing or repository")
    if left:
        for address in result:
            address.asked = of_fields(address.asked, left)
    return result


def _root(field: Field) -> list[Address]:
    arguments = field.arguments
    if field.name == "repository":
        return _repository(f"{_text(arguments, 'owner')}/{_text(arguments, 'name')}", field.below)
    if field.name in ("organization", "user", "repositoryOwner"):
        result = []
        for below in field.below:
            if below.name == "repository":
                owner = _text(arguments, "login")
                result += _repository(f"{owner}/{_text(below.arguments, 'name')}", below.below)
        return result
    if field.name == "resource":
        from rg_core.address.github.urls import of_url

        return [_asking(of_url(_text(arguments, "url")), field.below)]
    if field.name == "search" and str(arguments.get("type")) in ("ISSUE", "ISSUE_ADVANCED"):
        from rg_core.address.github.search import BEST_MATCH, Filters, listing

        limit = _limit(arguments)
        found = listing(_text(arguments, "query"), Filters("all"), order=BEST_MATCH, limit=limit)
        return [_asking(found, _members(field))]
    return []


def _repository(name: str, fields: list[Field]) -> list[Address]:
    result = []
    for field in fields:
        if field.name in _ITEMS:
            result.append(_asking(Address("item", name, number=_number(field.arguments)), field.below))
        elif field.name in _LISTS and _SELECTED & {below.name for below in field.below}:
            result.append(_asking(_listing(_LISTS[field.name], name, field.arguments), _members(field)))
    return result or [_asking(Address("repository", name), fields)]


def _asking(address: Address, fields: list[Field]) -> Address:
    """The address, asked for these fields."""
    names = (of_selection(field.name, _names(field.below)) for field in fields)
    address.asked = tuple(dict.fromkeys(names)) or (UNTOLD,)
    return address


def _names(fields: list[Field]) -> list[str]:
    return [name for field in fields for name in (field.name, *_names(field.below))]


def _members(field: Field) -> list[Field]:
    """What is selected of the members of a connection; how many there are is asked beside it."""
    members: list[Field] = []
    for below in field.below:
        if below.name == "nodes":
            members += below.below
        elif below.name == "edges":
            members += [inner for node in below.below if node.name == "node" for inner in node.below]
    return members


def _listing(kind: Kind, repository: str, arguments: dict[str, Any]) -> Address:
    from rg_core.address.github.search import Filters, any_label, listing

    given = dict(arguments)
    chosen = given.pop("filterBy", None) or {}
    if not isinstance(chosen, dict):
        raise NoAddress("a filter that is not told")
    states = _listed(given.pop("states", None) or chosen.pop("states", None))
    filters = Filters(_state(states, kind))
    labels = [str(label) for label in _listed(given.pop("labels", None) or chosen.pop("labels", None))]
    if len(labels) > 1:
        filters.text.append(any_label(labels))  # OR, unlike gh and REST
    else:
        filters.labels = labels
    filters.person("author", _optional(chosen.pop("createdBy", None)))
    filters.person("assignee", _optional(chosen.pop("assignee", None)))
    filters.milestone = _optional(chosen.pop("milestoneNumber", None))
    limit = _limit(given)
    by = given.pop("orderBy", None) or {"field": "CREATED_AT", "direction": "ASC"}
    if not isinstance(by, dict) or str(by.get("field")) not in _ORDERS:
        raise NoAddress("an order that is not told")
    direction = str(by.get("direction", "ASC")).lower()
    if given.get("last") is not None:  # the last ones of one order are the first ones of the other
        direction = "asc" if direction == "desc" else "desc"
    for unused in ("first", "last", "after", "before"):
        given.pop(unused, None)
    if rest := [key for key, value in (given | chosen).items() if value is not None]:
        raise NoAddress(f"filtered by {rest[0][:30]}, which a key cannot hold without search text")
    order = f"{_ORDERS[str(by['field'])]}-{direction}"
    return listing("", filters, repository=repository, kind=kind, order=order, limit=limit)


def _state(states: list[Any], kind: Kind) -> str:
    said = {str(state).upper() for state in states}
    if not said or said == ({"OPEN", "CLOSED"} if kind == "issues" else {"OPEN", "CLOSED", "MERGED"}):
        return "all"
    if said == {"CLOSED", "MERGED"}:
        return "closed"  # as gh and REST say it
    if len(said) != 1 or (kind == "pulls" and said == {"CLOSED"}):
        raise NoAddress("states that a key cannot hold")
    return said.pop().lower()


def _limit(arguments: dict[str, Any]) -> int | None:
    """How many are asked for; None after a cursor, whose depth nobody can tell, and beyond what GitHub gives."""
    if arguments.get("after") is not None or arguments.get("before") is not None:
        return None
    count = arguments.get("first") if arguments.get("first") is not None else arguments.get("last")
    if isinstance(count, str) and count.isascii() and count.isdigit():
        count = int(count[:9])
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 100:
        raise NoAddress("a connection is asked for 1 to 100 members")
    return count


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    if any(item is _NEVER for item in items):
        raise NoAddress("a variable of the query that is not given")
    return items


def _optional(value: Any) -> str:
    return "" if value is None else _text({"value": value}, "value")


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int) or "\0" in str(value):
        raise NoAddress(f"the query's {name} is not told")
    return str(value)


def _number(arguments: dict[str, Any]) -> int:
    text = _text(arguments, "number")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else 0


class _Reader:
    """Reads a document; fragments are put in where they are spread."""

    def __init__(self, document: str, variables: Mapping[str, object]) -> None:
        self.tokens = self._tokens(document)
        self.at = 0
        self.depth = 0
        self.given = variables
        self.defaults: dict[str, Any] = {}
        self.fragments: dict[str, int] = {}
        self.work = 0

    @staticmethod
    def _tokens(document: str) -> list[str]:
        tokens = []
        for count, match in enumerate(_TOKEN.finditer(document)):
            if count > MAX_TOKENS:
                raise NoAddress("the GraphQL document is too long")
            if match[0][0] != "#":
                tokens.append(match[0])
        return tokens

    def roots(self) -> list[Field]:
        """The root fields of the document's one query."""
        queries = []
        while self.at < len(self.tokens):
            part = self.tokens[self.at]
            if part in ("mutation", "subscription"):
                raise NoAddress(f"a GraphQL {part} is no read")
            if part == "fragment":
                self.fragments[self._token(self.at + 1)] = self.at + 4  # fragment NAME on TYPE
                self.at += 4
                self._to_selection()
                self._skip()
            elif part == "query":
                self.at += 1
                while self._token(self.at) not in ("{", "(", ""):
                    self.at += 1
                if self._token(self.at) == "(":
                    self._definitions()
                self._to_selection()
                queries.append(self.at)
                self._skip()
            elif part == "{":
                queries.append(self.at)
                self._skip()
            else:
                raise NoAddress("not a GraphQL document")
        if len(queries) != 1:
            raise NoAddress("not one GraphQL query")
        self.at = queries[0]
        return self._selection()

    def _token(self, at: int) -> str:
        return self.tokens[at] if at < len(self.tokens) else ""

    def _next(self) -> str:
        if self.at >= len(self.tokens):
            raise NoAddress("the GraphQL document is not complete")
        self.at += 1
        self.work += 1
        if self.work > 4 * MAX_TOKENS:
            raise NoAddress("the GraphQL document is too long")
        return self.tokens[self.at - 1]

    def _to_selection(self) -> None:
        while self._token(self.at) not in ("{", ""):
            self.at += 1

    def _skip(self) -> None:
        depth = 0
        while True:
            part = self._next()
            depth += {"{": 1, "}": -1}.get(part, 0)
            if depth == 0:
                return

    def _definitions(self) -> None:
        self.at += 1
        name = ""
        while (part := self._next()) != ")":
            if part == "=":
                self.defaults[name] = self._value()
            elif part.startswith("$"):
                name = part[1:]

    def _selection(self) -> list[Field]:
        self.depth += 1
        if self.depth > MAX_DEPTH or self._next() != "{":
            raise NoAddress("the GraphQL document cannot be read")
        fields: list[Field] = []
        while (part := self._next()) != "}":
            if part == "...":
                fields += self._spread()
                continue
            if self._token(self.at) == ":":
                self.at += 1
                part = self._next()
            arguments = self._arguments() if self._token(self.at) == "(" else {}
            self._directives()
            below = self._selection() if self._token(self.at) == "{" else []
            fields.append(Field(part, arguments, below))
        self.depth -= 1
        return fields

    def _spread(self) -> list[Field]:
        if self._token(self.at) == "on":
            self.at += 2
        elif self._token(self.at) not in ("{", "@"):
            name = self._next()
            self._directives()
            if name not in self.fragments:
                raise NoAddress("a GraphQL fragment that is not defined")
            back, self.at = self.at, self.fragments[name]
            self._to_selection()
            fields = self._selection()
            self.at = back
            return fields
        self._directives()
        return self._selection()

    def _directives(self) -> None:
        while self._token(self.at) == "@":
            self.at += 2
            if self._token(self.at) == "(":
                self._arguments()

    def _arguments(self) -> dict[str, Any]:
        self.at += 1
        arguments = {}
        while (name := self._next()) != ")":
            if self._next() != ":":
                raise NoAddress("the GraphQL document cannot be read")
            arguments[name] = self._value()
        return arguments

    def _value(self) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NoAddress("the GraphQL document is nested too deeply")
        part = self._next()
        value: Any = part
        if part.startswith("$"):
            value = self.given.get(part[1:], self.defaults.get(part[1:], _NEVER))
        elif part.startswith('"'):
            value = _string(part)
        elif part == "[":
            value = []
            while self._token(self.at) != "]":
                value.append(self._value())
            self.at += 1
        elif part == "{":
            value = {}
            while (name := self._next()) != "}":
                self.at += 1
                value[name] = self._value()
        elif part == "null":
            value = None
        elif part in ("true", "false"):
            value = part == "true"
        elif part.lstrip("-").isdigit():
            value = int(part) if len(part) < 20 else _NEVER
        self.depth -= 1
        return value


def _string(part: str) -> str:
    if part.startswith('"""'):
        return part[3:-3]
    import json

    try:
        return str(json.loads(part))
    except ValueError:
        return part[1:-1]
