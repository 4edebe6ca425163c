"""Conversations of this user's harnesses: what the person wrote and the assistant answered, secrets masked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rg_core import times
from rg_core.assets.imports.masking import masker
from rg_core.assets.imports.run import Imported, Taken
from rg_core.assets.store import Source
from rg_core.documents.projects import Project, within
from rg_core.errors import UserError
from rg_core.harness.capabilities import Transcribed
from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Turn
from rg_core.harness.transcripts import Source as Transcript

TURN, WHOLE = 4_000, 256 * 1024  # bytes
TOOLS = 50
GROUP = "rg_memory.harnesses"


def readers(only: str = "") -> Mapping[str, Transcribed]:
    """The harnesses that are installed and keep conversations, or the one that is asked for.

    Raises:
        UserError: if it is none of them; names those that are.
    """
    found: dict[str, Transcribed] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if find_spec(f"{point.value}.transcripts"):
            module = import_module(f"{point.value}.transcripts")
            if isinstance(module, Transcribed):
                found[point.name] = module
    if only and only not in found:
        raise UserError(f"there is no harness {only[:80]!r} with conversations; there are {', '.join(found)}")
    return {only: found[only]} if only else found


def conversations(
    project: Project,
    place: Place,
    result: Imported,
    *,
    harness: str = "",
    session: str = "",
    since: str = "",
) -> Iterator[Taken]:
    """The conversations that were held in a project's directories.

    Args:
        project: whose.
        place: where harnesses keep their files.
        result: where those that are passed by are counted as skipped.
        harness: only of this one.
        session: only this one.
        since: only those that changed since this time, ISO 8601.

    Raises:
        UserError: for a harness that there is not, or without the extra that finds secrets.
    """
    masked = masker()
    earliest = times.seconds(since) if since else 0.0
    for name, reader in readers(harness).items():
        seen: set[str] = set()
        for directory in project.directories:
            here = Place(place.home, place.environ, place.platform, Path(directory))
            for transcript in reader.found(here):
                if transcript.session in seen or (session and transcript.session != session):
                    continue
                if transcript.changed < earliest or (
                    transcript.directory and not _holds(project, transcript.directory)
                ):
                    continue
                one = _taken(name, reader, transcript, project, masked)
                if one is None:
                    continue
                seen.add(transcript.session)
                if one.error or one.content:
                    yield one
                else:
                    result.skipped += 1


def _taken(
    harness: str,
    reader: Transcribed,
    transcript: Transcript,
    project: Project,
    masked: Callable[[str], str],
) -> Taken | None:
    """One conversation; None where it is another project's, without content where nothing was said in it."""
    key = f"chat:{harness}:{transcript.session}"
    provenance = {"source_type": "chat", "source_ref": transcript.session, "session": transcript.session,
                  "program": harness}  # fmt: skip
    source = Source(key, provenance)
    name = f"conversation {transcript.session}"[:80]
    try:
        told = reader.read(transcript)
    except (ValueError, OSError) as error:
        said = (error.strerror or "cannot be read") if isinstance(error, OSError) else str(error)
        return Taken("chat_memory", name, source, error=said)
    if not _holds(project, told.directory or transcript.directory):
        return None
    if not any(turn.who == "person" for turn in told.turns):
        return Taken("chat_memory", name, source)
    provenance["program"] = f"{harness} {told.program}".strip()
    content = content_of(harness, told, transcript.changed, masked)
    left_out = [f"{told.skipped} lines that cannot be read are left out"] if told.skipped else []
    return Taken("chat_memory", content["name"], source, content, left_out)


def _holds(project: Project, directory: str) -> bool:
    """Whether a conversation's directory is the project's; one that is not known is not."""
    where = os.path.realpath(directory)
    return bool(directory) and any(within(where, one) for one in project.directories)


def content_of(harness: str, told: Conversation, changed: float, masked: Callable[[str], str]) -> dict[str, Any]:
    """The content of a conversation. No model is asked: what it says is cut, not rewritten."""
    turns = [Turn(turn.who, masked(turn.text), turn.at) for turn in told.turns]
    prompts = [turn.text for turn in turns if turn.who == "person"]
    answers = [turn.text for turn in turns if turn.who == "assistant"]
    at = next((turn.at for turn in turns if turn.at), "")
    day = at[:10] or datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%d")
    first = one_line(prompts[0], 80)
    head = f"{harness}, {day}, {len(prompts)} prompt{'s' if len(prompts) > 1 else ''}"
    ended = f" Ended with: {one_line(answers[-1][-400:], 300)}" if answers else ""
    tools = dict(sorted(told.tools.most_common(TOOLS)))
    return {
        "name": first,
        "description": f"Conversation in {head}: {one_line(prompts[0], 600)}",
        "summary": f"{head}. Began with: {one_line(prompts[0], 300)}{ended}",
        "body": body(turns),
        "payload": {"harness": harness, "tools": {one_line(name, 80): count for name, count in tools.items() if name}},
    }


def body(turns: Sequence[Turn]) -> str:
    """The turns as Markdown; where they are too many, the newest stay."""
    parts: list[str] = []
    size = 0
    for turn in reversed(turns):
        part = f"### {turn.who} {turn.at}".rstrip() + f"\n{cut(turn.text, TURN)}\n\n"
        size += len(part.encode())
        if size > WHOLE:
            break
        parts.append(part)
    return "".join(reversed(parts)).rstrip("\n") + "\n"


def cut(text: str, most: int) -> str:
    """A text of at most so many bytes, its … included."""
    data = text.encode("utf-8", "replace")
    return data.decode() if len(data) <= most else data[: most - 3].decode("utf-8", "ignore") + "…"


def one_line(text: str, most: int) -> str:
    """A text on one line, of at most so many characters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
