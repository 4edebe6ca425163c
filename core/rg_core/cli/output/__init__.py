"""What commands print with `--json`, as models: one module a command, whose `Output` has its schema in docs/schemas.

Cold: a command imports its model when it prints.
"""
