"""Only exact/ tosses coins: no other module reaches a source of randomness."""

import ast

import pytest

SOURCES = {"random", "secrets", "uuid", "numpy.random", "os.urandom", "os.getrandom", "scipy.stats"}
FREE = "privpac.exact"
TYPE = "from uuid import UUID"  # a type of values, which tosses nothing


def names_reached(tree: ast.Module) -> set[str]:
    """Dotted names that are imported, read as attributes of an import, or imported by a literal string."""
    known: dict[str, str] = {}
    reached = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            reached |= {alias.name for alias in node.names}
            known |= {
                a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0] for a in node.names
            }
        elif isinstance(node, ast.ImportFrom) and not node.level and ast.unparse(node) != TYPE:
            full = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            reached |= {str(node.module), *full.values()}
            known |= full
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            reached.add(f"{known[node.value.id]}.{node.attr}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            reached |= {str(a.value) for a in node.args if isinstance(a, ast.Constant)}
    return reached


def coins(tree: ast.Module) -> set[str]:
    """The sources of randomness that a module reaches."""
    reached = names_reached(tree)
    return {s for s in SOURCES for name in reached if name == s or name.startswith(f"{s}.")}


@pytest.mark.slow
def test_only_exact_tosses_coins(modules):
    outside = {name: coins(tree) for name, tree in modules.items() if not name.startswith(FREE)}
    assert {name: found for name, found in outside.items() if found} == {}


def test_exact_does_toss_them(modules):
    assert coins(modules["privpac.exact.entropy"]) == {"os.urandom"}


@pytest.mark.parametrize(
    ("source", "coin"),
    [
        ("import random", "random"),
        ("from random import randint", "random"),
        ("import secrets as s", "secrets"),
        ("import uuid", "uuid"),
        ("from uuid import UUID, uuid4", "uuid"),
        ("import numpy.random", "numpy.random"),
        ("from numpy import random", "numpy.random"),
        ("from numpy.random import default_rng", "numpy.random"),
        ("import numpy as np\nx = np.random.default_rng()", "numpy.random"),
        ("import os\nx = os.urandom(8)", "os.urandom"),
        ("from os import urandom", "os.urandom"),
        ("import os\ndef f():\n    return os.getrandom(8)", "os.getrandom"),
        ("from scipy import stats", "scipy.stats"),
        ("from importlib import import_module\nimport_module('random')", "random"),
    ],
)
def test_a_coin_elsewhere_is_seen(source, coin):
    assert coins(ast.parse(source)) == {coin}


def test_words_are_not_coins():
    assert coins(ast.parse("import numpy as np\nrandom = np.arange(3)\nx = random.sum()")) == set()
    assert coins(ast.parse("from uuid import UUID")) == set()
