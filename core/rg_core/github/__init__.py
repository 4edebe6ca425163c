"""The source: GitHub's GraphQL and REST API. It knows no store."""
