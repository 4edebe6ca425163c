"""rg-mcp: memory for agents, over MCP."""
