"""The source: GitHub, over GraphQL with a token, over REST without one. Knows no store."""
