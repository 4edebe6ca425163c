"""The Cursor adapter."""

NEUTRAL = "{}"  # what rg-hook prints for a tool call that concerns no address
