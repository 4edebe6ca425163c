"""What the MCP server does with governed assets: two tools and four kinds of resource. Knows no SDK.

Who asks comes from how rg-mcp was started, config.toml, the directory and the handshake, looked at again for every
request; never from arguments. Of an asset without a version in effect a model gets id, type and status, nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast
from urllib.parse import unquote

import jsonschema

from rg_core import border, paths
from rg_core.assets import errors, installation, lifecycle, text
from rg_core.assets.access import decide
from rg_core.assets.code import QUESTIONS
from rg_core.assets.errors import Refused
from rg_core.assets.lifecycle import Setting
from rg_core.assets.loadout import USUAL, LoadoutRequest
from rg_core.assets.manifest import About
from rg_core.assets.model import RIGHTS, Asset, Identity
from rg_core.assets.store import Assets
from rg_core.config import Config, load
from rg_core.errors import UserError
from rg_core.mcp_server.asset_schemas import CATALOG, LISTED, MANAGE, TOOLS
from rg_core.mcp_server.launch import Launch, framework_of
from rg_core.nouns import counted
from rg_core.reading.framing import clean, split
from rg_core.store.protocol import StoreUnavailable

ROOM = 16_500  # bytes of stored text in one answer, as JSON: with what is said around it, less than 18,000
VERSION_TTL_MS = 300_000  # a right that is taken stops working within five minutes
URI = re.compile(
    r"resources-graph://project/([^/]+)/(assets|asset/([^/]+)(?:/version/([1-9][0-9]{0,8}))?|agent/([^/]+)/manifest)"
)
COMPLETIONS = 100


class AssetTools:
    """Assets as one MCP connection uses them. Used from one thread."""

    def __init__(
        self,
        environ: Mapping[str, str],
        launch: Launch,
        resolve: Callable[[str], str | None] = lambda uri: None,
        recall: Callable[[str], Sequence[tuple[str, str]]] = lambda query: (),
    ) -> None:
        """An asset's text may be kept by memory.

        Args:
            environ: the environment.
            launch: how rg-mcp was started.
            resolve: gives what memory has behind one of its own URIs.
            recall: gives the URIs in memory that answer a query best, with what they say there.
        """
        self.environ, self.launch = environ, launch
        self.ops: dict[str, Op] = CATALOG_OPS | {
            "get": partial(_get, resolve=resolve), "search": partial(_search, recall=recall),
        }  # fmt: skip

    def call(self, tool: str, arguments: Mapping[str, Any], client: str) -> tuple[str, bool] | None:
        """The text of a tool's answer, and whether it failed; None where there is no such tool in this mode."""
        try:
            config = load(self.environ)
        except UserError as error:
            return _said("unavailable", error), True
        if config.assets.mcp == "off" or tool not in TOOLS:
            return None
        given = {name: value for name, value in arguments.items() if value is not None}
        who = self._who(config, client)
        try:
            with installation.opened(config, self.environ) as assets:
                setting = installation.setting("mcp", config)
                if tool == MANAGE:
                    return _manage(assets, who, setting, given), False
                return _catalog(assets, who, setting, given, self.ops), False
        except Refused as error:
            return _said(error.word, error), True
        except (UserError, StoreUnavailable) as error:
            return _said("unavailable", error), True

    def resource(self, uri: str, client: str) -> tuple[str, int] | None:
        """The JSON at an address and how many milliseconds it may be kept; None for everything that is not there.

        Raises:
            UserError, StoreUnavailable: when memory is away.
        """
        config = load(self.environ)
        match = URI.fullmatch(uri)
        who = self._who(config, client)
        if config.assets.mcp == "off" or not match or not who.user or unquote(match[1]) != who.project:
            return None
        _, what, key, n, agent = match.groups()
        setting = installation.setting("mcp", config)
        try:
            with (
                installation.opened(config, self.environ) as assets,
                assets.audited(who, setting, "resource", key or ""),
            ):
                if what == "assets":
                    return _json([_row(asset) for asset in assets.readable(who)]), 0
                if agent is not None:
                    if not who.agent or unquote(agent) != who.agent:
                        raise errors.not_found(agent)
                    return _json(assets.manifest(who, LoadoutRequest(setting.now), About(who.agent))), 0
                asset = assets.get(who, unquote(key))
                if n is None:
                    return _json(_whole(asset, who)), 0
                return _json(_content(assets, who, asset, int(n))), VERSION_TTL_MS
        except Refused:
            return None

    def complete(self, name: str, value: str, client: str) -> Sequence[str]:
        """Values for a template's variable that begin so: the own project, ids of readable assets, the own agent.

        Raises:
            UserError, StoreUnavailable: when memory is away.
        """
        config = load(self.environ)
        who = self._who(config, client)
        if config.assets.mcp == "off" or not who.user or not who.project:
            return []
        if name == "project":
            return [who.project] if who.project.startswith(value) else []
        with installation.opened(config, self.environ) as assets:
            known = [asset.id for asset in assets.readable(who) if asset.id.startswith(value)]
        return sorted(known)[:COMPLETIONS] if name == "id" else []

    def _who(self, config: Config, client: str) -> Identity:
        launch = self.launch
        return installation.identity(
            config, paths.here(), project=launch.project, agent=launch.agent, task=launch.task,
            framework=framework_of(launch, client),
        )  # fmt: skip


def _manage(assets: Assets, who: Identity, setting: Setting, given: dict[str, Any]) -> str:
    op = given.get("op")
    try:
        lifecycle.admit(who, setting)
        _check(MANAGE, given)
        if op != "register" and "id" not in given:
            raise errors.invalid("id", f"the asset, for {op}")
        if op == "register" and not {"type", "name"} <= set(given):
            raise errors.invalid("type and name", "needed for register")
        if op == "govern" and "patch" not in given:
            raise errors.invalid("patch", 'needed for govern, e.g. {"status": "candidate"}')
    except Refused:
        with assets.audited(who, setting, str(op) if op in ("register", "revise", "govern") else MANAGE):
            raise
        raise
    content: dict[str, Any] = {
        name: given[name] for name in ("name", "description", "body", "labels", "payload") if name in given
    }
    if op == "register":
        done = assets.register(who, given["type"], content, setting, patch=given.get("patch"))
    elif op == "revise":
        done = assets.revise(who, given["id"], content, setting, if_version=given.get("if_version"))
    else:
        done = assets.govern(who, given["id"], given["patch"], setting, if_version=given.get("if_version"))
    state = f"version {done.version}, {done.status}" if done.changed else f"nothing changed: version {done.version}"
    effect = "nothing is in effect yet" if done.effective is None else f"version {done.effective} is in effect"
    wait = ""
    if done.status in lifecycle.PROPOSED and done.effective != done.version:
        wait = f" A person decides: rg-memory asset show {done.id}, then asset govern {done.id} --status approved."
    return f"{done.id}: {state}; {effect}.{wait}"


def _catalog(assets: Assets, who: Identity, setting: Setting, given: dict[str, Any], ops: Mapping[str, Op]) -> str:
    op = str(given.get("op") or ("get" if "id" in given else "list"))
    with assets.audited(who, setting, op if op in CATALOG_OPS else CATALOG, str(given.get("id", ""))) as noted:
        installation.require(who)
        _check(CATALOG, given)
        if op in ("get", *QUESTIONS):
            if "id" not in given:
                raise errors.invalid("id", f"the asset, for {op}")
            noted.asset = assets.get(who, given["id"]).id
        if op in QUESTIONS and "name" not in given:
            raise errors.invalid("name", f"a function, class or method, for {op}")
        head, body = ops[op](assets, who, setting, given)
        return _paged(head, body, given.get("page", 1))
    raise AssertionError(op)  # audited raises what it caught


def _list(assets: Assets, who: Identity, _: Setting, given: Mapping[str, Any]) -> tuple[str, str]:
    types = given.get("types")
    found = [asset for asset in assets.readable(who) if types is None or asset.type in types]
    if not found:
        return f"Project {who.project} has no assets that you may read.", ""
    head = f'Assets of project {who.project}, {len(found)}. One in full: {CATALOG} {{"id": "as_..."}}.'
    return head, "\n".join(_line(asset) for asset in found)


def _get(
    assets: Assets,
    who: Identity,
    _: Setting,
    given: Mapping[str, Any],
    resolve: Callable[[str], str | None] = lambda uri: None,
) -> tuple[str, str]:
    asset = assets.get(who, given["id"])
    version = asset.effective
    if version is None:
        return f"{_line(asset)}. Nothing of it is in effect: people have not approved it.", ""
    if part := given.get("part"):
        page = assets.page(who, asset.id, part)
        if page is None:
            raise errors.invalid("part", "the path of a page, as get lists them")
        return (
            f"{asset.type} v{version.n} [{asset.id}], a page.",
            "\n".join([page.path, page.title, "", page.body or _kept(page.citation, resolve)]),
        )
    content = version.content
    told = [f"{content.name}\n{content.description}"]
    if content.body:
        told.append(content.body)
    if isinstance(reference := content.payload.get("content_ref"), str):
        told.append(_kept(reference, resolve))
    if pages := assets.pages(who, asset.id):
        told.append("Pages, each by part:\n" + "\n".join(f"{page.path}: {page.title}" for page in pages))
    return f"{asset.type} v{version.n} [{asset.id}], {text.uri(asset)}.", "\n\n".join(told)


def _kept(uri: str, resolve: Callable[[str], str | None]) -> str:
    return resolve(uri) or f"The text is kept at {uri}."


def _loadout(assets: Assets, who: Identity, setting: Setting, given: Mapping[str, Any]) -> tuple[str, str]:
    types = tuple(given["types"]) if "types" in given else None
    ask = LoadoutRequest(setting.now, given.get("query", ""), given.get("budget", USUAL), types)
    loadout = assets.loadout(who, ask)
    left = "".join(f"\n{key}: {reason}" for key, reason in sorted(loadout.excluded.items()))
    head = f"{counted(len(loadout.selected), 'assets')}, {loadout.tokens()} of {loadout.budget} tokens."
    return f"{head} Left out:{left}" if len(left) < 1500 and left else head, loadout.text()


def _search(
    assets: Assets,
    who: Identity,
    _: Setting,
    given: Mapping[str, Any],
    recall: Callable[[str], Sequence[tuple[str, str]]] = lambda query: (),
) -> tuple[str, str]:
    query, types = given.get("query", ""), given.get("types")
    if not query.strip():
        raise errors.invalid("query", "words to search for")
    found = [(asset, hit.path, hit.snippet) for asset, hit in assets.search(who, query, types)]
    has_wiki = any(asset.type == "llm_wiki" and asset.effective for asset in assets.readable(who))
    kept = dict(recall(query)) if has_wiki else {}  # of pages whose text memory keeps
    found += [(asset, page.path, kept[page.citation]) for asset, page in assets.citing(who, list(kept), types)]
    if not found:
        return "No asset that you may read and that is in effect has these words.", ""
    rows = [
        f"{_line(asset)}{f', part {path}' if path else ''}\n  {' '.join(snippet.split())}"
        for asset, path, snippet in found
    ]
    return f"{len(found)} texts, best first.", "\n".join(rows)


def _code(assets: Assets, who: Identity, _: Setting, given: Mapping[str, Any]) -> tuple[str, str]:
    found = assets.ask_code(who, given["id"], given["op"], given["name"])
    if not found:
        return "The code graph in effect has no symbol of this name.", ""
    told = []
    for answer in found:
        symbol = answer.symbol
        told.append(f"{symbol.kind} {symbol.qualname}  {symbol.path}:{symbol.line}")
        told += [f"  {one.symbol.qualname}  {one.symbol.path}:{one.line}  ({one.how})" for one in answer.found]
        if given["op"] != "symbol" and answer.maybe:
            told.append(f"  and {answer.maybe} calls of this name that cannot be told to be of it")
    return f"{given['op']}:", "\n".join(told)


Op = Callable[[Assets, Identity, Setting, Mapping[str, Any]], tuple[str, str]]
CATALOG_OPS: dict[str, Op] = {"list": _list, "get": _get, "loadout": _loadout, "search": _search} | dict.fromkeys(
    QUESTIONS, _code
)


def _paged(head: str, body: str, page: int) -> str:
    """Head, and a page of stored text in its frame."""
    if not body:
        if page > 1:
            raise errors.invalid("page", "1: the answer has one page")
        return head
    pages, rest = [], clean(body)
    while rest:
        first, rest = split(rest, ROOM)
        pages.append(first)
    if page > len(pages):
        raise errors.invalid("page", f"from 1 to {len(pages)}")
    more = f" Page {page} of {len(pages)}." if len(pages) > 1 else ""
    return f"{head}{more}\n{text.quoted(pages[page - 1])}"


def _line(asset: Asset) -> str:
    version = asset.effective
    if version is None:
        return f"{asset.id}  {asset.type}  {asset.head.status}"
    content = version.content
    return (
        f"{asset.id}  {asset.type}  v{version.n}  {text.line(content.name, 80)}: {text.line(content.description, 160)}"
    )


def _row(asset: Asset) -> dict[str, Any]:
    version = asset.effective
    row: dict[str, Any] = {"id": asset.id, "type": asset.type, "status": asset.head.status, "uri": text.uri(asset)}
    if version is None:
        return row
    priority = asset.policy.priority / 1000
    return row | {
        "name": version.content.name, "description": version.content.description, "version": version.n,
        "labels": list(version.content.labels),
        "annotations": {"audience": ["assistant"], "priority": priority, "lastModified": version.at},
    }  # fmt: skip


def _whole(asset: Asset, who: Identity) -> dict[str, Any]:
    version = asset.effective
    if version is None:
        return _row(asset)
    rights = [right for right in RIGHTS if decide(asset, who, right).allowed]
    policy = asset.policy.json()
    if "share" not in rights:
        del policy["acl"]
    return _row(asset) | {"content": version.content.json(), "policy": policy, "rights": rights}


def _content(assets: Assets, who: Identity, asset: Asset, n: int) -> dict[str, Any]:
    """The content of a version that people approved, while something of the asset is in effect."""
    if asset.effective and n == asset.effective.n:
        return {"id": asset.id, "version": n, "content": asset.effective.content.json()}
    found = next((one for one in assets.history(who, asset.id) if one.n == n and one.status == "approved"), None)
    if asset.effective is None or found is None:
        raise errors.not_found(asset.id)
    return {"id": asset.id, "version": n, "content": found.content.json()}


def _check(tool: str, given: Mapping[str, Any]) -> None:
    """See that arguments follow the tool's schema.

    Raises:
        Refused: invalid, naming the field.
    """
    schema = cast("dict[str, Any]", TOOLS[tool]["schema"])
    for name in given:
        if name not in schema["properties"]:
            raise errors.invalid(str(name)[:60], f"is no argument; there are {', '.join(schema['properties'])}")
    problem = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(dict(given)))
    if problem is not None:
        field = ".".join(str(part) for part in problem.absolute_path) or tool
        told = problem.validator in ("required", "additionalProperties")
        takes = str(problem.message) if told else _takes(problem.schema)
        raise errors.invalid(field[:100], takes[:300])


def _takes(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    bounds = [f"{word} {schema[key]:,}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in schema]
    length = [f"of at most {schema['maxLength']:,} characters"] if "maxLength" in schema else []
    kinds = schema.get("type", "another value")
    return " ".join([kinds if isinstance(kinds, str) else " or ".join(kinds), *bounds, *length])


def _said(word: str, error: Exception) -> str:
    """A refusal on one line: it may quote what a model or a file said."""
    return border.line(f"{word}: {error}")


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace").decode()
    return border.escaped(text)


def listed(mode: str) -> Sequence[str]:
    """The names of the tools that are listed in a mode."""
    return LISTED[mode]
