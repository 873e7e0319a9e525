"""A table of 0 and 1 that people paste or draw: a line is a concept, a column is a point."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.finite.matrix_files import read_json, read_table
from privpac.refusals.refusal import Refused, Setting

CELL = re.compile(r"[0-9]{1,5}\.[0-9]{1,5}")


@dataclass(frozen=True)
class TypedTable:
    """Concepts as texts of 0 and 1; names that nobody typed are x1, x2 … and c1, c2 …

    >>> TypedTable.read("J10,J11\\n1,0").typed_points, TypedTable.read("01\\n11").points
    (('J10', 'J11'), ('x1', 'x2'))
    """

    rows: tuple[str, ...]
    typed_points: tuple[str, ...] = ()
    typed_concepts: tuple[str, ...] = ()
    most_rows: ClassVar[int] = 16  # a larger table is not drawn
    most_points: ClassVar[int] = 12

    @staticmethod
    def read(text: str, field: str = "table") -> TypedTable:
        """A table with or without commas, names, and spaces, or as JSON; Refused if it is anything else."""
        rows = tuple(line.replace(" ", "").replace(",", "").strip() for line in text.splitlines() if line.strip())
        if rows and not any(set(row) - {"0", "1"} for row in rows):
            if len({len(row) for row in rows}) > 1:
                problem = " has lines of different lengths; every line has one label per point"
                raise Refused(field, Setting(field), problem)
            return TypedTable(rows)
        if not rows or not set(text) & set(',"{'):
            raise Refused(field, Setting(field), " must hold only 0 and 1, such as 0011")
        try:
            is_json = text.lstrip().startswith("{")
            matrix, points, concepts = read_json(text) if is_json else read_table(text, "the table")
        except ValueError as error:
            raise Refused(field, str(error)) from None
        lines = tuple("".join("01"[int(label)] for label in row) for row in matrix)
        if not lines or not lines[0]:
            raise Refused(field, Setting(field), " needs a line of 0 and 1 for each concept, below the names")
        return TypedTable(lines, tuple(map(str, points or ())), tuple(map(str, concepts or ())))

    @property
    def points(self) -> tuple[str, ...]:
        return self.typed_points or tuple(f"x{j + 1}" for j in range(len(self.rows[0])))

    @property
    def concepts(self) -> tuple[str, ...]:
        return self.typed_concepts or tuple(f"c{i + 1}" for i in range(len(self.rows)))

    @property
    def drawable(self) -> bool:
        """Whether the table is small enough to draw."""
        return len(self.rows) <= self.most_rows and len(self.points) <= self.most_points

    def concept_class(self, field: str = "table") -> ExplicitClass:
        """The class; Refused if a name occurs twice."""
        try:
            labels = [[label == "1" for label in row] for row in self.rows]
            return ExplicitClass(labels, points=self.points, concepts=self.concepts)
        except ValueError as error:
            raise Refused(field, str(error)) from None

    @property
    def text(self) -> str:
        """The table as people can type it: with commas if it has names, or as JSON if commas would be misread."""
        if not self.typed_points:
            return "\n".join(self.rows)
        text = self._with_commas()
        if _reads_as(text, self):
            return text
        content = {"points": self.typed_points, "concepts": self.typed_concepts, "matrix": self.rows}
        return json.dumps(content, ensure_ascii=False)

    def _with_commas(self) -> str:
        lines = [list(self.typed_points), *(list(row) for row in self.rows)]
        if self.typed_concepts or len(self.points) == 1:  # a single point has no comma
            lines = [[name, *line] for name, line in zip(("concept", *self.concepts), lines, strict=True)]
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows(lines)
        return file.getvalue().rstrip("\n")

    def with_flip(self, i: int, j: int) -> TypedTable:
        row = self.rows[i]
        new_row = f"{row[:j]}{'0' if row[j] == '1' else '1'}{row[j + 1 :]}"
        return replace(self, rows=(*self.rows[:i], new_row, *self.rows[i + 1 :]))

    def with_concept(self) -> TypedTable:
        names = (*self.typed_concepts, _new_name("c", self.typed_concepts)) if self.typed_concepts else ()
        return replace(self, rows=(*self.rows, "0" * len(self.rows[0])), typed_concepts=names)

    def without_concept(self) -> TypedTable:
        fewer = replace(self, rows=self.rows[:-1], typed_concepts=self.typed_concepts[:-1])
        return fewer if fewer.rows else self

    def with_point(self) -> TypedTable:
        names = (*self.typed_points, _new_name("x", self.typed_points)) if self.typed_points else ()
        return replace(self, rows=tuple(f"{row}0" for row in self.rows), typed_points=names)

    def without_point(self) -> TypedTable:
        fewer = replace(self, rows=tuple(row[:-1] for row in self.rows), typed_points=self.typed_points[:-1])
        return fewer if fewer.rows[0] else self


def _reads_as(text: str, table: TypedTable) -> bool:
    """Whether the text is read as this table. It may not be if a point is called "0" or "concept"."""
    try:
        read = TypedTable.read(text)
    except Refused:
        return False
    return (read.rows, read.points, read.concepts) == (table.rows, table.points, table.concepts)


def _new_name(letter: str, taken: tuple[str, ...]) -> str:
    """A name that is not taken: the letter and a number."""
    return next(name for k in range(len(taken) + 1, 2 * len(taken) + 2) if (name := f"{letter}{k}") not in taken)


CHANGES: dict[str, Callable[[TypedTable], TypedTable]] = {  # the buttons below the table
    "add line": TypedTable.with_concept,
    "drop line": TypedTable.without_concept,
    "add point": TypedTable.with_point,
    "drop point": TypedTable.without_point,
}


def after_click(text: str, button: str) -> str:
    """The table after a click on a cell (``"2.0"``: line 2, column 0), or on a button that adds or drops something.

    >>> after_click("01\\n11", "1.0"), after_click("01\\n11", "add line"), after_click("01\\n11", "drop point")
    ('01\\n01', '01\\n11\\n00', '0\\n1')
    >>> after_click("J,K\\n0,1", "add point")
    'J,K,x3\\n0,1,0'
    """
    line, _, column = button.partition(".")
    cell = (int(line), int(column)) if CELL.fullmatch(button) else None
    if cell is None and button not in CHANGES:
        return text
    try:
        table = TypedTable.read(text)
    except Refused:  # the page says why
        return text
    if cell is None:
        return CHANGES[button](table).text
    inside = cell[0] < len(table.rows) and cell[1] < len(table.points)
    return table.with_flip(*cell).text if inside else text
