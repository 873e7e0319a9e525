"""Every public name is documented; every name of the public surface has an example that runs."""

import ast
import doctest
import inspect
import re

import pytest

import privpac
from privpac import mechanisms


def undocumented(tree: ast.Module) -> list[str]:
    """Public functions and classes at the top of a module, and the module itself, that have no docstring."""
    definitions = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    missing = [node.name for node in definitions if not ast.get_docstring(node)]
    return missing if ast.get_docstring(tree) or not tree.body else ["module", *missing]


def ragged(docstring: str) -> list[str]:
    """The main declarations whose explanation starts in another column than that of the first one."""
    listed = docstring.partition("Main declarations\n")[2].splitlines()
    rows = [found for line in listed if (found := re.match(r"    (\S.*?) {2,}(?=\S)", line))]
    return [row[1] for row in rows if row.end() != rows[0].end()]


def without_example(surface: dict[str, object]) -> list[str]:
    """Functions and classes whose own docstring has no example, or only skipped ones."""
    return [
        name
        for name, thing in surface.items()
        if (inspect.isroutine(thing) or inspect.isclass(thing)) and not has_example(thing.__doc__ or "")
    ]


def has_example(docstring: str) -> bool:
    examples = doctest.DocTestParser().get_examples(docstring)
    return any(not example.options.get(doctest.SKIP) for example in examples)


def surface(package) -> dict[str, object]:
    return {name: getattr(package, name) for name in getattr(package, "__all__", ())}


def test_public_definitions_have_docstrings(modules):
    missing = {name: undocumented(tree) for name, tree in modules.items()}
    assert {name: found for name, found in missing.items() if found} == {}


def test_main_declarations_stand_in_columns(modules):
    found = {name: ragged(ast.get_docstring(tree) or "") for name, tree in modules.items()}
    assert {name: rows for name, rows in found.items() if rows} == {}


@pytest.mark.parametrize("package", [privpac, mechanisms], ids=lambda package: package.__name__)
def test_the_public_surface_has_examples(package):
    assert without_example(surface(package)) == []


def test_a_missing_docstring_is_seen():
    source = '"""Module."""\ndef f(): ...\nclass A: ...\ndef _g(): ...\ndef h():\n    """Here."""'
    assert undocumented(ast.parse(source)) == ["f", "A"]
    assert undocumented(ast.parse("x = 1")) == ["module"]


def test_a_ragged_list_is_seen():
    straight = "A file.\n\nMain declarations\n    Cut      a cut, which is\n             long\n    cuts     many\n"
    assert ragged(straight) == []
    assert ragged(straight.replace("cuts ", "all_cuts ")) == ["all_cuts"]


def test_a_missing_example_is_seen():
    def shown():
        """It runs.

        >>> 1 + 1
        2
        """

    def skipped():
        """It does not.

        >>> 1 + 1  # doctest: +SKIP
        2
        """

    class Told(list):
        """No example of its own."""

    assert without_example({"shown": shown, "skipped": skipped, "Told": Told, "value": 3}) == ["skipped", "Told"]
