"""The demo's own small world: one made-up repository, served on loopback as by GitHub's REST API."""
