"""Worlds that several tests share."""

from __future__ import annotations

import random

from tests.github_standin.world import World


def small_world() -> World:
    """acme/widgets with issues, pull requests and every kind of comment; acme/secret, which is private."""
    world = World()
    widgets = world.repo("acme/Widgets", "Widgets for everyone", readme="# Widgets\n\nHow to use them.\n")
    widgets.milestones = {3: "The Big 1.0"}
    crash = widgets.issue("Crash on start", "It crashes.\n\nSee acme/gears#1.", labels=["bug", "help wanted"])
    crash.comment("Same here.", "bob")
    crash.comment("Working on it.", "dependabot[bot]")
    crash.comment("I have left.", None)
    leak = widgets.issue("Memory leak", "Leaks 1 MB.", labels=["bug", "perf"], milestone=3, assignees=["carol"])
    widgets.issue("Old question", state="CLOSED", state_reason="COMPLETED", author="bob")
    fix = widgets.pull("Fix the crash", "Closes #1", author="carol", files=["src/start.c", "README.md"], closes=[crash])
    fix.comment("Nice.", "alice")
    fix.review("Looks good.", state="APPROVED")
    fix.thread("src/start.c", "Why this?", "Because.")
    merged = widgets.pull("Add docs", author="dependabot[bot]", files=["docs/a.md"], state="MERGED")
    merged.labels.append("docs")
    gears = world.repo("acme/gears", "Gears", readme="gears")
    grind = gears.issue("Grinding noise", "Blocked by https://github.com/acme/widgets/issues/2")
    leak.mentioned_by(grind)
    secret = world.repo("acme/secret", "The plan nobody may know", visibility="PRIVATE", readme="secret plan")
    hush = secret.issue("Hush hush", "classified-body-text")
    leak.mentioned_by(hush)
    return world


def busy_world(issues: int = 686, comments: int = 875, seed: int = 7) -> World:
    """acme/busy with so many issues (half of them closed) and comments."""
    world = World()
    busy = world.repo("acme/busy", "A busy project", readme="# Busy\n" + "words " * 500)
    chosen = random.Random(seed)
    made = [
        busy.issue(
            f"Issue {n}",
            "Lorem ipsum dolor sit amet. " * chosen.randint(5, 60),
            labels=chosen.sample(["bug", "perf"], 1),
        )
        for n in range(issues)
    ]
    for n in range(comments):
        chosen.choice(made).comment(f"Comment {n}: " + "consectetur adipiscing elit " * chosen.randint(2, 40), "bob")
    for thing in made[::2]:
        thing.edit(state="CLOSED", state_reason="COMPLETED")
    return world


def long_world() -> World:
    """acme/long: 60 issues, one with 150 comments, and a pull request with 250 files and over-long reviews."""
    world = World()
    long = world.repo("acme/long", "Long things", readme="# Long\n")
    for n in range(58):
        long.issue(f"Issue {n + 1}", f"Body {n + 1}", labels=["bug"] if n % 2 else [])
    talk = long.issue("Much talk", "See #3")
    for n in range(150):
        talk.comment(f"Comment {n + 1}", "bob")
    for n in range(120):
        talk.mentioned_by(long.things[1 + n % 50])
    change = long.pull("Big change", "Fixes #2", files=[f"src/file{n:03}.py" for n in range(250)])
    change.closes.append(long.things[2])
    for n in range(25):
        change.thread(f"src/file{n:03}.py", *[f"Remark {n}.{m}" for m in range(23 if n == 24 else 2)])
    for n in range(101):
        change.review(f"Review {n}" if n % 2 else "", state="COMMENTED")
    return world
