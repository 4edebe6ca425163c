"""Asking memory: the question, its answer, how it is shown."""
