"""Acme, an agent that nobody at rg-memory has heard of."""

NEUTRAL = ""
CLIENTS = {"acme-agent": "ACME_SESSION"}
