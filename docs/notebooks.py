"""A notebook as a page: its cells run in order and in one namespace, and the page shows what came out.

It runs without Jupyter, so a notebook here holds Markdown and plain Python, without magics.

Main declarations
    run_notebook    the page as Markdown, with the printed text, the pictures, and the last value of each cell
"""

import ast
import json
from contextlib import redirect_stdout
from io import StringIO
from typing import Any


def run_notebook(text: str, name: str) -> str:
    """Run the cells of a notebook, given as JSON; an error in a cell is raised."""
    names: dict[str, object] = {"__name__": name}
    return "\n\n".join(_page(cell["cell_type"], "".join(cell["source"]), names) for cell in json.loads(text)["cells"])


def _page(kind: str, source: str, names: dict[str, object]) -> str:
    if kind == "markdown":
        return source
    printed = StringIO()
    with redirect_stdout(printed):
        value = _run(source, names)
    parts = [_block("python", source), _block("text", printed.getvalue()), _shown(value)]
    return "\n\n".join(filter(None, parts))


def _run(source: str, names: dict[str, object]) -> object:
    """The value of the last line, if that is an expression and not silenced by a semicolon."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and not source.rstrip().endswith(";") else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def _shown(value: Any) -> str:
    """What a notebook would show of a value."""
    if value is None:
        return ""
    if hasattr(type(value), "_repr_mimebundle_"):
        return _block("{raw} html", value._repr_mimebundle_()["text/html"])
    if hasattr(type(value), "_repr_html_"):
        return _block("{raw} html", value._repr_html_())
    return _block("text", repr(value))


def _block(kind: str, text: str) -> str:
    return f"~~~~{kind}\n{text.rstrip()}\n~~~~" if text else ""
