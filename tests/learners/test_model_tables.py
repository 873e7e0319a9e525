"""Labels of tables in engines: a few rows at a time, or computed there, they are those of the same rows in memory."""

from datetime import date
from itertools import product

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.tree_orders.paths import HasPrefix, OnPath
from privpac.classes.values.points import OneOf
from privpac.classes.vectors.boxes import Box
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.paths import Paths
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from privpac.refusals.refusal import Refused
from tests.data.tables_in import table_in
from tests.learners.test_models_written_before import FILES, kept, table

WHOLE = [None, -(2**63), -61, -60, 36, 37, 38, 52, 1440, 1441, 2**53 + 1, 2**63 - 1]
FLOATS = [None, float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 0.3, 0.1 + 0.2, 37.0, 1e300, 5e-324]
TEXTS = [None, "", "EV", "ev", "EV ", "É", "E\u0301", "EVA", "E", "it's", "\\", "%", "\U0001f468x", "zzzzzzzz"]
DAYS = [None, date(1, 1, 1), date(2026, 1, 31), date(2026, 2, 1), date(9999, 12, 31)]
OTHER = {"whole": "BIGINT", "real": "DOUBLE PRECISION", "text": "TEXT", "day": "DATE"}
COLUMNS = {"whole": WHOLE, "real": FLOATS, "text": TEXTS, "day": DAYS}
EV = OneOf(frozenset(["EV", "it's"]))
LATE, FEW, CODE = ColumnRule(Threshold(37), "whole"), ColumnRule(Interval(36, 52), "whole"), ColumnRule(EV, "text")
BOTH = Columns(("whole", "text"), (Line(-60, 1440), Anything()))
ON_ONE = [
    (Threshold(37), Line(-60, 1440), "whole"),
    (Threshold(37, above=False), Line(-60, 1440), "whole"),
    (Interval(37, 52), Line(-60, 1440), "whole"),
    (Constant(True), Line(-60, 1440), "whole"),
    (OneOf(frozenset([37, 2**53 + 1, 2**70, "37"])), Anything(), "whole"),
    (OneOf(frozenset([36, 52])), Listing((36, 37, 52)), "whole"),
    (Box((37,), (None,)), Grid(-60, 1440, 1), "whole"),
    (Threshold(0.3), Line(0.0, 99.0, step=0.1), "real"),
    (Threshold(0.0, above=False), Line(-1.0, 1.0), "real"),
    (Interval(0.0, 0.3, half_open=True), Line(-5.0, 5.0), "real"),
    (Threshold(date(2026, 2, 1)), Line(date(2026, 1, 1), date(2026, 12, 31)), "day"),
    (Interval(date(1, 1, 1), date(2026, 1, 31)), Line(date(1, 1, 1), date(9999, 12, 31)), "day"),
    (OneOf(frozenset(["EV", "it's", 3])), Anything(), "text"),
    (OneOf(frozenset(["EV"])), Listing(("EV", "ev", "É")), "text"),
    (HasPrefix("E", None), Paths(None, height=2), "text"),
    (OnPath("EVA", None), Paths(None, height=3), "text"),
]
ON_TWO = [
    Composed("and", (False, False, False, True), (LATE, CODE)),
    Composed("or", (False, True, True, True), (LATE, CODE)),
    Composed("not", (True, False), (CODE,)),
    Composed("xor", (False, True, True, False), (FEW, CODE)),
    Split(LATE, Split(CODE, Constant(True), Constant(False)), Split(FEW, Constant(False), Constant(True))),
    Scorecard((LATE, CODE, FEW), (2, -1, 3), 2),
]


def model(rule, domain, feature, on_invalid):
    given = rule, domain, feature, ("no", "yes"), 10, "t", Certificate(Budget(1))
    return Model(*given, on_invalid=on_invalid)


def in_order(found):
    """The labels, by the numbers of the rows."""
    return [label for _, label in sorted(zip(found["row"].to_pylist(), found["predicted"].to_pylist(), strict=True))]


def rows_in(request, engine, names, rows):
    types = {"row": "INTEGER"} | {name: OTHER[name] for name in names}
    return table_in(request, engine, types, [(i, *row) for i, row in enumerate(rows)])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("on_invalid", ["raise", "clamp", "default"])
def test_an_engine_labels_each_value_as_python_does(request, engine, on_invalid):
    for name, values in COLUMNS.items():
        held = rows_in(request, engine, [name], [(value,) for value in values])
        for rule, domain, feature in ON_ONE:
            if feature != name:
                continue
            given = model(rule, domain, (feature,) if isinstance(domain, Grid) else feature, on_invalid)
            there = [i for i, value in enumerate(values) if value is not None or not isinstance(domain, Grid)]
            expected = given.predict({name: np.array([values[i] for i in there], dtype=object)}).tolist()
            found = in_order(given.in_engine(held).to_pyarrow())
            assert [found[i] for i in there] == expected, (rule, domain)
            if len(there) == len(values):
                read = [
                    label for rows in given.labeled(held) for label in zip(rows.columns[0], rows.labels, strict=True)
                ]
                assert [label for _, label in sorted(read)] == expected, (rule, domain)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("on_invalid", ["raise", "clamp", "default"])
def test_an_engine_joins_rules_as_python_does(request, engine, on_invalid):
    rows = list(product(WHOLE, TEXTS))
    held = rows_in(request, engine, ["whole", "text"], rows)
    columns = {name: list(column) for name, column in zip(("whole", "text"), zip(*rows, strict=True), strict=True)}
    for rule in ON_TWO:
        given = model(rule, BOTH, None, on_invalid)
        assert in_order(given.in_engine(held).to_pyarrow()) == given.predict(columns).tolist(), rule
        if engine == "duckdb" and on_invalid == "raise":
            found = held.get_backend().con.execute(f"SELECT {given.to_sql()} FROM t ORDER BY row").fetchall()
            assert [label for (label,) in found] == given.predict(columns).tolist(), rule


def test_collations_do_not_decide_what_a_rule_says(request):
    texts = ["EV", "ev", "eV", None]
    held = table_in(request, "duckdb", {"x": "VARCHAR COLLATE NOCASE"}, [(each,) for each in texts])
    for rule, domain in ((OneOf(frozenset(["EV"])), Anything()), (HasPrefix("E", None), Paths(None))):
        given = model(rule, domain, "x", "raise")
        expected = given.predict({"x": texts}).tolist()
        assert given.in_engine(held).to_pyarrow()["predicted"].to_pylist() == expected
        assert given.predict(held).tolist() == expected


@pytest.mark.parametrize("on_invalid", ["clamp", "default"])
def test_sums_do_not_overflow(request, on_invalid):
    rows = list(product([None, -(2**63), 0, 1, 99, 100, 2**63 - 1], repeat=2))
    held = table_in(request, "duckdb", {"a": "BIGINT", "b": "BIGINT"}, rows)
    given = model(HalfSpace((3, -2), 5), Grid(0, 99, 2), ("a", "b"), on_invalid)
    columns = {name: list(column) for name, column in zip("ab", zip(*rows, strict=True), strict=True)}
    expected = given.predict(columns).tolist()
    assert given.in_engine(held).to_pyarrow()["predicted"].to_pylist() == expected
    strict = model(HalfSpace((3, -2), 5), Grid(0, 99, 2), ("a", "b"), "raise")
    with pytest.raises(Refused, match="use predict"):
        strict.in_engine(held)  # a sum of two BIGINT may not fit


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_kind_of_model_labels_a_table_in_an_engine_as_in_memory(path, monkeypatch):
    """Where the rule has a form in the engine, there too."""
    monkeypatch.setattr("privpac.data.engines.batches.ROWS", 2)
    written, given = kept(path)
    for told in written["answers"]:
        X = table(told["table"])
        if told["predictions"] is None or not isinstance(X, dict):
            continue
        try:
            held = ibis.memtable(pa.table({str(name): pa.array(column) for name, column in X.items()}))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            continue  # no engine has such a column
        expected = table(told["predictions"])
        assert given.predict(held).tolist() == expected
        try:
            found = given.in_engine(held, "p")
        except Refused as refusal:
            assert "use predict" in str(refusal) or "no form" in str(refusal)
            continue
        assert found.to_pyarrow()["p"].to_pylist() == expected


def test_what_has_no_form_is_refused_before_anything_is_asked(request):
    texts = table_in(request, "duckdb", {"x": "TEXT"}, [("37",)])
    for rule, domain in ((Threshold(37), Line(0, 99)), (OneOf(frozenset(["1"])), Listing(("1", "2")))):
        with pytest.raises(Refused, match="use predict"):
            model(rule, domain, "x", "default").in_engine(texts)
    local = table_in(request, "sqlite", {"x": "INTEGER"}, [(37,)])
    late = model(Threshold(37), Line(0, 99), "x", "default")
    with pytest.raises(Refused, match="use predict"):
        late.in_engine(local)
    assert late.predict(local).tolist() == ["yes"]
    with pytest.raises(Refused, match="no column 'x'"):
        late.in_engine(table_in(request, "duckdb", {"z": "INTEGER"}, [(37,)]))


@pytest.mark.parametrize("classes", [("a\0b", "c"), ("\ud800", "c"), (2**70, 1), ((1, 2), (3, 4))])
def test_labels_that_no_engine_writes_are_refused(classes):
    rule = Model(Threshold(37), Line(0, 99), "x", classes, 10, "t", Certificate(Budget(1)))
    with pytest.raises(Refused, match="use predict"):
        rule.in_engine(ibis.memtable(pa.table({"x": [36]})))


def test_no_column_of_the_table_is_replaced():
    rule = Model(Threshold(37), Line(0, 99), "x", (0, 1), 10, "t", Certificate(Budget(1)))
    table = ibis.memtable(pa.table({"x": [36], "predicted": ["kept"]}))
    with pytest.raises(Refused, match="the table has a column 'predicted'"):
        rule.in_engine(table)
    assert rule.in_engine(table, "label").columns == ("x", "predicted", "label")
