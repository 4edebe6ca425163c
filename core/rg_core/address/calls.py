"""Tool calls -> Addresses: which tools run a shell, fetch a URL, or are GitHub's MCP server."""

from __future__ import annotations

from rg_core.address.found import Found, Gather, NoAddress, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rg_core.address.found import ReadRemotes
    from rg_core.address.shell.shell import Command

SHELLS = word_set(
    "bash shell sh zsh terminal monitor run_terminal_command run_terminal_cmd exec_command shell_command local_shell"
    " run_shell_command execute_command"
)
POWERSHELLS = frozenset({"powershell", "pwsh"})
# Tools of harnesses that touch files, agents or plans: a URL among their arguments is not fetched.
_LOCAL = word_set(
    "write edit multiedit read view create grep glob list ls delete task agent todowrite todo_write websearch"
    " web_search notebookedit apply_patch search_replace read_file list_dir write_file str_replace_based_edit_tool"
    " spawn_subagent toolsearch search_tool askuserquestion exitplanmode skill readlints resource"
)
_WRITING = word_set("add create delete edit insert post publish save send set submit update upload write")
_WRAPPERS = (("tool_name", "tool_input"), ("toolName", "arguments"), ("tool", "arguments"), ("name", "arguments"))
MAX_URLS = 50
MAX_NAME = 300


def of_call(tool: str, input: object, cwd: str, remotes: ReadRemotes, environ: Mapping[str, str]) -> Found:
    """The Addresses that a tool call asks for; see rg_core.address.of_call."""
    name, arguments = _unwrapped(tool[:MAX_NAME], input)
    lower = name.lower()
    gather = Gather()
    if lower in SHELLS or lower in POWERSHELLS:
        return _shell(lower in POWERSHELLS, arguments, cwd, remotes, environ)
    if lower in _LOCAL or not isinstance(arguments, dict):
        return Found((), f"{name[:60]} fetches nothing from GitHub")
    from rg_core.address.github.mcp_tools import of_mcp, of_resource, tool_name

    bare = tool_name(name)
    uri = arguments.get("uri")
    if isinstance(uri, str) and uri.startswith("repo://"):
        gather.attempt(of_resource, uri)
        return gather.found("")
    if found_urls := _urls(arguments):
        if not _WRITING.isdisjoint(bare.lower().replace("-", "_").split("_")):
            return Found((), f"{bare[:60]} writes")
        _add_urls(gather, found_urls)
        return gather.found("")
    gather.attempt(of_mcp, bare or name, arguments)
    return gather.found("")


def _unwrapped(tool: str, given: object) -> tuple[str, object]:
    """The tool and its arguments, out of a call that carries another call (Grok's use_tool) or JSON text."""
    for _ in range(3):
        if isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
            import json

            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                break
        inner = _carried(given) if isinstance(given, dict) else None
        if inner is None:
            break
        tool, given = inner
    return tool[:MAX_NAME], given


def _carried(arguments: dict[str, Any]) -> tuple[str, object] | None:
    """The call inside a call, if there is one."""
    for tool_key, input_key in _WRAPPERS:
        tool, inner = arguments.get(tool_key), arguments.get(input_key)
        if isinstance(tool, str) and isinstance(inner, dict | str):
            return tool, inner
    return None


def _urls(arguments: dict[str, Any]) -> list[str]:
    """The URLs that a fetching tool is given: url, uri, urls (also as objects), webrun's open."""
    result = []
    for key in ("url", "uri", "urls", "links", "open"):
        value = arguments.get(key)
        for item in value[:MAX_URLS] if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                item = item.get("url") or item.get("ref_id")
            if isinstance(item, str) and item.strip():
                result.append(item)
    return result


def _add_urls(gather: Gather, urls: list[str], left: tuple[str, ...] = ()) -> None:
    from rg_core.address.github.urls import of_url

    for url in urls:
        gather.attempt(of_url, url, left)


def _shell(powershell: bool, arguments: object, cwd: str, remotes: ReadRemotes, environ: Mapping[str, str]) -> Found:
    from rg_core.address.shell.shell import Shell
    from rg_core.address.shell.wrappers import joined

    gather = Gather()
    directory: str | None = cwd or None
    command: object = arguments
    if isinstance(arguments, dict):
        command = next((arguments[key] for key in ("command", "cmd", "script") if key in arguments), None)
        for key in ("cwd", "workdir", "working_directory"):
            if isinstance(arguments.get(key), str) and arguments[key]:
                directory = joined(directory, arguments[key], environ.get("HOME", ""))
    shell = Shell(lambda command: _simple(command, gather, remotes, environ), directory, environ)
    if isinstance(command, str):
        if powershell:
            from rg_core.address.shell.powershell import run

            run(command, shell)
        else:
            shell.run_text(command)
    elif isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        shell.alone([word.replace("\0", "") for word in command[:5000]], {})
    else:
        return Found((), "no command")
    for reason in shell.reasons:
        gather.no(reason)
    return gather.found("no command that reads an issue, a pull request or a repository from GitHub")


def _simple(command: Command, gather: Gather, remotes: ReadRemotes, environ: Mapping[str, str]) -> None:
    """One simple command, as far as it asks GitHub for something."""
    from rg_core.address.shell.wrappers import program

    name = program(command.argv[0])
    if name == "gh":
        from rg_core.address.github.gh import of_gh
        from rg_core.address.github.where import Surroundings

        where = Surroundings(command.cwd, command.env, environ, remotes)
        gather.attempt(of_gh, command.argv[1:], where, command.readers)
        return
    from rg_core.address import http_clients

    if name not in http_clients.PROGRAMS:
        return
    try:
        asked = http_clients.fetched(name, command.argv[1:])
        left: tuple[str, ...] = ()
        if command.readers:
            from rg_core.address.piped import shown

            left = shown("", command.readers)
        if query := http_clients.graphql(asked):
            from rg_core.address.github.queries import of_document

            gather.attempt(of_document, *query, left)
        else:
            _add_urls(gather, http_clients.urls(asked), http_clients.shows(asked, left))
    except NoAddress as no:
        gather.no(f"{name}: {no}")
