"""The Codex adapter."""

NEUTRAL = ""  # what rg-hook prints for a tool call that concerns no address
# By the clientInfo.name of its MCP client: the variable in which it tells a server the session, if any.
CLIENTS = {"codex-mcp-client": ""}
