"""GitHub's search text -> the listing it asks for: structured where it can be, else free text, verbatim.

Without `re`, whose import is a quarter of what a relevant hook call costs. Hot.
"""

from __future__ import annotations

from rg_core.address.found import NoAddress, word_set
from rg_core.address.model import ANY_REPOSITORY, CREATED_DESC, STATES, Address
from rg_core.quickjson import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.address.model import Kind

BEST_MATCH = "best-match"
MAX_SEARCH = 4096  # characters; GitHub refuses more than 256 without qualifiers (REST API endpoints for search)

_ALPHANUMERIC = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_LOGIN = _ALPHANUMERIC | {"-"}
_KINDS: dict[str, Kind] = {"issue": "issues", "issues": "issues", "pr": "pulls", "pull-request": "pulls"}
# cli/cli pkg/cmd/pr/shared: the words that make gh drop its own default of open; is:open is not among them.
_STATE_WORDS = frozenset({"is:closed", "is:merged", "state:closed", "state:merged"})
# docs.github.com, "Searching issues and pull requests": what narrows or sorts and is not looked for.
_QUALIFIERS = word_set(
    "app archived assignee author base closed commenter comments created draft has head in interactions involves is"
    " label language linked mentions merged milestone no org parent-issue project reactions reason repo review"
    " review-requested reviewed-by sort state status team team-mentions team-review-requested type updated user"
    " user-review-requested"
)
_OPERATORS = frozenset({"AND", "OR", "NOT", ""})


class Filters:
    """The filters of a listing that stand beside its search text: flags, parameters, arguments.

    `text` holds further qualifiers that only search text can say; they come before the search's own words.
    """

    __slots__ = ("assignee", "author", "labels", "milestone", "state", "text")

    def __init__(self, state: str) -> None:
        self.state = state
        self.labels: list[str] = []
        self.author = self.assignee = self.milestone = ""
        self.text: list[str] = []

    def person(self, name: str, login: str) -> None:
        """Filter by author or assignee; who is not a plain login (an app, `*`) is told by search text only.

        Raises:
            NoAddress: for @me, who is a different person for each user.
        """
        if login.lower() == "@me":
            raise NoAddress("@me is a different person for each user")
        if not login:
            return
        if _is_login(login):
            setattr(self, name, login)
            return
        login = f"app/{login[:-5]}" if login.endswith("[bot]") else login
        self.text.append(f"{name}:{quoted(login)}")


def listing(
    search: str,
    filters: Filters,
    *,
    repository: str = "",
    kind: Kind = "issues",
    kind_is_fixed: bool = False,
    order: str = CREATED_DESC,
    limit: int | None = None,
) -> Address:
    """The listing that a search text asks for.

    Args:
        search: the text as GitHub gets it, without what the asking program adds.
        filters: what the program filters by besides; its state is the one that holds unless the text says otherwise.
        repository: the repository that the search is already confined to, if any.
        kind: what is searched for, unless the text says `is:pr` or `is:issue`.
        kind_is_fixed: the program itself adds the kind, so that a text of the other kind finds nothing.
        order: the order, unless the text has `sort:`.
        limit: how many are asked for.

    Raises:
        NoAddress: for a search that means something different for each user, or that can find nothing.
        ValueError: for a repository name that GitHub does not allow.
    """
    if len(search) > MAX_SEARCH:
        raise NoAddress("the search text is longer than any that GitHub takes")
    terms = _terms(search)
    if any(_names_me(term.lower()) for term in terms):
        raise NoAddress("@me is a different person for each user")
    kind, rest = _lift_kind(terms, kind, kind_is_fixed)
    repository, rest = _lift_repository(rest, repository)
    order = next((_order(value) for name, value in map(_qualifier, rest) if name == "sort" and value), order)
    repository = repository or ANY_REPOSITORY
    if not filters.text and repository != ANY_REPOSITORY:
        structured = _structured(rest, filters, kind)
        if structured is not None:
            return _address(kind, repository, structured, "", limit, order)
    text = " ".join([*filters.text, *rest])
    if not text and repository == ANY_REPOSITORY:
        raise NoAddress("an empty search names no repository")
    return _address(kind, repository, filters, text, limit, order)


def recall_call(question: Address) -> str:
    """The call of `recall` that looks for the words of a search in its repository; "" where there is none.

    Qualifiers and what is excluded are left out: recall looks for words.
    """
    if not question.is_listing or question.repository == ANY_REPOSITORY:
        return ""
    terms = [term.strip("()") for term in _terms(question.q)]
    words = [
        term
        for before, term in zip(["", *terms], terms, strict=False)
        if term not in _OPERATORS and before != "NOT" and term[0] != "-" and _qualifier(term)[0] not in _QUALIFIERS
    ]
    if not words:
        return ""
    query = " ".join(" ".join(words).replace('"', " ").split())
    return f'recall({{"query": {quote(query)}, "repository": {quote(question.repository)}}})'


def has_state_clause(search: str) -> bool:
    """Whether gh drops its own default state for this text (`gh issue list --search`, `gh pr list --search`)."""
    words = [word.strip("\"'") for word in _terms(search)]
    return any(word in _STATE_WORDS or word.startswith(("closed:", "merged:")) for word in words)


def quoted(value: str) -> str:
    """A qualifier's value for search text, in quotes where it needs them."""
    if value and '"' not in value and not any(map(str.isspace, value)):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def any_label(labels: list[str]) -> str:
    """Search text for items with at least one of the labels.

    Raises:
        NoAddress: for a label with a comma or a quote, which would change the question.
    """
    if any(mark in label for label in labels for mark in ',"\\'):
        raise NoAddress("a label with a comma or a quote cannot be told among several")
    return "label:" + ",".join(sorted({quoted(label.lower()) for label in labels}))


def _terms(text: str) -> list[str]:
    """The terms of a search text: what white space separates outside of quotes, in which a backslash escapes."""
    terms: list[str] = []
    start, at, size = -1, 0, len(text)
    while at < size:
        if text[at].isspace():
            if start >= 0:
                terms.append(text[start:at])
            start = -1
        else:
            start = at if start < 0 else start
            if text[at] == '"':
                at = _closing(text, at + 1)
        at += 1
    return [*terms, text[start:]] if start >= 0 else terms


def _closing(text: str, at: int) -> int:
    """Where the quote that ends a quotation stands, or the end of the text."""
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at


def _is_login(name: str) -> bool:
    """Whether this is a login, with the short code of an enterprise-managed user or without."""
    plain, underscore, code = name.partition("_")
    whole = plain != "" and plain[0] != "-" and _LOGIN.issuperset(plain)
    return whole and (_ALPHANUMERIC.issuperset(code) and code != "" if underscore else True)


def _names_me(term: str) -> bool:
    """Whether a term in lower case has @me as a qualifier's value."""
    values = [value.removeprefix('"') for value in term.split(":")[1:]]
    return any(value[:3] == "@me" and not (value[3:4].isalnum() or value[3:4] == "_") for value in values)


def _address(kind: Kind, repository: str, filters: Filters, q: str, limit: int | None, order: str) -> Address:
    return Address(
        kind,
        repository,
        state=filters.state,
        labels=filters.labels,
        author=filters.author,
        assignee=filters.assignee,
        milestone=filters.milestone,
        q=q,
        limit=limit,
        order=order,
    )


def _qualifier(term: str) -> tuple[str, str]:
    """(name, value) of name:value, the name in lower case, the value without its quotes; ("", "") for other terms."""
    name, colon, value = term.partition(":")
    if not colon or not name.replace("-", "").isalpha() or name.startswith("-"):
        return "", ""
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return name.lower(), value


def _outside_parentheses(terms: list[str]) -> list[bool]:
    """For each term, whether no parenthesis is open around it."""
    outside, depth = [], 0
    for term in terms:
        bare = "".join(term.split('"')[::2])  # without what is in quotes
        outside.append(depth == 0 and "(" not in bare and ")" not in bare)
        depth = max(0, depth + bare.count("(") - bare.count(")"))
    return outside


def _lift_kind(terms: list[str], kind: Kind, fixed: bool) -> tuple[Kind, list[str]]:
    rest, said = [], set()
    for term, outside in zip(terms, _outside_parentheses(terms), strict=True):
        name, value = _qualifier(term)
        if outside and name in ("is", "type") and value.lower() in _KINDS:
            said.add(_KINDS[value.lower()])
        else:
            rest.append(term)
    if len(said) > 1 or (fixed and said - {kind}):
        raise NoAddress("nothing is an issue and a pull request at once")
    return (said.pop() if said else kind), rest


def _lift_repository(terms: list[str], repository: str) -> tuple[str, list[str]]:
    """The one repository the text names, and the other terms; several (or one in an alternative) stay in the text."""
    outside = _outside_parentheses(terms)
    named = [index for index, term in enumerate(terms) if _qualifier(term)[0] == "repo" and outside[index]]
    names = {_qualifier(terms[index])[1].lower() for index in named}
    if not names:
        return repository, terms
    if repository:
        if names != {repository.lower()}:
            raise NoAddress("the search text names a different repository than the call")
    elif len(names) > 1:
        return "", terms
    return names.pop(), [term for index, term in enumerate(terms) if index not in named]


def _structured(terms: list[str], filters: Filters, kind: Kind) -> Filters | None:
    """The filters that the terms and `filters` say together, or None if a key cannot hold them all."""
    result = Filters(filters.state)
    result.labels = list(filters.labels)
    result.author, result.assignee, result.milestone = filters.author, filters.assignee, filters.milestone
    states = set()
    for term in terms:
        name, value = _qualifier(term)
        if name in ("is", "state") and value.lower() in ("open", "closed", "merged"):
            if name == "state" and value.lower() == "merged":
                return None  # finds nothing by API (cli/cli#5508)
            states.add(value.lower())
        elif name == "label" and value and "," not in value and "*" not in value:
            result.labels.append(value)
        elif name in ("author", "assignee") and _is_login(value):
            if getattr(result, name).lower() not in ("", value.lower()):
                return None
            setattr(result, name, value)
        elif name == "milestone" and value and not value.isdigit() and "," not in value and "*" not in value:
            if result.milestone.lower() not in ("", value.lower()):
                return None
            result.milestone = value
        elif name != "sort" or not value:
            return None
    if states:
        state = states.pop()
        if states or state not in STATES[kind] or filters.state not in ("all", state):
            return None
        result.state = state
    return result


def _order(value: str) -> str:
    value = value.lower()
    if value in (BEST_MATCH, "relevance", "relevance-desc"):
        return BEST_MATCH
    return value if value.endswith(("-asc", "-desc")) else f"{value}-desc"
