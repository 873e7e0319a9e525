"""The list of slow tests names tests that exist, in order, and each once."""

import ast
from functools import cache


@cache
def functions(path):
    return {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)}


def test_every_slow_test_exists(root):
    lines = (root / "tests" / "slow_tests.txt").read_text("utf-8").split()
    assert lines == sorted(set(lines))
    missing = [line for line in lines if line.split("::")[1] not in functions(root / line.split("::")[0])]
    assert missing == []
