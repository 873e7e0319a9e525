"""Values between two steps count as the lower one, exactly, in memory, in engines, and in exported rules."""

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privpac as pp
from privpac.classes.exports.python import to_python
from privpac.classes.exports.sql import to_sql
from privpac.classes.lines.rules import Threshold
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import FloatSteps, usual_step
from privpac.data.open_table import open_table

HOSTILE = [
    *(0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 0.1 + 0.2, 0.3, 0.29999999999999993, 0.1, 0.7, 1.1, 2.675, 149.95, 150.0),
    *(math.nextafter(k / 10, end) for k in (-3, 0, 1, 3, 7, 29, 1000, 1499, 1500) for end in (-math.inf, math.inf)),
    *(k / 10 for k in range(-30, 30)),
    *(1e308, -1e308, math.inf, -math.inf, 1e22, -7.3),
]


@given(st.integers(-(10**6), 10**6), st.sampled_from(["0.1", "0.001", "0.05", "3", "250", "0.7"]), st.integers(-2, 2))
def test_the_number_of_a_float_is_that_of_the_largest_cut_up_to_it(k, step, away):
    steps = FloatSteps(Decimal(step), 1e9)
    x = steps.value(k)
    for _ in range(abs(away)):
        x = math.nextafter(x, math.copysign(math.inf, away))
    (number,) = steps.numbers(np.array([x])).tolist()
    assert number == k - (away < 0)
    assert steps.value(number) <= x < steps.value(number + 1)


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=20), st.sampled_from(["0.1", "0.3", "1E-7", "12.5"]))
def test_floats_are_counted_alike_one_by_one(values, step):
    steps = FloatSteps(Decimal(step), 1000.0)
    assert steps.fast
    assert steps.numbers(np.array(values)).tolist() == [steps._number(value) for value in values]


def test_steps_that_floats_cannot_hold_are_counted_one_by_one():
    line = Line(0.0, 1e-20, step=Decimal("1E-25"))
    assert not line._floats.fast
    assert line.size == 10**5 + 1
    assert line.encode([3e-25, math.nextafter(3e-25, 0), 1e-20]).tolist() == [3, 2, 10**5]


@pytest.mark.parametrize(
    ("low", "high", "step", "size"),
    [
        (0.0, 150.0, "0.1", 1501),
        (-1.0, 1.0, "0.001", 2001),
        (0.0, 9.99, "0.001", 9991),
        (0.5, 0.75, "0.0001", 2501),
        (-1e6, 1e6, "1E+3", 2001),
        (0.0, 1e12, "1E+9", 1001),
    ],
)
def test_floats_have_four_digits_of_their_width(low, high, step, size):
    line = pp.Thresholds(low, high, direction="above").domain
    assert (line.step, line.size) == (Decimal(step), size)
    assert pp.Thresholds(low, high, step="finest", direction="above").domain == Line(low, high)
    assert pp.Intervals(low, high).domain == line


def test_other_lines_without_a_step():
    assert pp.Thresholds(kind="float64", direction="above").domain.step is None  # no width
    assert pp.Thresholds(0, kind="float64", direction="above").domain.step is None
    assert pp.Thresholds(1e15, 1e15 + 1, direction="above").domain.step is None  # floats are farther apart
    assert pp.Thresholds(0, 99, direction="above").domain == Line(0, 99)
    assert pp.Thresholds(Decimal("0.00"), Decimal("9.99"), direction="above").domain == Line(
        Decimal("0.00"), Decimal("9.99")
    )
    assert pp.Thresholds(date(2026, 1, 1), date(2026, 2, 1), direction="above").domain.size == 32
    assert pp.Thresholds(datetime(2026, 1, 1), datetime(2026, 1, 2), direction="above").domain.size == 24 * 60 + 1
    hours = np.datetime64("2026-01-01T00", "h"), np.datetime64("2026-01-02T00", "h")
    assert pp.Thresholds(*hours, direction="above").domain.size == 25
    assert usual_step(np.datetime64(0, "ns"), np.datetime64(9, "ns"), "datetime64[ns]") == timedelta(minutes=1)


def test_the_step_decides_the_kind_only_between_integers():
    assert Line(0, 9, step=Decimal("0.1")).kind == "decimal"
    assert Line(0, 9, step=0.1).kind == Line(0, 9.5, step=Decimal("0.1")).kind == Line(0.0, 9, step=1).kind == "float"
    assert Line(0, Decimal("9.5"), step=0.1).kind == "decimal"


def test_bounds_between_two_steps_bound_the_values():
    line = Line(0.37, 9.21, step=0.1)
    assert line.encode([0.37, 0.39, 0.4, 9.21]).tolist() == [0, 0, 1, 89]
    assert (line.decode(0), line.decode(1), line.decode(89)) == (0.37, 0.4, 9.2)
    ages = Line(18, 90, step=5)
    assert (ages.size, ages.decode(0), ages.decode(1)) == (16, 18, 20)
    for outside in (0.36, 9.22):
        with pytest.raises(ValueError, match="outside low"):
            line.encode([outside])
    with pytest.raises(ValueError, match="outside low"):
        ages.encode([17])


@pytest.mark.parametrize(
    ("line", "values", "numbers"),
    [
        (Line(0, 100, step=5), [0, 4, 5, 37, 37.5, Decimal("4.9"), 100], [0, 0, 1, 7, 7, 0, 20]),
        (Line(0, 100, step=5), np.array([4, 5, 37], dtype=np.int8), [0, 1, 7]),
        (Line(-100, 100, step=5), np.array([-1, 0, 4.5]), [19, 20, 20]),
        (Line(0, 2**64 - 1, step=2**40), np.array([2**64 - 1, 5], dtype=np.uint64), [2**24 - 1, 0]),
        (Line(Decimal(0), Decimal(9), step=Decimal("0.25")), [Decimal("0.249999"), 0.25, 3], [0, 1, 12]),
        (Line(0, 9, step=Decimal("0.1")), [0.3, Decimal("0.29"), Fraction(1, 3)], [3, 2, 3]),
        (Line(0, 9, step=0.1), [0.3, Decimal("0.3")], [3, 3]),
        (
            Line(date(2026, 1, 1), date(2026, 12, 31), step=timedelta(days=7)),
            [date(2026, 1, 1), date(2026, 1, 8)],
            [0, 1],
        ),
        (
            Line(datetime(2026, 1, 1), datetime(2026, 1, 2), step=timedelta(minutes=15)),
            np.array(["2026-01-01T00:14:59.999999", "2026-01-01T00:15", "2026-01-01T23:59"], "M8[us]"),
            [0, 1, 95],
        ),
    ],
)
def test_values_between_two_steps_count_as_the_lower_one(line, values, numbers):
    assert line.encode(values).tolist() == numbers
    assert [line.encode([value]).tolist()[0] for value in values] == numbers
    assert all(line.encode([line.decode(number)]).tolist() == [number] for number in numbers)


@pytest.mark.parametrize(
    ("bounds", "step"),
    [
        ((0, 9), -1),
        ((0, 9), 0),
        ((0.0, 9.0), math.inf),
        ((0.0, 9.0), math.nan),
        ((0.0, 9.0), "coarse"),
        ((0.0, 1e300), 0.1),
        ((0.0, 9.0), Decimal("1E-999999999")),
        ((Decimal(0), Decimal(9)), Decimal("1E-1001")),
        ((Decimal(0), Decimal(9)), Decimal("sNaN")),
        (("a", "b"), 1),
        ((0, 9), True),
        ((0, 9), timedelta(1)),
        ((date(2026, 1, 1), date(2026, 1, 9)), 1),
        ((date(2026, 1, 1), date(2026, 1, 9)), timedelta(hours=5)),
        ((date(2026, 1, 1), date(2026, 1, 9)), timedelta(0)),
    ],
)
def test_steps_that_do_not_suit_the_line(bounds, step):
    with pytest.raises((TypeError, ValueError), match="step"):
        pp.Thresholds(*bounds, step=step, direction="above")


@pytest.mark.parametrize(
    ("low", "high", "step", "values"),
    [
        (0.0, 1.7e308, 1e308, [0.0, 1e308]),
        (-1.7e308, 1.7e308, 1e308, [-1.7e308, -1e308, 0.0, 1e308]),
        (0.0, 1.0, 10**400, [0.0]),
        (0.0, 1.0, Decimal("1E+999"), [0.0]),
        (0, 10, 10**400, [0]),
        (Decimal(0), Decimal(1), 10**400, [Decimal(0)]),
    ],
)
def test_steps_beyond_the_largest_float(low, high, step, values):
    line = pp.Thresholds(low, high, step=step, direction="above").domain
    assert [line.decode(i) for i in range(line.size)] == values
    assert line.encode([low, high, *values]).tolist() == [0, line.size - 1, *range(line.size)]


def rules(low, high, step):
    """Cuts and intervals of a class, at its own numbers."""
    cuts, intervals = pp.Thresholds(low, high, step=step, direction="either"), pp.Intervals(low, high, step=step)
    size = cuts.domain.size
    places = sorted({1, 2, 3, 7, size // 2, size - 2, size - 1} & set(range(1, size)))
    return [
        *(
            (cuts.at(t, above), lambda k, t=t, above=above: (k >= t) == above)
            for t in places
            for above in (True, False)
        ),
        *((intervals.at(i, j), lambda k, i=i, j=j: i <= k <= j) for i in places for j in places if i <= j),
    ]


@pytest.mark.parametrize(
    ("low", "high", "step"), [(0, 150, 0.1), (-3.0, 3.0, None), (-1.5, 200.25, 0.7), (0, 150, 5.0)]
)
def test_a_rule_its_codes_and_its_exports_agree_on_hostile_floats(low, high, step):
    line = pp.Thresholds(low, high, step=step, direction="above").domain
    inside = [x for x in HOSTILE if line.low <= x <= line.high]
    numbers = line.encode(inside).tolist()
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT UNNEST(?::DOUBLE[]) AS x", [HOSTILE])
    for rule, says in rules(low, high, step):
        assert rule(inside).tolist() == rule(np.array(inside)).tolist() == [says(k) for k in numbers], rule
        names: dict = {}
        exec(to_python(rule), names)
        labels = rule(np.array(HOSTILE)).tolist()
        assert [names["rule"](x) for x in HOSTILE] == labels
        found = con.execute(f"SELECT x, {to_sql(rule, ['x'])} FROM t").fetchall()
        assert {repr(x): bool(label) for x, label in found} == {
            repr(x): label for x, label in zip(HOSTILE, labels, strict=True)
        }
        assert not rule([math.nan, None]).any()


def test_cuts_are_printed_with_the_digits_of_the_step():
    assert str(pp.Thresholds(-1.0, 1.0, direction="above").hypothesis(0.5)) == "x ≥ 0.500"
    assert str(pp.Thresholds(-15.0, 15.0, direction="below").hypothesis(5.820766091346741e-11)) == "x < 0.00"
    assert str(pp.Thresholds(-2, 2, step=0.5, direction="above").hypothesis(-1.4999752044677734)) == "x ≥ −1.5"
    assert str(pp.Thresholds(0, 1e6, step=1e3, direction="above").hypothesis(123456.0)) == "x ≥ 123000"
    assert str(pp.Intervals(0.0, 1.0).hypothesis(0.25, 0.5)) == "0.250 ≤ x < 0.501"
    assert str(pp.Intervals(0.0, 1.0).hypothesis(0.25, 1.0)) == "0.250 ≤ x ≤ 1.000"
    moment = datetime(2021, 2, 28, 0, 2, 0, 922112)
    assert str(pp.Thresholds(kind="datetime", direction="above").hypothesis(moment)) == "x ≥ 2021-02-28 00:02"
    assert (
        str(pp.Thresholds(date(2021, 1, 1), date(2021, 12, 31), direction="above").hypothesis(moment.date()))
        == "x ≥ 2021-02-28"
    )


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_no_cut_of_the_usual_step_has_more_than_five_digits(a, b):
    low, high = sorted((a, b))
    line = pp.Thresholds(low, high, direction="above").domain
    if line.step is not None and line.size > 2 and max(abs(low), abs(high)) < 10 * (high - low):
        text = (
            str(pp.Thresholds(low, high, direction="above").at(line.size // 2)).removeprefix("x ≥ ").removeprefix("−")
        )
        assert len(text.replace(".", "").lstrip("0")) <= 5


def test_rules_and_models_with_steps_come_back():
    for rule in (
        pp.Thresholds(0, 150, step=0.1, direction="above").hypothesis(37.2),
        pp.Intervals(0.0, 1.0).hypothesis(0.25, 0.5),
    ):
        again = pp.Hypothesis.from_json(rule.to_json())
        assert (again, str(again)) == (rule, str(rule))
    X, y = {"delay": [i / 10 for i in range(1000)]}, [i >= 372 for i in range(1000)]
    clf = pp.PrivateClassifier(pp.Thresholds(0, 150, step=0.1, direction="above"), feature="delay", epsilon=50).fit(
        X, y
    )
    model = pp.model_of(clf)
    again = pp.Model.from_json(model.to_json())
    assert again == model
    assert again.domain.step == Decimal("0.1")
    assert str(again) == str(model)
    assert again.predict({"delay": HOSTILE[:-6]}).tolist() == model.predict({"delay": HOSTILE[:-6]}).tolist()


def labels_of(kind, values):
    """The rule "x is at least the value with number 3", asked of a column as a table of DuckDB, and in memory."""
    rule = pp.Thresholds(0, 150, step=0.1, direction="above").at(3)
    con = ibis.duckdb.connect()
    con.raw_sql(f"CREATE TABLE t AS SELECT CAST(UNNEST({values!r}) AS {kind}) AS x")
    model = pp.Model(
        rule,
        pp.Thresholds(0, 150, step=0.1, direction="above").domain,
        "x",
        (0, 1),
        9,
        "-",
        pp.Certificate(pp.Budget(1)),
    )
    return model.predict(con.table("t")).tolist()


def test_columns_of_decimals_in_an_engine_are_read_as_floats_are():
    values = ["0.29", "0.30", "0.31", "1.1"]
    assert labels_of("DECIMAL(9, 2)", values) == labels_of("DOUBLE", values) == [0, 1, 1, 1]


def test_numbers_between_integers_are_refused_with_a_step_to_type():
    for column in ([1, 2.5], np.array([1, 2.5]), pd.Series([1, 2.5]), [Decimal("2.5")]):
        with pytest.raises(TypeError, match=r"say how finely they count: step=0\.1"):
            pp.Thresholds(0, 9, direction="above").encode(column)
        assert pp.Thresholds(0, 9, step=0.1, direction="above").encode(column).tolist()[-1] == 25
        assert pp.Thresholds(0, 9, step=1, direction="above").encode(column).tolist()[-1] == 2


@pytest.mark.parametrize("start", ["Widowed", "T", "Z", "a"])
@pytest.mark.parametrize("rest", ["\x00\U000e4e0f", "\U000e4e0f\x00", "\U0010ffff", "\x1f"])
def test_cuts_of_text_separate_readable_texts_as_they_read(start, rest):
    rule = Threshold(start + rest)
    x, sign, text = str(rule).split()
    texts = [
        "",
        "A",
        "T",
        "Ta",
        "U",
        "Widow",
        "Widowed",
        "Widowedx",
        "Widowee",
        "X",
        "Z",
        "Zz",
        "[",
        "a",
        "az",
        "b",
        "\u9fa5",
    ]
    read = {
        "≥": lambda value: value >= text,
        ">": lambda value: value > text.rstrip("…") and not ("…" in text and value.startswith(text.rstrip("…"))),
    }[sign]
    assert rule(texts).tolist() == [read(value) for value in texts]
    assert (x, text.isprintable()) == ("x", True)
    assert str(rule.opposite).split()[1] == {"≥": "<", ">": "≤"}[sign]


@pytest.mark.slow
@pytest.mark.parametrize("on_invalid", ["clamp", "default"])
@pytest.mark.parametrize(
    "rule", [pp.Thresholds(0, 150, step=0.1, direction="above").at(3), pp.Intervals(0, 150, step=0.1).at(3, 6)]
)
def test_hostile_floats_are_read_alike_everywhere(rule, on_invalid, tmp_path):
    values = [*HOSTILE, math.nan]
    line, paid = Line(0, 150, step=0.1), pp.Certificate(pp.Budget(1))
    model = pp.Model(rule, line, "x", (0, 1), 9, "-", paid, on_invalid=on_invalid)
    con = ibis.duckdb.connect()
    con.con.execute("CREATE TABLE t AS SELECT UNNEST(?::DOUBLE[]) AS x", [values])
    (tmp_path / "t.csv").write_text("x\n" + "\n".join(map(repr, values)) + "\n")
    tables = [
        {"x": np.array(values)},
        {"x": values},
        pd.DataFrame({"x": values}),
        pl.DataFrame({"x": values}),
        {"x": [Decimal(repr(value)) for value in values]},
        open_table(tmp_path / "t.csv"),
        con.table("t"),
    ]
    found = [model.predict(table).tolist() for table in tables]
    assert all(labels == found[0] for labels in found)
    assert [model.misfits(table) for table in tables] == [model.misfits(tables[0])] * len(tables)
    inside = [0 <= value <= 150 for value in values]
    assert [labels for labels, there in zip(found[0], inside, strict=True) if there] == rule(
        [value for value, there in zip(values, inside, strict=True) if there]
    ).astype(int).tolist()
