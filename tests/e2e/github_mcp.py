"""A stand-in for GitHub's MCP server on stdio: one read tool, `issue_read`, as GitHub's own declares it."""

from __future__ import annotations

import json
import sys

TOOL = {
    "name": "issue_read",
    "description": "Get information about a specific issue in a GitHub repository.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {
            "method": {"type": "string"},
            "owner": {"type": "string"},
            "repo": {"type": "string"},
            "issue_number": {"type": "number"},
        },
        "required": ["method", "owner", "repo", "issue_number"],
    },
}


def answer(method: str, params: dict[str, object]) -> dict[str, object] | None:
    """The result of a request, or None for a method this server does not have."""
    if method == "initialize":
        server = {"name": "github", "version": "1"}
        version = params.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": f"FETCHED BY MCP {json.dumps(params.get('arguments'))}"}]}
    return {} if method == "ping" else None


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        reply: dict[str, object] = {"jsonrpc": "2.0", "id": message["id"]}
        result = answer(message["method"], message.get("params") or {})
        if result is None:
            reply["error"] = {"code": -32601, "message": "no such method"}
        else:
            reply["result"] = result
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
