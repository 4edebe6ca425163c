"""The rg-memory command: one module per command, each with `arguments(parser)` and `run(options) -> int`."""
