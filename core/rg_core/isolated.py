"""Imported first by every program: what PYTHONPATH added to the places of modules is left out.

Agents run us inside other people's projects, where it may lead to a package `mcp`, a module `types` or another Python's
libraries. The scripts that start us cannot say so: pip drops -I and -E from their first line. Imports only what every
interpreter has loaded before any of our lines. A place that holds our own packages stays: that is a developer's.
"""

from __future__ import annotations

import os
import sys


def _absolute(place: str) -> str:
    try:
        return os.path.abspath(place)
    except OSError:  # a relative one, in a directory that is gone
        return place


if "PYTHONPATH" in os.environ:
    theirs = {_absolute(place) for place in os.environ["PYTHONPATH"].split(os.pathsep)}
    ours = [place for place in theirs if os.path.isdir(os.path.join(place, "rg_core"))]
    sys.path[:] = [place for place in sys.path if place not in theirs or place in ours]
