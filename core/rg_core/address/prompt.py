"""Free text a person wrote -> the Addresses it names: GitHub URLs and owner/repo#number."""

from __future__ import annotations

import re

from rg_core.address.found import Found, Gather, word_set
from rg_core.address.model import Address

MAX_PROMPT = 200_000  # characters: some 25 ms
MAX_MATCHES = 2_000

_CJK = r"\u3000-\u9fff\uac00-\ud7ff\uff00-\uffef"  # scripts that write words without blanks between them
# Markdown's marks that letters and paths may have too: where they stand alone, and those of a path where they close.
_EMPHASIS = r"(?<=(?<!\w)~~)|(?<=(?<!\w)==)|(?:(?<=(?<![\w./-])_)|(?<=(?<![\w./-])__))(?=[^\s#]+\#[0-9]+_)"
# A path is ASCII, so that CJK text right behind a URL ends it; a query may hold letters of any script.
# Letter case is ignored where it matters only: IGNORECASE over the large ranges would cost 7 ms at import.
_GITHUB = r"(?i:(?:www\.|api\.|redirect\.)?github\.com)"
_NAMED = re.compile(
    rf"(?P<other>[A-Za-z][A-Za-z0-9+.-]{{1,15}}://(?!(?:[^\s/@]{{0,80}}@)?{_GITHUB}(?![\w.-]))[^\s<>\"`]*)"
    rf"|(?P<url>(?:(?i:https?)://(?:[^\s/@]{{0,80}}@)?|(?<![\w.@/:-])|(?<=[^\w]_)|(?<=[{_CJK}]))"
    rf"{_GITHUB}(?::[0-9]{{1,5}})?(?:/[A-Za-z0-9._~%/+@-]*)?"
    r"(?:\?[^\s<>\"`|\\^{}\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]*)?(?:\#[A-Za-z0-9_.~%/=:-]*)?)"
    rf"|(?:(?<![\w./#@:~%+=?&\\-])|(?<=[{_CJK}])|{_EMPHASIS})(?P<owner>[A-Za-z0-9][A-Za-z0-9-]{{0,38}})/"
    r"(?P<repo>[A-Za-z0-9._-]{1,100})\#(?P<number>[0-9]{1,10})(?![A-Za-z0-9-])(?!_+[^\W_])(?!\.[0-9A-Za-z])(?!/)"
)
_NEXT_URL = re.compile(r"[,;)\]]+(?:https?://|\[)")
_TRAILING = ".,;:!?'\"*~)]}>|"
# What looks like owner/repo#4 and is a file with a line or an anchor: an ending that repositories' names do not have,
# or a usual folder before a file of code.
_FILES = word_set(
    "md mdx rst txt htm html json yml yaml toml xml csv c h cc cpp hpp java kt tsx jsx ipynb lock cfg ini css scss sql"
    " pdf"
)
_CODE = word_set("py js ts rs go rb sh php cs swift mjs cjs vue")
_FOLDERS = word_set(
    "src lib docs doc test tests spec path app pkg internal cmd bin examples scripts packages dist build node_modules"
    " include assets static public components pages utils core"
)


def of_prompt(text: str) -> Found:
    """The Addresses that a prompt names, in the order in which they stand."""
    gather = Gather()
    if len(text) > MAX_PROMPT:
        gather.no(f"only the first {MAX_PROMPT} characters are read")
    for count, match in enumerate(_NAMED.finditer(text[:MAX_PROMPT])):
        if count > MAX_MATCHES:
            gather.no(f"only the first {MAX_MATCHES} links are read")
            break
        if url := match["url"]:
            from rg_core.address.github.urls import of_url

            bare = _trimmed(url, text[: match.start()][-1:])
            gather.attempt(of_url, bare)
        elif match["owner"]:
            owner, repo, number = match["owner"], match["repo"], int(match["number"])
            if _is_file(owner, repo):
                gather.no(f"{owner}/{repo}#{number} looks like a file")
            else:
                gather.attempt(_item, f"{owner}/{repo}", number)
    return gather.found("no GitHub link and no owner/repo#number; a bare #number does not say which repository")


def _item(repository: str, number: int) -> Address:
    return Address("item", repository, number=number)


def _trimmed(url: str, before: str) -> str:
    """The URL without the punctuation of the text around it."""
    if following := _NEXT_URL.search(url, 10):
        url = url[: following.start()]
    while url:
        last = url[-1]
        if last == ")" and url.count("(") >= url.count(")"):
            break
        if last not in _TRAILING and not (last == "_" and before == "_"):
            break
        if url.endswith(("/.", "/..")):  # a step of the path
            break
        url = url[:-1]
    return url


def _is_file(owner: str, repo: str) -> bool:
    _, dot, ending = repo.lower().rpartition(".")
    return (bool(dot) and ending in _FILES) or (owner.lower() in _FOLDERS and (not dot or ending in _CODE))
