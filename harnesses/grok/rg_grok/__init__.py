"""The Grok Build adapter."""

NEUTRAL = ""  # what rg-hook prints for a tool call that concerns no address
PROMPT_NOTES_LATER = True  # it discards what a prompt's hook says; the next tool call is told instead
# By the clientInfo.name of its MCP client: the variable in which it tells a server the session, if any. The name ends
# in the server's own.
CLIENTS = {"grok-shell-resources-graph": "GROK_SESSION_ID"}
# What a session is given reaches the model by the MCP server's instructions alone: about 2,030 characters, on one line.
INSTRUCTIONS_TOKENS = 600
