"""No record takes more than a public amount of work: what is too long is known by its length, and not read.

Time is not measured here, work is counted: how many characters are copied, split, hashed, or read as digits.
"""

import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.domains import code_lists
from privpac.data.domains import line as fitting
from privpac.data.domains.anything import Anything
from privpac.data.domains.code_lists import ALWAYS_READ, CodeLists
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.on_invalid import valid
from privpac.data.domains.paths import MOST_STEPS, Paths, PathsFromEnd
from privpac.data.files import csv_files as csv_lines
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota, slots_of
from privpac.data.values.allowed_types import DIGITS, LONGEST, exact, too_long
from privpac.data.values.columns import objects, python_values
from privpac.data.values.equal_values import canonical
from privpac.learners.classifier import PrivateClassifier
from tests.data.tables_in import ENGINES, table_in
from tests.learners.readers import gathered

LENIENT = ("clamp", "default")


class Counting(str):
    """A text that counts the characters that are taken from it; its length is free."""

    __slots__ = ()
    taken = 0

    def _count(self):
        Counting.taken += str.__len__(self)

    def __str__(self):
        self._count()
        return str.__str__(self)

    def __hash__(self):
        self._count()
        return str.__hash__(self)

    def __eq__(self, other):
        self._count()
        return str.__eq__(self, other)

    def split(self, *given):
        self._count()
        return str.split(self, *given)

    def encode(self, *given):
        self._count()
        return str.encode(self, *given)

    def __getitem__(self, place):
        self._count()
        return str.__getitem__(self, place)


def doubled(depth):
    """A tuple of 2^depth entries, in little memory."""
    value = (1,)
    for _ in range(depth):
        value = (value, value)
    return value


TOO_LONG = {
    "text": "x" * (LONGEST + 1),
    "text of two bytes a character": "ü" * (LONGEST // 2 + 1),
    "bytes": b"x" * (LONGEST + 1),
    "decimal": Decimal("1" * 3000),
    "decimal places": Decimal("0." + "1" * 3000),
    "numerator": Fraction(10**DIGITS, 3),
    "denominator": Fraction(1, 3**5000),
    "tuple": tuple(range(300)),
    "texts in a tuple": ("x" * 6000, "y" * 6000),
    "tuples in tuples": doubled(28),
    "array": np.zeros((20, 20)),
    "set": frozenset(range(300)),
}
LONG = {
    "text": "x" * LONGEST,
    "text of two bytes a character": "ü" * (LONGEST // 2),
    "bytes": b"x" * LONGEST,
    "decimal": Decimal("1" * DIGITS),
    "fraction": Fraction(10**DIGITS - 1, 7),
    "tuple": tuple(range(250)),
    "texts in a tuple": ("x" * 4000, "y" * 4000),
}


def test_refusals_name_the_public_numbers():
    assert (LONGEST, DIGITS, MOST_STEPS) == (10_000, 2_000, 1_024)


@pytest.mark.parametrize("name", TOO_LONG)
def test_what_is_too_long_is_not_listed(name):
    with pytest.raises(TypeError, match="at most"):
        exact(TOO_LONG[name])
    for rule in LENIENT:
        found, fits = valid(Anything(), objects(["EV", TOO_LONG[name], "UA"]), rule)
        assert (found.tolist(), fits.tolist()) == (["EV", "UA"], [True, False, True])


@pytest.mark.parametrize("name", LONG)
def test_what_is_just_short_enough_is_read_as_ever(name):
    assert canonical(LONG[name]) == LONG[name]
    found, fits = valid(Anything(), objects([LONG[name]]), "default")
    assert fits.tolist() == [True] and found[0] == LONG[name]


def test_integers_without_bounds_have_a_most_number_of_digits():
    assert canonical(10**DIGITS - 1) == 10**DIGITS - 1
    for large in (10**DIGITS, -(10**DIGITS), 10 ** (10**5)):
        with pytest.raises(TypeError, match="at most 2,000 digits"):
            canonical(large)
        assert valid(Anything(), objects([large, 3]), "clamp")[1].tolist() == [False, True]


def test_half_characters_have_a_length():
    assert not too_long("\ud800" * (LONGEST // 3)) and too_long("\ud800" * (LONGEST // 3 + 1))


@pytest.mark.parametrize(
    "domain", [Anything(), Listing(("EV", "UA")), Paths(None, 3), CodeLists(";", 3), Line("a", "z")], ids=str
)
@pytest.mark.parametrize("rule", LENIENT)
def test_a_long_text_is_never_looked_into(domain, rule, monkeypatch):
    monkeypatch.setattr(Counting, "taken", 0)
    values, fits = valid(domain, objects(["EV", Counting("e;" * 10**5)]), rule)
    assert (len(values), Counting.taken, fits[1]) == (fits.sum(), 0, False)


@pytest.mark.parametrize("rule", LENIENT)
def test_a_cell_of_many_codes_is_split_a_public_number_of_times(rule, monkeypatch):
    handed = []
    read = code_lists.codes_in
    monkeypatch.setattr(code_lists, "codes_in", lambda text, by: handed.append(text.count(by)) or read(text, by))
    cells = [
        "J10;I25",
        ";".join("a" for _ in range(ALWAYS_READ)),
        ";".join("b" for _ in range(ALWAYS_READ + 1)),
        ";" * 9000,
    ]
    found, fits = valid(CodeLists(";", 3), objects(cells), rule)
    assert fits.tolist() == [True, True, rule == "clamp", rule == "clamp"]
    if rule == "clamp":
        assert max(handed) < ALWAYS_READ
    codes = CodeLists(";", 3).encode(found).tolist()
    assert codes == [("I25", "J10"), ("a",), *([("b",), ()] if rule == "clamp" else [])]


def test_a_cell_of_many_codes_is_refused():
    assert len(CodeLists(";", 400).encode([";".join(map(str, range(400)))])[0]) == 400  # which is declared
    with pytest.raises(ValueError, match="list more than 250 codes"):
        CodeLists(";", 3).encode(["a" + ";a" * ALWAYS_READ])
    clf = PrivateClassifier(pp.HasAny(1, 2), feature=None, classes=(0, 1))
    with pytest.raises(ValueError, match="list more than 250 codes"):
        clf.fit(["a" + ";a" * ALWAYS_READ, "a"], [1, 0])


@pytest.mark.parametrize("paths", [Paths(None), PathsFromEnd(None), Paths("/")], ids=str)
def test_paths_without_a_height_have_a_most_number_of_steps(paths):
    deep = "a/" * (MOST_STEPS + 1) if paths.separator else "a" * (MOST_STEPS + 1)
    with pytest.raises(ValueError, match="deeper than 1,024 steps; declare a height"):
        paths.encode([deep])
    assert valid(paths, objects([deep, "a"]), "default")[1].tolist() == [False, True]
    cut, fits = valid(paths, objects([deep, "a"]), "clamp")
    assert fits.all() and [len(each) for each in paths.encode(cut)] == [MOST_STEPS, 1]
    assert len(type(paths)(paths.separator, 2000).encode([deep])[0]) == MOST_STEPS + 1  # which is declared


@pytest.mark.parametrize(
    "line", [Line(0, 9), Line(0, 2**64 - 1), Line(0, 2**70), Line(0.0, 9.0), Line(Decimal(0), Decimal("9.5"))], ids=str
)
def test_an_integer_beyond_the_bounds_is_known_by_its_size(line, monkeypatch):
    handed = []
    read = fitting._fitted_value
    monkeypatch.setattr(fitting, "_fitted_value", lambda line, value: handed.append(value) or read(line, value))
    large = 10 ** (10**5)
    values = objects([large, -large, 3])
    assert valid(line, values, "default")[1].tolist() == [False, False, True]
    found, fits = valid(line, values, "clamp")
    assert fits.all() and found.tolist() == [line.high, line.low, 3]
    assert all(sys.getsizeof(each) < 400 for each in handed)


def test_one_record_does_not_change_how_the_others_are_read(monkeypatch):
    """Only the value that is not a plain integer is read by itself."""
    handed = []
    read = fitting._fitted_value
    monkeypatch.setattr(fitting, "_fitted_value", lambda line, value: handed.append(value) or read(line, value))
    for odd, counts in ((3.5, 3), (Decimal(4), 4), (2**70, 9), (None, None), ("x", None), (np.int64(5), 5)):
        handed.clear()
        found, fits = valid(Line(0, 9), objects([1, odd, *range(8)] * 3), "clamp")
        assert len(handed) <= 3  # of 30
        rest = [1, *([] if counts is None else [counts]), *range(8)] * 3
        assert (found.tolist(), fits.tolist()) == (rest, [True, counts is not None, *[True] * 8] * 3)


def test_entries_that_python_cannot_hold_slow_down_few_others():
    days = pa.array([*range(10**4), 10_000_000, *range(10**4)], pa.int32()).view(pa.date32())
    alone = []
    read = pa.Array.__getitem__

    class WatchedColumn:
        def __len__(self):
            return len(days)

        def to_pylist(self):
            return days.to_pylist()

        def __getitem__(self, place):
            alone.append(place)
            return read(days, place)

    found = python_values(WatchedColumn())
    assert [i for i, each in enumerate(found) if each is None] == [10**4]
    assert sum(isinstance(place, int) for place in alone) <= 64


def test_of_a_long_line_little_is_handed_on(tmp_path, monkeypatch):
    handed, read = [], csv_lines._lines
    monkeypatch.setattr(csv_lines, "_lines", lambda block, *most: handed.append(len(block)) or read(block, *most))
    for long in (10**5, 3 * 10**6):
        handed.clear()
        (tmp_path / "t.csv").write_bytes(b"who,late\nann,1\n" + b'"' * long + b"\nbob,0\n")
        assert group_counts(open_table(tmp_path / "t.csv"), ["who"], "late", rule="default").n == 3
        assert sum(handed) < 2 * csv_lines.LONGEST_LINE


@pytest.mark.parametrize("rule", LENIENT)
def test_long_names_of_units_are_no_names(rule):
    """Units are not cut, which would make one of several: their records do not count."""
    units = objects(["x" * LONGEST + "a", "x" * LONGEST + "b", "ann", "x" * LONGEST])
    rows, n = slots_of(Quota(units, 2, "4f"), [np.arange(4)], rule)
    assert (rows.tolist(), n) == ([2, 3], 4)
    with pytest.raises(ValueError, match="some records have no unit"):
        slots_of(Quota(units, 2, "4f"), [np.arange(4)], "raise")


TEXTS = ["EV", "x" * LONGEST, "x" * (LONGEST + 1), "x" * (LONGEST + 1), "ü" * 5000, "ü" * 5001, None]


TYPES = {"spark": "STRING", "clickhouse": "String", "mariadb": "TEXT CHARACTER SET utf8mb4"}


def texts_in(request, engine, columns):
    """A table of texts in a file or an engine."""
    rows, folder = list(zip(*columns.values(), strict=True)), request.getfixturevalue("tmp_path")
    if engine == "csv":
        lines = [",".join(columns), *(",".join(each or "" for each in row) for row in rows)]
        (folder / "t.csv").write_text("\n".join(lines), "utf-8")
        return open_table(folder / "t.csv")
    if engine == "parquet":
        pq.write_table(pa.table(columns), folder / "t.parquet")
        return open_table(folder / "t.parquet")
    return table_in(request, engine, dict.fromkeys(columns, TYPES.get(engine, "TEXT")), rows)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["csv", "parquet", *ENGINES])
def test_engines_and_memory_agree_on_what_is_too_long(request, engine):
    """As values, as labels, as units; other records are counted as ever."""
    columns = {"who": TEXTS, "y": ["1"] * len(TEXTS), "u": [*TEXTS[:-1], "ann"]}
    table, short = texts_in(request, engine, columns), sorted([TEXTS[0], TEXTS[1], TEXTS[4]])
    clf = PrivateClassifier(pp.Points(), feature="who", on_invalid="default", classes=("0", "1"))
    here, there = (gathered(clf, each, "y") for each in (columns, table))
    assert here.size == there.size == len(TEXTS)
    assert sorted(here.points.tolist()) == sorted(there.points.tolist()) == short
    found = group_counts(table, ["who"], "y", Quota("u", 2, "4f"), "default")
    assert (found.n, sorted(found.columns[0].tolist())) == (2 * 4, short)
    labels = group_counts(table, ["y"], "who", rule="default")
    assert (labels.n, labels.counts.sum()) == (len(TEXTS), 3)
    with pytest.raises(ValueError, match=r"no value in column 'who'.*more than 10,000 bytes"):
        group_counts(table, ["who"], "y")
