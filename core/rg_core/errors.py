"""Errors that a user is shown as they are: what happened, why, and the command or step that helps."""

from __future__ import annotations


class UserError(Exception):
    """An expected failure; a command prints its text and exits 1. Never holds a secret."""
