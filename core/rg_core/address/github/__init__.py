"""Everything that spells GitHub: gh, URLs, REST paths, GraphQL, searches, MCP tools."""
