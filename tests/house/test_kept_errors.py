"""Where records are read, no error is raised while another one is handled: it would keep the other one.

The other one may be that of an engine or of numpy and quote a record. ``raise … from None`` only hides it, so such an
error is told by :class:`privpac.refusals.refusal.InOtherWords`.
"""

import ast

import pytest

ROOMS = ("data", "exact", "mechanisms", "learners", "release", "papers")


def raised_anew(node: ast.AST, handling: bool = False) -> list[str]:
    """What is raised inside an ``except``, or ``from`` something, other than what is handled."""
    found = []
    for child in ast.iter_child_nodes(node):
        inside = isinstance(child, ast.ExceptHandler) or (
            handling and not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef)
        )
        if isinstance(child, ast.Raise) and child.exc is not None and (handling or child.cause is not None):
            found.append(ast.unparse(child))
        found += raised_anew(child, inside)
    return found


@pytest.mark.slow
def test_errors_keep_no_others(modules):
    rooms = tuple(f"privpac.{room}." for room in ROOMS)
    found = {name: raised_anew(tree) for name, tree in modules.items() if name.startswith(rooms)}
    assert len(found) > 100 and {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize(
    ("source", "offends"),
    [
        ("try:\n    f()\nexcept Wrong as error:\n    raise Refused('x') from None", True),
        ("try:\n    f()\nexcept Wrong as error:\n    raise Refused('x') from error", True),
        ("try:\n    f()\nexcept Wrong:\n    if g():\n        raise Refused('x')", True),
        ("error = g()\nraise Refused('x') from error", True),
        ("try:\n    f()\nexcept Wrong:\n    raise", False),
        ("try:\n    f()\nexcept Wrong:\n    pass\nraise Refused('x')", False),
        ("with InOtherWords(lambda _: Refused('x'), Wrong):\n    f()", False),
    ],
)
def test_offenders_are_caught(source, offends):
    assert bool(raised_anew(ast.parse(source))) is offends
