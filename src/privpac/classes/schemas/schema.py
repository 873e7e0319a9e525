"""A schema: the columns of a table, its labels, and its units, declared once, in a file that people read and sign.

Everything in a schema is public and comes from people, never from records. Commands and Python read the same file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.hypothesis import Value
from privpac.classes.schemas.columns import KEYS, Column
from privpac.classes.schemas.mock_rows import both_sides, mock_rows
from privpac.classes.schemas.toml_lines import Toml, section_title, toml_value
from privpac.data.files.date_formats import DateFormat
from privpac.data.files.file_format import FileFormat
from privpac.data.files.private_files import write_new
from privpac.data.open_table import opened
from privpac.data.samples.label_conditions import Bound, LabelCondition
from privpac.data.samples.sample import MOST_LABELS
from privpac.refusals.absent_names import no_such_column
from privpac.refusals.option_words import InvalidRule, words_of
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["Column", "Label", "Schema", "Unit"]
REPORT_KEYS = ("title", "purpose", "owner")
FILE_KEYS = ("separator", "encoding", "decimal_comma")  # how files spell the table
KEYS_OF_TABLES = (*REPORT_KEYS, *FILE_KEYS, "on_invalid")
SECTIONS = (*KEYS_OF_TABLES, "label", "unit", "columns")
NUMBERS = ("integer", "decimal", "float64")  # kinds of columns that may have decimal commas
ADVICE = {  # for keys that a section lacks
    "column": 'name a column of the table, such as column = "late", or remove the section',
    "classes": 'name the two labels, the negative one first: classes = ["no", "yes"]; or all of them, for trees; or '
    'declare a condition: at_least = 5000, or one_of = ["A", "B"]',
    "max_records": "say how many records of each unit count, such as max_records = 3",
}


@dataclass(frozen=True)
class Label:
    """The column of labels, and the two labels, the negative one first; or more labels, for decision trees.

    Instead of ``classes``, a condition may decide between the labels no and yes: an entry is ``at_least`` a number or a
    date (in files, a date in this ``format``), or it is ``one_of`` some values. ``weights`` are the costs of errors.

    >>> Label("price", at_least=5000).classes.name
    'price ≥ 5000'
    """

    column: str
    classes: Sequence[Value] = ()
    description: str = ""
    weights: tuple[float, ...] | str | None = None
    at_least: Bound | None = None
    one_of: tuple[Value, ...] | None = None
    format: str | None = None

    def __post_init__(self) -> None:
        _check_name(self.column)
        if self.at_least is None and self.one_of is None:
            self._check_classes()
        elif self.classes:
            raise Refused("classes", "a condition names the labels no and yes itself; remove classes, or the condition")
        else:
            object.__setattr__(self, "classes", LabelCondition(self.column, self.at_least, self.one_of))
        self._check_weights()
        if self.format is not None:
            DateFormat(self.format)
            if not isinstance(self.at_least, date):
                raise Refused("format", "a label has a format only if it is a date: at_least = 2026-01-31")

    @property
    def condition(self) -> LabelCondition | None:
        """The condition that decides between the labels no and yes, if there is one."""
        return self.classes if isinstance(self.classes, LabelCondition) else None

    @property
    def name(self) -> str:
        """What is predicted: the column, or the condition on it."""
        return self.column if self.condition is None else self.condition.name

    def _check_classes(self) -> None:
        names = self.classes
        if not isinstance(names, list | tuple) or len(names) < 2 or tuple(names[1:]) == tuple(names[:1]):
            two = 'classes must be two different labels, the negative one first: ["no", "yes"]'
            raise Refused("classes", f'{two}; or more, for decision trees: ["red", "green", "blue"]')
        if not all(isinstance(name, str | int) for name in names):
            raise Refused("classes", "labels must be texts, whole numbers, or true and false")
        if len(set(names)) < len(names):
            raise Refused("classes", "classes must be different labels; name each of them once")
        if len(names) > MOST_LABELS:
            raise Refused("classes", f"classes must be at most {MOST_LABELS} labels; join rare labels into one")
        object.__setattr__(self, "classes", tuple(names))

    def _check_weights(self) -> None:
        if isinstance(self.weights, list):
            object.__setattr__(self, "weights", tuple(self.weights))
        costs = self.weights if isinstance(self.weights, tuple) else ()
        numbers = len(costs) == len(self.classes) and all(type(cost) in (int, float) and cost > 0 for cost in costs)
        if self.weights not in (None, "balanced") and not numbers:
            number = "a positive number for each label, weights = [1, 9]"
            raise Refused("weights", f'weights must be {number}, or "balanced"')


@dataclass(frozen=True)
class Unit:
    """The column that names each record's unit; up to ``max_records`` records of a unit count."""

    column: str
    max_records: int
    description: str = ""

    def __post_init__(self) -> None:
        _check_name(self.column)
        if type(self.max_records) is not int or self.max_records < 1:
            raise Refused("max_records", "max_records must be a whole number, at least 1")


@dataclass(frozen=True)
class Schema:
    """The declared columns of a table, and its labels and units if it has them.

    >>> schema = Schema.parse('''
    ... [label]
    ... column = "late"
    ... classes = ["no", "yes"]
    ... [columns.delay]
    ... kind = "integer"
    ... low = -60
    ... high = 1440
    ... [columns.carrier]
    ... kind = "category"
    ... values = ["EV", "UA"]
    ... ''')
    >>> [column.name for column in schema.columns], schema.label.classes
    (['delay', 'carrier'], ('no', 'yes'))
    >>> schema.trees(depth=1).size
    6010
    >>> schema.settings
    {'classes': ('no', 'yes')}
    """

    columns: tuple[Column, ...]
    label: Label | None = None
    unit: Unit | None = None
    title: str = ""  # title, purpose, and owner are for the report
    purpose: str = ""
    owner: str = ""
    separator: str | None = None  # separator, encoding, and decimal_comma say how files spell the table
    encoding: str | None = None
    decimal_comma: bool | None = None
    on_invalid: InvalidRule | None = None  # what happens to records that do not fit
    written: Toml | None = field(default=None, repr=False, compare=False)  # the text it was read from, if any

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if not names:
            raise self.refused((), "the schema declares no columns; add one, such as [columns.age]")
        if (name := next((name for i, name in enumerate(names) if name in names[:i]), None)) is not None:
            raise self.refused(("columns", name), f"the column {name!r} is declared twice; keep one of the two")
        if self.on_invalid not in (None, *words_of(InvalidRule)):
            rules = ", ".join(map(toml_value, words_of(InvalidRule)))
            raise self.refused(("on_invalid",), f"on_invalid must be one of {rules}")
        for role, section in (("label", self.label), ("unit", self.unit)):
            if section is not None and section.column in names:
                reason = f"the column {section.column!r} is the {role}, so rules must not read it; remove this section"
                raise self.refused(("columns", section.column), reason)
        for name in FILE_KEYS:
            try:
                FileFormat(**{name: getattr(self, name)})
            except Refused as error:
                raise self.refused((name,), str(error)) from None
        if self.label and self.unit and self.label.column == self.unit.column:
            raise self.refused(("unit", "column"), "the unit is also the label; name another column")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The schema in a file; Refused, with the line, if something in it is wrong."""
        try:
            text = Path(path).read_text("utf-8-sig")
        except UnicodeDecodeError:
            raise Refused("schema", f"{path} is not UTF-8 text; save it as UTF-8") from None
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, file: str = "") -> Self:
        """The schema in a text; ``file`` is its name in refusals."""
        toml = Toml(text, file)
        plain = toml.plain
        _check_keys(toml, (), plain, SECTIONS)
        for name in REPORT_KEYS:
            if not isinstance(plain.get(name, ""), str):
                raise toml.refused((name,), f'{name} must be a text, such as {name} = "…"')
        label, unit = (_section(toml, name, plain, kind) for name, kind in (("label", Label), ("unit", Unit)))
        tables = plain.get("columns", {})
        _check_table(toml, ("columns",), tables)
        columns = tuple(_column(toml, name, table) for name, table in tables.items())
        keys = {name: plain[name] for name in KEYS_OF_TABLES if name in plain}
        return cls(columns, label, unit, **keys, written=toml)

    @classmethod
    def suggest(cls, table: object, *, epsilon: object, unit: str | None = None, **terms: Any) -> Schema:
        """A schema of a table, measured privately: kinds, bounds, frequent values, and labels, at one price.

        ``table`` is a DataFrame, a dict of columns, an Ibis table, or the path of a file. ``y`` names the column of
        labels, ``columns`` the columns to look at, ``unit`` the column that names units, which are then protected as a
        whole. ``delta``, ``budget``, ``beta``, and ``random_state`` are as for a release. :meth:`to_toml` says what was
        measured, and with which certainty.

        >>> visits = {"age": [20, 35, 50, 70] * 500, "late": ["no", "no", "yes", "no"] * 500}
        >>> schema = Schema.suggest(visits, epsilon=4, delta=1e-6, y="late", random_state=1)
        >>> schema.label.classes, schema.column("age").low, schema.column("age").high
        (('no', 'yes'), 0, 200)
        """
        suggestions = import_module("privpac.release.suggestions.suggestion_request")  # a higher room
        return cast(Schema, suggestions.suggested_schema(table, epsilon=epsilon, unit=unit, **terms))

    def mock(self, rows: int) -> dict[str, list[Value]]:
        """Made-up rows that fit the schema, as a dict of columns: to try commands on, before anything is spent.

        No record is read; each value that may occur is as likely as any other. The same schema gives the same rows.

        >>> ages = Schema((Column("age", "integer", low=0, high=120),), Label("late", ("no", "yes")))
        >>> {name: values[:3] for name, values in ages.mock(1000).items()}
        {'late': ['no', 'no', 'yes'], 'age': [17, 97, 18]}
        """
        label = self.label
        labels = {label.column: both_sides(label.condition) if label.condition else label.classes} if label else {}
        return mock_rows(self.columns, rows, labels, {self.unit.column: self.unit.max_records} if self.unit else {})

    def to_toml(self) -> str:
        """The schema as text that :meth:`parse` reads; for a schema that was read from a text, that text."""
        if self.written and Schema.parse(self.written.text) == self:
            return self.written.text
        roles = [((role,), getattr(self, role)) for role in ("label", "unit")]
        sections = [*roles, *((("columns", column.name), column) for column in self.columns)]
        keys = {name: getattr(self, name) for name in KEYS_OF_TABLES}
        head = "".join(f"{key} = {toml_value(content)}\n" for key, content in keys.items() if content)
        texts = [section_text(path, section) for path, section in sections if section]
        return "\n".join([*([head] if head else []), *texts])

    def save(self, path: str | Path) -> None:
        """Write the schema to a file, which :meth:`read` and ``pp.load(path)`` read."""
        write_new(path, self.to_toml(), newline="\n")

    @property
    def files(self) -> FileFormat:
        """How files spell the table."""
        dates = {column.name: column.format for column in self.columns if column.format is not None}
        numbers = {column.name for column in self.columns if column.kind in NUMBERS}
        if self.label and self.label.at_least is not None:
            numbers.add(self.label.column)
            dates |= {} if self.label.format is None else {self.label.column: self.label.format}
        missing = {column.name: column.na for column in self.columns}
        return FileFormat(self.separator, self.encoding, self.decimal_comma, frozenset(numbers), dates, missing)

    def open(self, source: str | Path, table: str | None = None) -> ir.Table:
        """The table in a file or a database, as ``pp.open_table`` opens it, spelled as this schema declares."""
        return opened(source, table, self.files)

    def column(self, name: str) -> Column:
        """The declared column with this name."""
        columns = [column for column in self.columns if column.name == name]
        if not columns:
            known = (column.name for column in self.columns)
            raise Refused("name", no_such_column(name, known, has="the schema declares"))
        return columns[0]

    def trees(self, depth: int | str = 2) -> Trees:
        """All trees with at most ``depth`` tests on a path, over the columns with tests that can be listed.

        Open categories, text, and codes without declared values are left out: see ``testable``.
        """
        return Trees(*self.parts(), depth=depth)

    def auto(self) -> Auto:
        """Trees or scorecards over the same columns, whichever suits the number of records and ε."""
        return Auto(*self.parts())

    def scorecards(self, pairs: bool = False) -> Scorecards:
        """All scorecards over the columns that trees read; with ``pairs``, a line may join two tests."""
        return Scorecards(*self.parts(), pairs=pairs)

    def parts(self) -> tuple[ConceptClass, ...]:
        """The columns with tests that can be listed, as parts of a class."""
        if not self.testable:
            reason = "no column of the schema can be a test: declare bounds, or values, of at least one column"
            raise self.refused(("columns",), reason)
        return tuple(column.part for column in self.testable)

    @property
    def testable(self) -> tuple[Column, ...]:
        """The columns that trees read: those with bounds, and those with declared values."""
        return tuple(column for column in self.columns if column.testable)

    @property
    def settings(self) -> dict[str, Any]:
        """What else the schema says to a classifier: ``PrivateClassifier(schema.auto(), **schema.settings)``."""
        classes: dict[str, Any] = {"classes": self.label.classes} if self.label else {}
        if self.label and self.label.weights is not None:
            classes["class_weight"] = self.label.weights
        units = {"max_records": self.unit.max_records} if self.unit else {}
        return classes | units | ({"on_invalid": self.on_invalid} if self.on_invalid else {})

    def check_names(self, names: Iterable[str], read: Iterable[str] | None = None) -> None:
        """Refused if a table with these column names lacks a column of the schema.

        With ``read``, as for predictions, only these columns must be in the table; they must be declared.
        """
        # Pairs: the path of a key in the schema, and the column that it names.
        if read is not None:
            needed = [(("columns", name), self.column(name).name) for name in read]
        else:
            roles = [("label", self.label), ("unit", self.unit)]
            needed = [((role, "column"), section.column) for role, section in roles if section is not None]
            needed += [(("columns", column.name), column.name) for column in self.columns]
        present = set(names)
        if absent := [(path, name) for path, name in needed if name not in present]:
            path, first = absent[0]
            instead = "correct the names, or give the table that this schema describes"
            if len(absent) == 1:
                raise self.refused(path, no_such_column(first, instead=instead.replace("names", "name")))
            absent_names = ", ".join(repr(name) for _, name in absent)
            raise self.refused(path, f"the table has no columns {absent_names}; {instead}")

    def refused(self, path: tuple[str, ...], reason: str) -> Refused:
        """A refusal of the schema; if the schema was read from a text, with the line of this key."""
        return self.written.refused(path, reason) if self.written else Refused("schema", reason)


def section_text(path: tuple[str, ...], section: Label | Unit | Column) -> str:
    """A section with the keys that differ from their defaults."""
    keys = [key for key in fields(section) if key.name != "name" and getattr(section, key.name) != key.default]
    if isinstance(section, Label) and section.condition:
        keys = [key for key in keys if key.name != "classes"]  # the condition implies them
    lines = [f"{key.name} = {toml_value(getattr(section, key.name))}\n" for key in keys]
    return "".join([f"{section_title(*path)}\n", *lines])


def _section(toml: Toml, name: str, plain: dict[str, Any], kind: type[Any]) -> Any:
    """The label or the unit (``kind``) in the section of this name; None if there is no such section."""
    if name not in plain:
        return None
    _check_table(toml, (name,), plain[name])
    keys = [key.name for key in fields(kind)]
    _check_keys(toml, (name,), plain[name], keys)
    conditional = "at_least" in plain[name] or "one_of" in plain[name]
    if missing := [key for key in keys[: 1 if conditional else 2] if key not in plain[name]]:
        raise toml.refused((name,), f"{section_title(name)} needs {missing[0]}; {ADVICE[missing[0]]}")
    with toml.about(name):
        return kind(**plain[name])


def _column(toml: Toml, name: str, plain: Any) -> Column:
    """The column in the section of this name; ``plain`` is the content of that section."""
    path = ("columns", name)
    _check_table(toml, path, plain)
    _check_keys(toml, path, plain, [key.name for key in fields(Column) if key.name != "name"])
    if "kind" not in plain:
        raise toml.refused(path, f"{section_title(*path)} has no kind; add kind = one of {', '.join(KEYS)}")
    with toml.about(*path):
        return Column(name, **plain)


def _check_table(toml: Toml, path: tuple[str, ...], plain: object) -> None:
    if not isinstance(plain, dict):
        example = (*path, "age") if path == ("columns",) else path
        reason = f"{'.'.join(path)} must be a table; write {section_title(*example)} and its keys below it"
        raise toml.refused(path, reason)


def _check_keys(toml: Toml, path: tuple[str, ...], plain: dict[str, Any], known: Iterable[str]) -> None:
    if unknown := [key for key in plain if key not in known]:
        where = section_title(*path) if path else "a schema"
        raise toml.refused((*path, unknown[0]), f"{where} has no key {unknown[0]!r}; its keys are {', '.join(known)}")


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise Refused("column", 'column must be the name of a column, in quotes: column = "late"')
