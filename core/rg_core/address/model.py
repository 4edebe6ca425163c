"""The Address: what was asked for, as a value with a canonical key."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    Kind = Literal["repository", "item", "issues", "pulls"]

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986, 2.3
OWNER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")  # "_" only in names of enterprise-managed users
REPOSITORY = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
STATES = {"issues": ("open", "closed", "all"), "pulls": ("open", "closed", "merged", "all")}
ANY_REPOSITORY = "*"
MAX_NUMBER = 2**31 - 1  # GraphQL's Int
CREATED_DESC = "created-desc"

# Every key begins with its scheme. Nothing outside this package builds a key or takes one apart.
GITHUB = "github:"  # a repository, an item or a listing on github.com
DOC = "doc:"  # a document of a project
NOTE = "note:"  # something that a person or an agent asked to remember
ASSET = "asset:"  # a governed asset
SCHEMES = (GITHUB, DOC, NOTE, ASSET)


class Address:
    """A repository, an item (issue or pull request) or a listing, on github.com.

    Two Addresses are equal when their keys are; `limit` (how many members were asked for, None for all), `order` and
    `asked` belong to the asking and are not part of the key. `Address.parse(str(address)) == address`, always: what
    would not round-trip raises ValueError when it is built.
    """

    __slots__ = (
        "asked",
        "assignee",
        "author",
        "kind",
        "labels",
        "limit",
        "milestone",
        "number",
        "order",
        "q",
        "repository",
        "state",
    )

    repository: str  # "owner/repo", lower-case; "*" for a search over no single repository
    kind: Kind
    number: int  # of an item, else 0
    state: str  # of a listing, else ""
    labels: tuple[str, ...]  # lower-case, unique, sorted; all of them must be on a member
    author: str
    assignee: str
    milestone: str  # digits: the milestone's number; anything else: its title, lower-case
    q: str  # free text of a search, matched exactly, white space folded
    limit: int | None
    order: str
    asked: tuple[str, ...]  # which fields, see rg_core.address.parts; () for the thing as a person reads it

    def __init__(
        self,
        kind: Kind,
        repository: str,
        *,
        number: int = 0,
        state: str = "",
        labels: Iterable[str] = (),
        author: str = "",
        assignee: str = "",
        milestone: str = "",
        q: str = "",
        limit: int | None = None,
        order: str = CREATED_DESC,
    ) -> None:
        """Normalise and check the parts.

        Raises:
            ValueError: for a name GitHub does not allow, a number below 1, a state this kind does not have, a limit
                below 1, filters on something that is not a listing, or text that is not valid Unicode.
        """
        listing = kind in STATES
        self.kind = kind
        self.repository = _repository(repository, anywhere=listing)
        self.number = number
        self.state = (state or "open") if listing else state
        self.labels = tuple(sorted({_folded(label).lower() for label in labels} - {""}))
        self.author = _folded(author).lower()
        self.assignee = _folded(assignee).lower()
        self.milestone = _folded(milestone).lower()
        self.q = _folded(q)
        self.limit = limit
        self.order = order
        self.asked = ()
        if (kind == "item") != (1 <= number <= MAX_NUMBER) or (kind != "item" and number):
            raise ValueError(f"not an issue or pull request number: {number}")
        if listing and self.state not in STATES[kind]:
            raise ValueError(f"{kind} have no state {state!r}; they have {', '.join(STATES[kind])}")
        if not listing and (self.parameters() or limit is not None):
            raise ValueError(f"a {kind} takes no filters")
        if limit is not None and limit < 1:
            raise ValueError(f"a limit is at least 1, not {limit}")

    def parameters(self) -> list[tuple[str, str]]:
        """The key's parameters as (name, value), sorted by name, then value."""
        single = (
            ("assignee", self.assignee),
            ("author", self.author),
            ("milestone", self.milestone),
            ("q", self.q),
            ("state", self.state),
        )
        return sorted([pair for pair in single if pair[1]] + [("label", label) for label in self.labels])

    @property
    def query(self) -> str:
        """What follows the repository in a listing's key, e.g. /issues?state=open; "" for anything else."""
        if not self.is_listing:
            return ""
        return f"/{self.kind}?" + "&".join(f"{name}={encode(value)}" for name, value in self.parameters())

    def asking(self, limit: int | None, order: str = CREATED_DESC) -> Address:
        """The same listing, asked with another limit and order."""
        return Address(
            self.kind,
            self.repository,
            number=self.number,
            state=self.state,
            labels=self.labels,
            author=self.author,
            assignee=self.assignee,
            milestone=self.milestone,
            q=self.q,
            limit=limit,
            order=order,
        )

    @property
    def is_listing(self) -> bool:
        """Whether this is a listing of issues or pull requests."""
        return self.kind in STATES

    def __str__(self) -> str:
        """The canonical key, e.g. github:owner/repo/issues?label=bug&state=open."""
        return listing_key(self.repository, self.query) if self.is_listing else key_of(self.repository, self.number)

    @classmethod
    def parse(cls, key: str) -> Address:
        """The Address of a canonical key.

        Raises:
            ValueError: if the text is not a canonical key, to the letter.
        """
        address = cls._parse(key)
        if str(address) != key:
            raise ValueError(f"not a canonical key: {key!r}; did you mean {str(address)!r}?")
        return address

    @classmethod
    def _parse(cls, key: str) -> Address:
        if scheme_of(key) != GITHUB:
            raise ValueError(f"not a canonical key: {key!r}; one begins with {GITHUB}")
        rest = without_scheme(key)
        path, _, query = rest.partition("?")
        name, _, number = path.partition("#")
        if number:
            if not (number.isascii() and number.isdigit()) or len(number) > 10 or query:
                raise ValueError(f"not a canonical key: {key!r}")
            return cls("item", name, number=int(number))
        for kind in ("issues", "pulls"):
            if path.endswith(f"/{kind}") and "?" in rest:
                values: dict[str, list[str]] = {}
                for pair in query.split("&"):
                    parameter, _, value = pair.partition("=")
                    values.setdefault(parameter, []).append(decode(value))
                labels = values.pop("label", [])
                known = {"assignee", "author", "milestone", "q", "state"}
                if not values.keys() <= known or any(len(value) > 1 for value in values.values()):
                    raise ValueError(f"not a canonical key: {key!r}")
                single = {parameter: value[0] for parameter, value in values.items()}
                return cls(kind, path[: -len(kind) - 1], labels=labels, **single)  # type: ignore[arg-type]
        if "?" in rest:
            raise ValueError(f"not a canonical key: {key!r}")
        return cls("repository", path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        asked = f", limit={self.limit}, order={self.order!r}" if self.is_listing else ""
        return f"<Address {self}{asked}>"


def scheme_of(text: str) -> str:
    """The scheme that a text begins with, e.g. "github:"; "" if with none."""
    return next((scheme for scheme in SCHEMES if text.startswith(scheme)), "")


def without_scheme(key: str) -> str:
    """What follows a key's scheme, as a person writes it: owner/repo, owner/repo#123."""
    return key.removeprefix(scheme_of(key))


def key_of(repository: str, number: int = 0) -> str:
    """The key of a repository, however GitHub spells its owner/repo, or of one of its items."""
    return f"{GITHUB}{repository.lower()}#{number}" if number else GITHUB + repository.lower()


def listing_key(repository: str, query: str = "") -> str:
    """The key of a repository's listing, from its lower-case name and what `Address.query` says."""
    return f"{GITHUB}{repository}{query}"


def listings_of(repository: str, kind: str) -> str:
    """What the keys of all listings of one kind in a repository begin with."""
    return f"{GITHUB}{repository}/{kind}?"


def place(key: str) -> tuple[str, int]:
    """The repository and number (0: the repository itself) of a canonical key; ("", -1) for anything else."""
    name, _, number = without_scheme(key).partition("#")
    if scheme_of(key) != GITHUB or (number and not (number.isascii() and number.isdigit() and len(number) < 19)):
        return "", -1
    return name, int(number or 0)


def repository_of(key: str) -> str:
    """The owner/repo that a key of any kind is about; "*" for a search over no single repository."""
    path = without_scheme(key).partition("?")[0].partition("#")[0]
    return "/".join(path.split("/")[:2]) if path[:1] != ANY_REPOSITORY else ANY_REPOSITORY


def begun(text: str) -> str | None:
    """What follows the scheme in the beginning of a key: "" if not even that is whole, None for any other text."""
    if GITHUB.startswith(text):
        return ""
    return without_scheme(text) if scheme_of(text) == GITHUB else None


def encode(text: str) -> str:
    """Percent-encode text as UTF-8; RFC 3986's unreserved characters stay.

    Raises:
        ValueError: for a lone surrogate, which has no UTF-8.
    """
    return "".join(chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in text.encode())


def decode(text: str) -> str:
    """Decode percent-encoded UTF-8; a % that starts no escape stays as it is.

    Raises:
        ValueError: if the bytes are not UTF-8.
    """
    if "%" not in text:
        return text
    head, *rest = text.encode().split(b"%")
    parts = [head]
    for part in rest:
        try:
            parts.append(
                bytes.fromhex(part[:2].decode("ascii")) + part[2:] if len(part[:2].strip()) == 2 else b"%" + part
            )
        except ValueError:
            parts.append(b"%" + part)
    return b"".join(parts).decode()


def _folded(text: str) -> str:
    text.encode()  # a lone surrogate cannot be part of a key
    return " ".join(text.split())


def _repository(name: str, *, anywhere: bool) -> str:
    """The lower-case owner/repo."""
    if anywhere and name == ANY_REPOSITORY:
        return name
    lower = name.lower()
    owner, slash, repository = lower.partition("/")
    if not (slash and 1 <= len(owner) <= 39 and 1 <= len(repository) <= 100):
        raise ValueError(f"not an owner/repo: {name!r}")
    if not (OWNER.issuperset(owner) and owner[0] not in "-_" and REPOSITORY.issuperset(repository)):
        raise ValueError(f"not an owner/repo: {name!r}")
    if repository in (".", "..") or repository.endswith(".git"):
        raise ValueError(f"not an owner/repo: {name!r}")
    return lower
