"""gh issue list, gh pr list, gh search issues|prs -> the listing they ask for.

Source: cli/cli pkg/cmd/{issue,pr}/list, pkg/cmd/pr/shared/params.go, pkg/search/query.go.
"""

from __future__ import annotations

from rg_core.address.found import NoAddress
from rg_core.address.github.search import BEST_MATCH, Filters, has_state_clause, listing, quoted
from rg_core.address.model import Address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.address.github.gh_flags import Flags
    from rg_core.address.github.where import Surroundings
    from rg_core.address.model import Kind

LIMIT = 30
MAX_SEARCH_LIMIT = 1000
MAX_LIST = 10_000  # characters
_STATES = {"issue list": ("open", "closed", "all"), "pr list": ("open", "closed", "merged", "all")}
_CHOICES = {  # of gh search's flags, which refuse every other value
    "state": ("open", "closed"), "order": ("asc", "desc"), "checks": ("pending", "success", "failure"),
    "review": ("none", "required", "approved", "changes_requested"),
}  # fmt: skip
# Flag of gh search -> its qualifier, where the two words differ.
_QUALIFIERS = {"checks": "status", "merged-at": "merged", "review-requested": "review-requested", "match": "in",
               "owner": "user", "team-mentions": "team", "visibility": "is"}  # fmt: skip


def of_list(command: str, flags: Flags, where: Surroundings) -> Address:
    """The listing of `gh issue list` or `gh pr list`.

    Raises:
        NoAddress: for what gh refuses, what differs from user to user, and what a key cannot hold.
    """
    if flags.arguments:
        raise NoAddress(f"gh {command} takes no arguments; a search goes in --search")
    limit = _limit(flags)
    search = flags.last("search").strip()
    state = flags.last("state").lower() or "open"
    if state not in _STATES[command]:
        raise NoAddress(f"gh {command} has no state {state[:20]}")
    if search and "state" not in flags.values and has_state_clause(search):
        state = "all"
    filters = Filters(state)
    filters.labels = _slice(flags, "label")
    _people(flags, filters)
    if "milestone" in flags.values:
        filters.milestone = flags.last("milestone")
    _narrowing(flags, filters, search)
    repository = where.repository(flags.last("repo"))
    kind: Kind = "issues" if command == "issue list" else "pulls"
    if search:
        limit = min(limit, MAX_SEARCH_LIMIT)
    return listing(search, filters, repository=repository, kind=kind, kind_is_fixed=True, limit=limit)


def _people(flags: Flags, filters: Filters) -> None:
    author, app = flags.last("author"), flags.last("app")
    if author and app:
        raise NoAddress("gh refuses --app beside --author")
    filters.person("author", f"app/{app}" if app else author)
    filters.person("assignee", flags.last("assignee"))


def _narrowing(flags: Flags, filters: Filters, search: str) -> None:
    """The filters that only search text can say: base, draft, head, mentions, type, in the order of gh's query.

    gh sends them as search text only where something else makes it search at all; by themselves --base, --head and
    --mention are arguments of a GraphQL connection and --draft is a bare switch: there is no text that a key could
    hold, and no Address. (An app is an author, and always text.)
    """
    said = []
    if base := flags.last("base"):
        said.append(f"base:{quoted(base)}")
    if "draft" in flags.values:
        said.append(f"draft:{'true' if flags.switch('draft') else 'false'}")
    if head := flags.last("head"):
        said.append(f"head:{quoted(head)}")
    if mention := flags.last("mention"):
        if mention.lower() == "@me":
            raise NoAddress("@me is a different person for each user")
        said.append(f"mentions:{quoted(mention)}")
    if kind := flags.last("type"):
        said.append(f"type:{quoted(kind)}")
    issues = "mention" in flags.values or "type" in flags.values
    others = search or filters.labels or filters.milestone or filters.text
    people = bool(filters.author or filters.assignee) and not issues  # for issues gh sends people without a search
    searched = others or people or (len(said) > 1 and "draft" in flags.values)
    if said and not searched:
        raise NoAddress(
            f"narrowed by {said[0].partition(':')[0]} alone, which a key cannot hold: there is no search text"
        )
    filters.text += said


def of_search(command: str, flags: Flags, where: Surroundings) -> Address:
    """The listing of `gh search issues` or `gh search prs`: REST, no default state, best match.

    Raises:
        NoAddress: for what gh refuses and what differs from user to user.
    """
    if (host := where.variable("GH_HOST")) and host.lower() != "github.com":
        raise NoAddress(f"GH_HOST is {host[:60]}, not github.com")
    limit = _limit(flags)
    if limit > MAX_SEARCH_LIMIT:
        raise NoAddress("gh search takes a limit of at most 1000")
    for name, choices in _CHOICES.items():
        if (value := flags.last(name)) and value.lower() not in choices:
            raise NoAddress(f"gh {command} has no --{name} {value[:20]}; there are {', '.join(choices)}")
    kind: Kind = "issues" if command == "search issues" else "pulls"
    if "include-prs" in flags.values and flags.switch("include-prs"):
        raise NoAddress("issues and pull requests in one list, which a key cannot hold")
    terms = [_keyword(argument) for argument in flags.arguments]
    repositories = _slice(flags, "repo")
    for name in repositories:
        if name.count("/") != 1:
            raise NoAddress(f"gh search needs OWNER/REPO, not {name[:60]}")
    if len(repositories) > 1:
        terms.append("(" + " OR ".join(f"repo:{name.lower()}" for name in repositories) + ")")
    terms += _search_qualifiers(flags)
    if not terms and not repositories:
        raise NoAddress("gh search needs keywords or flags")
    order = BEST_MATCH
    if sort := flags.last("sort"):
        order = f"{sort}-{flags.last('order') or 'desc'}" if sort != BEST_MATCH else BEST_MATCH
    repository = repositories[0] if len(repositories) == 1 else ""
    return listing(
        " ".join(terms), Filters("all"), repository=repository, kind=kind, kind_is_fixed=True, order=order, limit=limit
    )


def _keyword(argument: str) -> str:
    """An argument as gh search sends it: one with a blank is a phrase, or a qualifier with a value in quotes."""
    if len(argument) > 1 and argument[0] == argument[-1] == '"':
        return argument
    name, colon, value = argument.partition(":")
    return f"{name}:{quoted(value)}" if colon and " " not in name else quoted(argument)


def _search_qualifiers(flags: Flags) -> list[str]:
    result = []
    for name in sorted(flags.values.keys() - {"json", "jq", "template", "web", "limit", "repo", "sort", "order"}):
        if name == "app":
            result.append(f"author:app/{flags.last(name)}")
        elif name in ("label", "match", "owner", "visibility"):
            result += [f"{_QUALIFIERS.get(name, name)}:{quoted(value)}" for value in _slice(flags, name)]
        elif name.startswith("no-"):
            result += [f"no:{name[3:]}"] if flags.switch(name) else []
        elif name in ("archived", "draft"):
            result.append(f"{name}:{'true' if flags.switch(name) else 'false'}")
        elif name in ("locked", "merged"):
            negative = {"locked": "unlocked", "merged": "unmerged"}
            result.append(f"is:{name if flags.switch(name) else negative[name]}")
        else:
            result.append(f"{_QUALIFIERS.get(name, name)}:{quoted(flags.last(name))}")
    return result


def _limit(flags: Flags) -> int:
    if "limit" not in flags.values:
        return LIMIT
    text = flags.last("limit")
    limit = _integer(text)
    if not 1 <= limit < 2**31:
        raise NoAddress(f"gh refuses the limit {text[:20]}")
    return limit


def _integer(text: str) -> int:
    """A flag's number as Go reads one: 010 is eight, 0x10 and 1_000 are numbers too. 0 for what is none."""
    digits = text.removeprefix("+")
    if not digits.isascii() or not digits[:1].isdigit() or len(digits) > 20:
        return 0
    if digits[0] == "0" and digits[1:2].isdigit():
        digits = "0o" + digits[1:]
    try:
        return int(digits, 0)
    except ValueError:
        return 0


def _slice(flags: Flags, name: str) -> list[str]:
    """The values of a StringSlice flag: each is a line of CSV, so a comma splits and quotes keep."""
    return [value for line in flags.every(name) for value in _csv(line)]


def _csv(line: str) -> list[str]:
    if len(line) > MAX_LIST:
        raise NoAddress("a list longer than any that GitHub takes")
    if '"' not in line:
        return [value for value in line.split(",") if value]
    import re

    values = []
    for quoted_value, plain in re.findall(r'(?:^|,)(?:"((?:[^"]|"")*)"(?=,|\Z)|([^,"]*)(?=,|\Z))', line):
        values.append(quoted_value.replace('""', '"') or plain)
    if not any(values):
        raise NoAddress(f"gh cannot read the list {line[:40]}")
    return [value for value in values if value]
