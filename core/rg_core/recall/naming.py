"""What a query names: names such as SPEC-054, keys, GitHub addresses, paths of documents, #12. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rg_core.address import of_prompt
from rg_core.address.local import doc_key, is_document_path
from rg_core.address.model import DOC, GITHUB, NOTE
from rg_core.documents.tokens import HYPHENS, canonical, pattern
from rg_core.recall.terms import LONGEST

KEY = re.compile(rf"\b(?:{DOC}|{NOTE}|{GITHUB})[^\s,;)\]}}]+")
PATH = re.compile(r"[\w./-]+\.(?:md|mdx|markdown)\b", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w/#&-])#([0-9]{1,9})\b")
MOST = 20


@dataclass(frozen=True, slots=True)
class Named:
    """One thing that a query names, by any of these names or keys; or by a number alone."""

    names: tuple[str, ...] = ()
    number: int = 0


def named(query: str, prefixes: Sequence[str], projects: Sequence[str]) -> list[Named]:
    """What a query names, in the order in which it does. `projects`: whose documents a bare path may mean."""
    query = query[:LONGEST]
    found = [
        (match.start(), Named((canonical(match[1] or match[3], match[2] or match[4]),)))
        for match in pattern(tuple(prefixes)).finditer(query.translate(HYPHENS))
    ]
    found += [(match.start(), Named((match[0].rstrip("."),))) for match in KEY.finditer(query)]
    for match in PATH.finditer(query):
        path = match[0].removeprefix("./")
        if is_document_path(path) and not query[: match.start()].endswith((":", "/")):
            found.append((match.start(), Named(tuple(doc_key(project, path) for project in projects))))
    for address in of_prompt(query).addresses:
        if not address.is_listing:
            at = query.lower().find(address.repository)
            found.append((at if at >= 0 else len(query), Named((str(address),))))
    found += [(match.start(), Named(number=int(match[1]))) for match in NUMBER.finditer(query)]
    return list(dict.fromkeys(one for _, one in sorted(found, key=lambda pair: pair[0])))[:MOST]
