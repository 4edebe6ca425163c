"""A panel's answer in one sentence, from its rows. Pure; what is stored is escaped, only <em> is ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from rg_core.dashboard.words import CLASSES, FEW, share, spelled, tokens
from rg_core.nouns import counted

FEW_RESULTS = 20  # used results, under which a leg's lift is only counted


def pays(row: Mapping[str, int]) -> Markup:
    """Whether more was kept out than loaded: it pays, about even, or not yet."""
    loaded = row["recalled"] + row["served"] + row["overhead"]
    verdict = "It pays" if row["floor"] >= loaded else "About even" if row["json"] >= loaded else "Not yet"
    kept = tokens(row["floor"])
    kept = kept if row["json"] == row["floor"] else f"{kept} to {tokens(row['json'])}"
    return Markup("{}: {} tokens loaded, <em>{}</em> kept out.").format(verdict, tokens(loaded), kept)


def pulls_its_weight(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """The class of question whose recalls were used most, and least."""
    enough = [row for row in rows if row["recalls"] >= FEW]
    if not enough:
        recalls, used = sum(row["recalls"] for row in rows), sum(row["used"] for row in rows)
        return Markup("<em>{} of {}</em> recalls were used: too few to compare.").format(used, recalls)
    ranked = sorted(enough, key=lambda row: (-row["used"] / row["recalls"], row["class"]))
    best, worst = ranked[0], ranked[-1]
    said = Markup("Most for <em>{}</em>: {} of those recalls were used.").format(
        CLASSES[best["class"]], share(best["used"], best["recalls"])
    )
    if worst["used"] * best["recalls"] == best["used"] * worst["recalls"]:
        return said
    return said + Markup(" Least for {}: {}.").format(CLASSES[worst["class"]], share(worst["used"], worst["recalls"]))


def reliable(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """How much was said, and how much was found, to be out of date."""
    judged, stale = sum(row["judged"] for row in rows), sum(row["stale"] for row in rows)
    checked, outdated = sum(row["checked"] for row in rows), sum(row["outdated"] for row in rows)
    said = Markup("<em class=stale>{:,} of {:,}</em> judged {} stale").format(
        stale, judged, "result was" if judged == 1 else "results were"
    )
    were = "was" if checked == 1 else "were"
    found = f"{outdated:,} of {counted(checked, 'checked reads')} {were} out of date when served"
    if not judged:
        return Markup("Nothing was judged; <em class=stale>{}</em>.").format(found)
    return said + (f", and {found}." if checked else "; no read could be checked yet.")


def adds(row: Mapping[str, Any]) -> Markup:
    """What a leg brought to the results that were used."""
    if row["results"] < FEW_RESULTS:
        return Markup(
            "Of {} {} would not have been shown without it: too few to say more."
        ).format(counted(row["results"], "used results"), Markup("<em>{}</em>").format(row["only_with"]))  # fmt: skip
    return Markup(
        "<em>{:,} of {:,}</em> used results would not have been shown without it; {:,} more stood higher, {:,} lower."
    ).format(row["only_with"], row["results"], row["better"], row["worse"])


def bears(rows: Sequence[Mapping[str, Any]], title: str) -> Markup:
    """The memory that was cited most."""
    first = rows[0]
    return Markup("<em>{}</em> was cited {} in {}.").format(
        title, counted(first["cited"], "times"), counted(first["sessions"], "sessions")
    )


def dead(rows: Sequence[Mapping[str, Any]], unserved: int | None, stored: int | None) -> Markup:
    """What comes up and helps nobody, and what never came up."""
    many = len(rows) != 1
    said = Markup("{} {} up again and again and {} nobody").format(
        spelled(len(rows)), "come" if many else "comes", "help" if many else "helps"
    ) if rows else Markup("Nothing comes up again and again without helping")  # fmt: skip
    if unserved is None or stored is None:
        return said + "."
    never = Markup('<data value="{0}" data-panel="unserved" data-key="unserved">{0:,}</data>').format(unserved)
    return said + Markup("; {} of {:,} stored were never served at all.").format(never, stored)


def answers(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """How many reads memory answered."""
    hits, wider = sum(row["hit"] for row in rows), sum(row["subsumed"] for row in rows)
    asked = hits + wider + sum(row["miss"] for row in rows)
    said = Markup("<em>{}</em> of reads were answered").format(share(hits + wider, asked))
    return said + (f", {wider:,} of them from a wider listing." if wider else ".")


def follows(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """What agents did after a Nudge."""
    given, followed, anyway = (sum(row[key] for row in rows) for key in ("given", "followed", "fetched_anyway"))
    return Markup("Of {} <em>{:,} {} followed</em>; after {:,} the agent fetched all the same.").format(
        counted(given, "Nudges"), followed, "was" if followed == 1 else "were", anyway
    )


def agents(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Who uses most of what it recalls, and who least."""
    ranked = sorted((row for row in rows if row["recalls"] >= FEW), key=lambda row: -row["used"] / row["recalls"])
    if not ranked:
        return Markup("{} used memory, none often enough to compare.").format(
            f"{len(rows):,} kind{'s' * (len(rows) != 1)} of agents"
        )
    best = ranked[0]
    said = Markup("<em>{}</em> used {:,} of its {}").format(
        who(best), best["used"], counted(best["recalls"], "recalls")
    )
    if len(ranked) == 1:
        return said + "."
    worst = ranked[-1]
    return said + Markup(", {} {:,} of {:,}.").format(who(worst), worst["used"], worst["recalls"])


def who(row: Mapping[str, Any]) -> str:
    """A harness, and its agent where that is not the main one."""
    return str(row["harness"]) if row["agent"] == "main" else f"{row['harness']} · {row['agent']}"


def in_vain(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """What was asked for and never came."""
    one = len(rows) == 1
    return Markup("{} {} asked for and {} still not in memory.").format(
        spelled(len(rows)), "address was" if one else "addresses were", "is" if one else "are"
    )
