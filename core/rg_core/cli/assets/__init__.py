"""The actions of `rg-memory asset`: each module has `arguments(parser)` and `run(options)`."""
