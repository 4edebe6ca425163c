"""gh api -> Addresses. Source: cli/cli pkg/cmd/api."""

from __future__ import annotations

import re

from rg_core.address.found import NoAddress
from rg_core.address.parts import UNTOLD, another_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rg_core.address.github.gh_flags import Flags
    from rg_core.address.github.where import Surroundings
    from rg_core.address.model import Address

_PLACEHOLDER = re.compile(r"\{(owner|repo|branch)\}|:(owner|repo|branch)\b")


def of_api(flags: Flags, where: Surroundings, readers: Sequence[list[str]] = ()) -> list[Address]:
    """The Addresses of `gh api`: a GET of a REST path, or a GraphQL query.

    Raises:
        NoAddress: for a write, another host, or a path that yields none.
    """
    if len(flags.arguments) != 1:
        raise NoAddress(f"gh api takes one path, {len(flags.arguments)} given")
    path = flags.known(flags.arguments[0])
    host = flags.last("hostname") or where.variable("GH_HOST")
    if host and host.lower() != "github.com":
        raise NoAddress(f"{host[:60]} is not github.com")
    left = _shown(" ".join(flags.every("jq") or flags.every("template")), readers)
    fields = [_field(flags, where, name, text) for name, text in flags.ordered if name in ("field", "raw-field")]
    if path == "graphql":
        from rg_core.address.github.queries import of_document

        if flags.last("method").upper() not in ("", "POST"):
            raise NoAddress("GraphQL is asked by POST")
        if "input" in flags.values:
            raise NoAddress("the query is in a file")
        variables: dict[str, object] = dict(fields)
        return of_document(str(variables.pop("query", "")), variables, left)
    method = flags.last("method").upper() or ("POST" if fields or "input" in flags.values else "GET")
    if method != "GET":
        raise NoAddress(
            f"{method[:10]}: fields make gh api write unless --method GET is given" if fields else f"{method[:10]}"
        )
    return [_rest(path, fields, flags, where, left)]


def _shown(program: str, readers: Sequence[list[str]]) -> tuple[str, ...]:
    if not (program or readers):
        return ()
    from rg_core.address.piped import shown

    return shown(program, readers)


def _rest(
    path: str, fields: list[tuple[str, str]], flags: Flags, where: Surroundings, left: tuple[str, ...]
) -> Address:
    from rg_core.address.github.api_paths import of_path
    from rg_core.address.github.urls import API_HOST, pairs

    if "://" in path:
        scheme, _, rest = path.partition("://")
        given_host, _, path = rest.partition("/")
        if scheme.lower() not in ("http", "https") or given_host.lower() != API_HOST:
            raise NoAddress(f"{given_host[:60]} is not {API_HOST}")
    path = _filled(path, where)
    path, _, query = path.partition("#")[0].partition("?")
    parameters = dict(pairs(query)) | {name: flags.known(value) for name, value in fields}
    everything = "paginate" in flags.values and flags.switch("paginate")
    address = of_path(path, parameters, everything=everything, left=left)
    silent = "silent" in flags.values and flags.switch("silent")
    if silent or another_form(flags.values.get("header", ())):
        address.asked = (UNTOLD,)
    return address


def _filled(path: str, where: Surroundings) -> str:
    """The path with gh's placeholders for the base repository filled in."""
    if not _PLACEHOLDER.search(path):
        return path
    owner, _, repository = where.repository().partition("/")
    values = {"owner": owner, "repo": repository}

    def fill(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in values:
            raise NoAddress("only Git knows the current branch")
        return values[name]

    return _PLACEHOLDER.sub(fill, path)


def _field(flags: Flags, where: Surroundings, kind: str, text: str) -> tuple[str, str]:
    """name=value of -f or -F; -F fills placeholders in, and -F name=@file reads a file and is unknown."""
    name, equals, value = text.partition("=")
    if not equals:
        raise NoAddress(f"gh api takes KEY=VALUE, not {flags.known(text)[:40]}")
    if kind == "raw-field":
        return name, value
    return name, "\0" if value.startswith("@") else _filled(value, where)
