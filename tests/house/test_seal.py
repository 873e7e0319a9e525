"""Only the ledger opens a sealed sample."""

import ast

import pytest

INSIDES = {"_open", "_records"}
DOOR = "privpac.privacy.ledger"


def openings(tree: ast.Module) -> list[int]:
    """Lines that reach the inside of a sealed sample, by attribute or by its name in a string."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in INSIDES)
        or (isinstance(node, ast.Constant) and node.value in INSIDES)
    ]


@pytest.mark.slow
def test_only_the_ledger_opens_samples(modules):
    elsewhere = {name: openings(tree) for name, tree in modules.items() if name != DOOR}
    assert {name: lines for name, lines in elsewhere.items() if lines} == {}


def test_the_ledger_does_open_them(modules):
    assert openings(modules[DOOR])


@pytest.mark.parametrize(
    "source", ["x = sample._open()", "x = sample._records", "x = getattr(sample, '_records')", "f = Sealed._open"]
)
def test_an_opening_elsewhere_is_seen(source):
    assert openings(ast.parse(source)) == [1]
