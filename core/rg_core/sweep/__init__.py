"""Touches -> resources: what was explored is fetched once and stored."""
