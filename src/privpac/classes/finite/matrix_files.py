"""Explicit classes in files: CSV tables of 0 and 1, and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.plain_values import Plain, from_plain, parse, to_plain

MATRIX_TRUTH = {"0": False, "1": True, "false": False, "true": True}


class NamedMatrix(NamedTuple):
    """The labels, a row for each concept, and the names of points and concepts; None if they have no names."""

    labels: NDArray[np.bool_]
    points: Sequence[Hashable] | None
    concepts: Sequence[Hashable] | None


def read_table(text: str, name: str) -> NamedMatrix:
    """The class in a text, as :meth:`ExplicitClass.from_csv` describes it; refusals call the text ``name``.

    >>> read_table("concept,a,b\\nc,0,1", "the table")
    NamedMatrix(labels=array([[False,  True]]), points=['a', 'b'], concepts=['c'])
    """
    try:
        cells = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(text, newline=""), strict=True)]
    except csv.Error as error:
        raise ValueError(f"{name} is not a CSV file: {error}") from None
    lines = [line for line in cells if any(line)]
    if not lines:
        raise ValueError(f"{name} is empty; expected a line of point names, then a line of 0 and 1 for each concept")
    points = None if {cell.lower() for cell in lines[0]} <= set(MATRIX_TRUTH) else lines.pop(0)
    width = len(points if points is not None else lines[0])
    if any(len(line) != width for line in lines):
        raise ValueError(f"the lines of {name} differ in length; every line needs a cell for each point")
    concepts = None
    if points is not None and points[0].lower() in {"", "concept"}:
        points, concepts, lines = points[1:], [line[0] for line in lines], [line[1:] for line in lines]
    return NamedMatrix(_matrix(lines, width - (concepts is not None), f"cells of {name}"), points, concepts)


def read_json(text: str) -> NamedMatrix:
    """The matrix and the names in what :func:`write_json` wrote."""
    plain = parse(text)
    if not isinstance(plain, dict) or set(plain) != {"points", "concepts", "matrix"}:
        raise ValueError("this JSON is not a concept class; expected an object with points, concepts and matrix")
    if not all(isinstance(part, list) for part in plain.values()):
        raise ValueError("points, concepts and matrix must be lists")
    if not all(isinstance(row, str) for row in plain["matrix"]):
        raise ValueError("the rows of the matrix must be strings of 0 and 1")
    points, concepts = ([from_plain(name) for name in plain[key]] for key in ("points", "concepts"))
    if any(len(row) != len(points) for row in plain["matrix"]):
        raise ValueError("every row of the matrix needs a 0 or 1 for each point")
    return NamedMatrix(_matrix(plain["matrix"], len(points), "entries of the matrix"), points, concepts)


def write_json(matrix: NDArray[np.bool_], points: Sequence[Hashable], concepts: Sequence[Hashable]) -> str:
    """JSON with points, concepts and the rows of the matrix, as strings of 0 and 1.

    >>> write_json(np.array([[False, True]]), "ab", ["c"])
    '{"points": ["a", "b"], "concepts": ["c"], "matrix": ["01"]}'
    """
    rows = ["".join("01"[bit] for bit in row) for row in matrix.astype(int)]
    names = {"points": _plain_names(points), "concepts": _plain_names(concepts)}
    return json.dumps(names | {"matrix": rows}, ensure_ascii=False)


def _plain_names(names: Sequence[Hashable]) -> list[Plain]:
    """The names in JSON types: a hypothesis is its sentence, or its JSON where others have the same sentence."""
    occurrences = Counter(str(name) for name in names if isinstance(name, (Hypothesis, str)))

    def plain(name: Hashable) -> Plain:
        if not isinstance(name, Hypothesis):
            return to_plain(name)
        return str(name) if occurrences[str(name)] == 1 else name.to_json()

    return list(map(plain, names))


def _matrix(rows: Sequence[Sequence[str]], width: int, what: str) -> NDArray[np.bool_]:
    """The labels in rows of cells; ``what`` is what a refusal calls the cells."""
    wrong = next(((i, cell) for i, row in enumerate(rows, 1) for cell in row if cell.lower() not in MATRIX_TRUTH), None)
    if wrong is not None:
        number, cell = wrong
        first = f"first {cell[:20]!r} in the labels of concept {number}"
        hint = "separate cells with commas, and give a column of names the heading concept"
        raise ValueError(f"some {what} are neither 0/1 nor false/true, {first}; {hint}")
    labels = [[MATRIX_TRUTH[cell.lower()] for cell in row] for row in rows]
    return np.array(labels, dtype=bool).reshape(len(rows), width)
