"""Keys: built and taken apart in one place, and nowhere else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rg_core
from rg_core.address import model
from rg_core.address.model import Address

ROOT = Path(rg_core.__file__).parent
words = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=10)
addresses = st.one_of(
    st.builds(Address, st.just("repository"), st.just("acme/widget")),
    st.builds(Address, st.just("item"), st.just("acme/wid.get"), number=st.integers(1, model.MAX_NUMBER)),
    st.builds(
        Address,
        st.sampled_from(["issues", "pulls"]),
        st.sampled_from(["acme/widget", model.ANY_REPOSITORY]),
        labels=st.lists(words, max_size=2),
        q=words,
    ),
)


def literals(tree: ast.Module) -> set[str]:
    """The texts of a module that are not docstrings."""
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    prose = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, scopes)}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts - prose


def test_no_other_room_spells_a_scheme() -> None:
    spelled = re.compile(f"(?:{'|'.join(model.SCHEMES)})(?![A-Z,) ])")  # as a user is shown it: note:PROJECT/ID
    found = {
        str(path.relative_to(ROOT)): text
        for path in ROOT.rglob("*.py")
        if path.parts[len(ROOT.parts)] != "address"
        for text in literals(ast.parse(path.read_text()))
        if spelled.search(text)
    }
    assert found == {}


@given(addresses)
def test_a_key_is_taken_apart_into_what_it_was_built_from(address: Address) -> None:
    key = str(address)
    assert model.scheme_of(key) == model.GITHUB
    assert model.GITHUB + model.without_scheme(key) == key
    assert model.repository_of(key) == address.repository
    if address.is_listing:
        assert key == model.listing_key(address.repository, address.query)
        assert key.startswith(model.listings_of(address.repository, address.kind))
    else:
        assert key == model.key_of(address.repository.upper(), address.number)
        assert model.place(key) == (address.repository, address.number)
    for cut in range(len(key) + 1):
        assert model.begun(key[:cut]) == key[len(model.GITHUB) : cut]


@pytest.mark.parametrize("text", ["", "o/r", "o/r#1", "https://github.com/o/r", "I_kwDOA", "github:o/r#x"])
def test_what_is_no_key_has_no_place(text: str) -> None:
    assert model.place(text) == ("", -1)


@pytest.mark.parametrize("text", ["x", "githubs", "o/r", "doc:p/README.md"])
def test_what_is_no_beginning_of_a_key_begins_none(text: str) -> None:
    assert model.begun(text) is None
