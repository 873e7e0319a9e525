"""Tables of every kind become the same sealed sample, and what does not fit follows the public rule."""

import math
import sys
from datetime import date
from itertools import pairwise

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone

import privpac as pp
from privpac.classes.lines.rules import Threshold
from privpac.data.counting.crosstabs import CellsInEngine
from privpac.data.domains.line import Line
from privpac.data.domains.on_invalid import spelled_columns
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota
from privpac.learners import PrivateClassifier
from privpac.refusals.refusal import Setting
from privpac.requests.input_checks import column_key
from privpac.requests.labels import predicted
from privpac.requests.reading import Reading
from tests.learners.readers import gathered, read
from tests.sentinels import SECRET

AGES, LATE, WHO = [5, 70, 33, 70, 12], [0, 1, 0, 1, 1], ["ann", "bob", "ann", "cyn", "ann"]
TABLE = {"age": AGES, "late": LATE, "who": WHO}
KINDS = {
    "pandas": pd.DataFrame(TABLE),
    "polars": pl.DataFrame(TABLE),
    "pyarrow": pa.table(TABLE),
    "dict": TABLE,
    "mappings": [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)],
}
COLUMNS = {
    "list": AGES,
    "array": np.array(AGES),
    "objects": np.array(AGES, dtype=object),
    "pandas": pd.Series(AGES, index=list("abcde")),
    "polars": pl.Series(AGES),
    "pyarrow": pa.array(AGES),
    "chunks": pa.chunked_array([AGES]),
}
RULES = ("raise", "clamp", "default")


def sample(X, y, unit=None, slots=1, cls=None, **parameters):
    learner = PrivateClassifier(cls or pp.Thresholds(0, 100, direction="above"), random_state=3, **parameters)
    return learner, gathered(learner, X, y, unit, slots)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
def test_tables_of_every_kind_read_alike(table, rule):
    learner, found = sample(table, "late", feature="age", on_invalid=rule)
    assert found.points.tolist() == AGES
    assert found.labels.tolist() == [bool(label) for label in LATE]
    assert found.size == 5
    values, fits = read(learner, table)
    assert list(values) == AGES and (fits is None if rule == "raise" else fits.all())


@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_one_row_among_values_does_not_change_how_the_others_are_read(rule):
    """A list is taken apart value by value, whether or not some of them are rows."""
    reading = PrivateClassifier(pp.Thresholds(0, 100, direction="above"), feature=0, on_invalid=rule)._reading(
        Line(0, 100), None, None
    )
    for X in ([37, 52, 9], [(37,), 52, 9], [37, 52, [9]]):
        assert reading.table(X) is X
        assert list(reading._columns(X, reading.table(X))) == [37, 52, 9]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_every_kind_read_alike(column, rule):
    assert sample(column, LATE, feature=None, on_invalid=rule)[1].points.tolist() == AGES


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("labels", [LATE, np.array(LATE), np.array(LATE, dtype=bool), pd.Series(LATE), pl.Series(LATE)])
def test_labels_of_every_kind_read_alike(labels, rule):
    assert sample(np.array(AGES)[:, None], labels, on_invalid=rule)[1].labels.tolist() == [
        False,
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("rows", [[(age, who) for age, who in zip(AGES, WHO, strict=True)], [[age, 1] for age in AGES]])
@pytest.mark.parametrize("rule", RULES)
def test_rows_are_read_by_position(rows, rule):
    assert sample(rows, LATE, feature=0, on_invalid=rule)[1].points.tolist() == AGES


def test_label_and_unit_are_no_features():
    learner, _ = sample(KINDS["pandas"], "late", "who", 2, feature=0)
    assert learner.feature_names_in_.tolist() == ["age"]
    without = pd.DataFrame({"age": AGES})
    assert read(learner, without)[0].tolist() == read(learner, KINDS["pandas"])[0].tolist() == AGES


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
def test_units_have_slots(table, rule):
    found = sample(table, "late", "who", 2, feature="age", on_invalid=rule)[1]
    assert found.size == 2 * 3
    assert len(found.points) == 2 + 1 + 1
    assert sample(table, "late", WHO, 2, feature="age", on_invalid=rule)[1].points.tolist() == found.points.tolist()


def unlabeled(X, rule="raise", quota=None, beside=(), feature="age"):
    reading = Reading(pp.Thresholds(0, 100, direction="above").domain, feature, rule, beside)
    return reading.gathered(X, reading.table(X), None, quota, None).sample


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
def test_records_without_labels_are_all_positive(table, rule):
    found = unlabeled(table, rule)
    assert (found.points.tolist(), found.labels.tolist(), found.counts, found.size) == (AGES, [True] * 5, None, 5)
    assert found.tally().ones.tolist() == [1, 1, 1, 2]


def test_records_without_labels_may_be_void():
    found = unlabeled([5, None, 300, "x", 70], "default", feature=None)
    assert (found.points.tolist(), found.labels.tolist(), found.size) == ([5, 70], [True, True], 5)
    assert found.values.tolist() == [5, 70]
    with pytest.raises(ValueError, match="there are no records"):
        unlabeled([], feature=None)


@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
def test_units_have_slots_without_labels(table):
    for who in ("who", WHO):
        found = unlabeled(table, quota=Quota(who, 2, "4f"), beside=("who",))
        assert (len(found.points), found.size) == (2 + 1 + 1, 2 * 3)
    with pytest.raises(ValueError, match="not as many units as records"):
        unlabeled(table, quota=Quota(WHO[:4], 2, "4f"))


def test_records_may_stay_in_an_engine():
    reading = Reading(pp.Thresholds(0, 100, direction="above").domain, "age", "clamp", ("who",))
    assert reading.in_engine(ibis.memtable(KINDS["pyarrow"]), Quota("who", 2, "4f"), CellsInEngine).size == 2 * 3
    for table, quota, error, told in [
        (KINDS["pyarrow"], Quota(WHO, 2, "4f"), TypeError, "names of its columns"),
        (KINDS["pyarrow"][:0], None, ValueError, "there are no records"),
        (KINDS["pyarrow"].select(["late"]), None, ValueError, "no column 'age'"),
    ]:
        with pytest.raises(error, match=told) as refused:
            reading.in_engine(ibis.memtable(table), quota, CellsInEngine)
        assert refused.value.parameter in ("unit", "X", "feature")


@pytest.mark.parametrize("rule", RULES)
def test_a_classifier_needs_labels(rule):
    for table in (KINDS["pandas"], ibis.memtable(KINDS["pyarrow"])):
        with pytest.raises(ValueError, match="requires y to be passed"):
            sample(table, None, feature="age", on_invalid=rule)


@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_vectors_and_pairs_of_units(rule):
    grid = sample(
        np.array([[1, 2], [3, 9], [4, 5]]), [0, 1, 1], ["a", "a", "a"], 2, pp.Rectangles(0, 9, dim=2), on_invalid=rule
    )[1]
    assert (grid.points.shape, grid.size) == ((2, 2), 2)
    spider = sample([("x", 1), ("y", 2), ("x", 3)], [0, 1, 1], ["a", "b", "a"], 1, pp.Spider(bits=4), on_invalid=rule)[
        1
    ]
    assert (len(spider.points), spider.size) == (2, 2)


HOSTILE = [5, None, math.nan, math.inf, 1000, -3, "old", [5], {}, (5,), 7.5, True]


@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_no_record_stops_the_others(rule):
    n = len(HOSTILE)
    labels = [1, *[None, 2, "x", [1], {}], *[1] * (n - 6)]
    learner, found = sample(HOSTILE, labels, feature=None, on_invalid=rule)
    assert found.size == n
    assert len(found.points) == len(found.labels) <= n - 5
    values, fits = read(learner, HOSTILE)
    labels = predicted(Threshold(3), ("no", "yes"), [(values, fits)])
    assert len(labels) == n
    assert labels[:2].tolist() == ["yes", "no"]


def test_a_float_column_with_missing_values():
    column = np.array([[5.0], [np.nan], [np.inf], [-np.inf], [7.5]])
    assert sample(column, [1] * 5, on_invalid="clamp")[1].points.tolist() == [5, 100, 0, 7]
    assert sample(column, [1] * 5, on_invalid="default")[1].points.tolist() == [5]
    with pytest.raises(ValueError, match="NaN"):
        sample(column, [1] * 5)


@pytest.mark.parametrize("table", ["pandas", "polars", "pyarrow", "dict", "mappings"])
def test_void_labels_and_values_together(table):
    ages, late = [5, 500, None, 33, 12], [0, 1, 1, 7, None]
    tables = {
        "pandas": lambda d: pd.DataFrame(d, dtype=object),
        "polars": pl.DataFrame,
        "pyarrow": pa.table,
        "dict": dict,
        "mappings": lambda d: [{"age": a, "late": b} for a, b in zip(*d.values(), strict=True)],
    }
    given = tables[table]({"age": ages, "late": late})
    found = sample(given, "late", feature="age", on_invalid="clamp")[1]
    assert (found.points.tolist(), found.labels.tolist(), found.size) == ([5, 100], [False, True], 5)
    found = sample(given, "late", feature="age", on_invalid="default")[1]
    assert (found.points.tolist(), found.labels.tolist(), found.size) == ([5], [False], 5)


def test_what_becomes_of_a_record_depends_on_it_alone():
    """Replacing one record changes at most one entry of the sample."""
    records = [(value, label) for value in HOSTILE for label in (0, 1, None, 5)]

    def entries(rows):
        found = sample([x for x, _ in rows], [y for _, y in rows], feature=None, on_invalid="clamp")[1]
        return sorted(zip(found.points.tolist(), found.labels.tolist(), strict=True))

    others = [(3, 0), (9, 1), (200, 1)]
    base = entries(others)
    for record, _ in pairwise([*records, None]):
        more = entries([*others, record])
        for entry in base:
            more.remove(entry)
        assert len(more) <= 1


DAYS = date(2026, 1, 1), date(2026, 12, 31)


@pytest.mark.parametrize(
    ("X", "y", "parameters", "match"),
    [
        (TABLE, "late", {"feature": "aeg"}, "no column 'aeg'; its columns are age, who"),
        (TABLE, "lat", {"feature": "age"}, "no column 'lat'; its columns are age, late, who"),
        (TABLE, "age", {"feature": "age"}, "column 'age' holds the labels or the units"),
        (TABLE, "late", {"feature": True}, "name or the position"),
        (TABLE, ["x", 1, 0, 0, "x"], {"feature": "age", "classes": None}, "labels have several types"),
        (TABLE, [1, 0, 0, 0, "yes"], {"feature": "age"}, "case, spaces, and type matter"),
        (pl.DataFrame(TABLE).lazy(), "late", {"feature": "age"}, r"X\.collect\(\)"),
        (pd.DataFrame([[1, 2, 0]], columns=["a", "a", "late"]), "late", {}, "have the same name"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), [1], {}, "have the same name"),
        (iter([[SECRET]]), [1], {}, "read only once"),
        ([SECRET, {}], [0, 1], {"feature": None, "cls": pp.Points()}, "must be text, numbers, dates"),
        ([SECRET, (1, [{}])], [0, 1], {"feature": None, "cls": pp.Points()}, "must be text, numbers, dates"),
        (np.array([[SECRET + 1j]]), [1], {}, "Complex data not supported"),
        (np.array([[5]]), np.array([SECRET + 1j]), {}, "Complex data not supported"),
        (np.array(SECRET), [1], {}, "is a single value"),
        ([5], np.array(SECRET), {"feature": None}, "is a single value"),
        (np.ma.array([[5], [SECRET]], mask=[[0], [1]]), [0, 1], {}, "X has a mask"),
        ([5, 6], np.ma.array([0, 1], mask=[0, 1]), {"feature": None}, "y has a mask"),
        (np.array([[np.nan]]), [1], {}, "NaN or inf.*on_invalid='default'"),
        (TABLE | {"age": [*AGES[:4], SECRET]}, "late", {"feature": "age"}, "column 'age': some .*on_invalid='clamp'"),
        (
            TABLE,
            "late",
            {"cls": pp.Thresholds(0, 10, direction="above").on("age")},
            "column 'age': some .*whole numbers like 37",
        ),
        (
            {"day": ["2026-11-15"]},
            [1],
            {"feature": "day", "cls": pp.Thresholds(*DAYS, direction="above")},
            r"parse text first, or let schema.open\(file\) read it",
        ),
        (
            {"dose": ["14,6"]},
            [1],
            {"feature": "dose", "cls": pp.Thresholds(0.0, 9.0)},
            r"parse text first, or let schema.open\(file\) read it",
        ),
        (TABLE, "who", {"feature": "age"}, "neither of the two declared classes 0 and 1"),
        (TABLE, "who", {"feature": "age", "classes": None}, "Only binary classification"),
        (TABLE, LATE[:-1], {"feature": "age"}, "5 and 4"),
        (TABLE, "late", {"feature": None}, "reads one column"),
        (TABLE, "late", {"feature": ["age", "who"]}, "reads one column"),
        (TABLE, "late", {"feature": "age", "classes": (1, 1)}, "two different labels"),
        (TABLE, "late", {"feature": "age", "on_invalid": "drop"}, "raise, clamp, default"),
        (TABLE, None, {"feature": "age"}, "requires y"),
        (np.array(AGES), LATE, {}, "Reshape your data"),
        (np.zeros((5, 2)), LATE, {"feature": 2}, "2 columns"),
        ([], [], {"feature": None}, "no records"),
        ([SECRET], [1], {"feature": None}, "outside low … high"),
        ([5], [SECRET], {"feature": None}, "neither of the two declared classes"),
        ([[5], [5, SECRET]], [0, 1], {}, "differ in length"),
        ([(SECRET, 1)], [1], {"cls": pp.HalfPlanes(9)}, "^some points lie off the grid"),
        ([("EV", SECRET)], [1], {"cls": pp.Spider(9)}, r"^some entries of the second column .* 0 … 2\^9 − 1; .* bits"),
        ([5], sparse.csr_array([[SECRET]]), {"feature": None}, r"y\.toarray\(\)"),
        ({"age": np.array(SECRET)}, [1], {"feature": "age", "on_invalid": "clamp"}, "column 'age' must be one-dim"),
    ],
)
def test_refusals_say_what_to_do(X, y, parameters, match):
    with pytest.raises((ValueError, TypeError), match=match) as refusal:
        sample(X, y, **parameters)
    assert str(SECRET) not in str(refusal.value)


def test_vectors_need_their_columns():
    with pytest.raises(ValueError, match="reads 2 columns"):
        sample(TABLE, LATE, cls=pp.Rectangles(0, 9, dim=2))
    table = {"a": [1, 2], "b": [3, 4], "y": [0, 1]}
    found = sample(table, "y", cls=pp.Rectangles(0, 9, dim=2), feature=["b", "a"])[1]
    assert found.points.tolist() == [[3, 1], [4, 2]]


def test_a_unit_with_a_mask_is_refused():
    with pytest.raises(TypeError, match="unit has a mask"):
        sample(TABLE, "late", np.ma.array(range(5), mask=[0, 0, 1, 1, 0]), 2, feature="age")


@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_cells_that_cannot_be_compared_are_void(rule):
    found = sample(["a", {}, [{}], "b"], [0, 1, 1, 1], feature=None, cls=pp.Points(), on_invalid=rule)[1]
    assert (found.points.tolist(), found.size) == (["a", "b"], 4)


@pytest.mark.parametrize("feature", [np.int64(0), np.uint8(0), (np.int64(0),)])
def test_positions_may_be_numbers_of_numpy(feature):
    vectors = pp.Rectangles(0, 100, dim=1) if isinstance(feature, tuple) else None
    for table in (KINDS["pandas"], np.array([AGES, LATE]).T):
        assert sample(table, LATE, feature=feature, cls=vectors)[1].points.ravel().tolist() == AGES


@pytest.mark.parametrize("ages", [np.array(AGES, dtype=float), [float(age) for age in AGES], pd.Series(AGES) * 1.0])
def test_whole_floats_are_integers(ages):
    assert sample({"age": ages}, LATE, feature="age")[1].points.tolist() == AGES
    with pytest.raises(TypeError, match="values must be integers"):
        sample({"age": np.array([5, 70, 33, 70, 12.5])}, LATE, feature="age")


def test_what_was_fitted_to_columns_by_name_reads_any_table_that_has_them():
    """Warnings are errors here: nobody is told of names that a fit has not seen."""
    ages, late = {"age": [1, 2, 7, 8] * 50, "who": ["a"] * 200}, [0, 0, 1, 1] * 50
    clf = PrivateClassifier(pp.Thresholds(0, 9, direction="above"), epsilon=50, feature="age").fit(ages, late)
    assert clf.predict(pd.DataFrame({"age": [0, 9]})).tolist() == [0, 1]
    other = clone(clf).fit(pd.DataFrame({"age": ages["age"]}), late).fit({"who": [1] * 200, **ages}, late)
    assert not hasattr(other, "feature_names_in_")
    assert other.predict(pd.DataFrame({"who": ["b"], "age": [9]})).tolist() == [1]


PLAIN = {
    "integers": ([37, 5, 70, 12], pp.Thresholds(0, 120, direction="above")),
    "text": (["EV", "UA", "B6", "DL"], pp.Points()),
    "spelled": (np.array(["37", "5", "70", "12"], dtype=object), pp.Thresholds(0, 120, direction="above")),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_columns_call_no_function_for_each_record(kind):
    column, concept_class = PLAIN[kind]

    def calls(copies):
        met = []
        values = np.concatenate([column] * copies) if isinstance(column, np.ndarray) else column * copies
        sys.setprofile(lambda frame, event, _: met.append(frame.f_code.co_name) if event == "call" else None)
        try:
            values = spelled_columns(concept_class.domain, [values]) if isinstance(values, np.ndarray) else values
            gathered(PrivateClassifier(concept_class, feature="x"), {"x": values}, [0, 1, 0, 1] * copies)
        finally:
            sys.setprofile(None)
        return len(met)

    calls(1)  # what is derived once
    assert calls(50) == calls(5)


def test_positions_are_integers():
    assert type(column_key(np.int8(3))) is int
    for odd in (True, np.False_):
        with pytest.raises(TypeError, match="not True or False"):
            column_key(odd)


def test_a_rule_that_reads_columns_by_name_needs_no_others():
    table = pd.DataFrame({"id": range(60), "age": range(60), "late": [0, 1] * 30})
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="age").fit(table, "late")
    assert clf.predict(table[["age"]]).tolist() == clf.predict(table).tolist()
    both = pp.And(pp.Thresholds(0, 99, direction="above").on("age"), pp.Thresholds(0, 99, direction="above").on("id"))
    clf = pp.PrivateClassifier(both).fit(table.assign(other=1), "late")
    assert clf.predict(table[["id", "age"]]).tolist() == clf.predict(table.assign(other=1)).tolist()
    with pytest.raises(ValueError, match="no column 'age'"):
        clf.predict(table[["id"]])


def test_one_of_several_columns_must_be_named():
    ages, late = pp.Thresholds(0, 99, direction="above"), [0, 1] * 30
    table = {"age": list(range(60)), "id": list(range(60))}
    named = r"X has 2 columns \((age, id|0, 1)\), and the rule reads one; name it: feature=('age'|0)$"
    for X in (table, pd.DataFrame(table), pl.DataFrame(table), pa.table(table), np.array(list(table.values())).T):
        with pytest.raises(ValueError, match=named):
            pp.PrivateClassifier(ages).fit(X, late)
    with pytest.raises(ValueError, match=r"X has 2 columns \(age, id\)"):
        pp.PrivateClassifier(ages).fit(ibis.memtable(pa.table(table | {"late": late})), "late")
    assert pp.PrivateClassifier(ages, feature=0).fit(pd.DataFrame(table), late).n_features_in_ == 2
    for X in ({"age": table["age"]}, table["age"], [[age] for age in table["age"]]):
        assert len(pp.PrivateClassifier(ages).fit(X, late).predict(X)) == 60
    assert pp.PrivateClassifier(ages).fit(pd.DataFrame({"age": range(60), "late": late}), "late").feature_names_in_ == [
        "age"
    ]


def test_names_that_may_be_a_record_are_not_shown(tmp_path):
    (tmp_path / "visits.csv").write_text("83,J10,yes\n" + "40,K21,no\n" * 9)  # the first line names no columns
    with pytest.raises(ValueError, match=r"X has 3 columns, and the rule reads one; name it: feature=name$"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above")).fit(open_table(tmp_path / "visits.csv"), "late")


def test_a_refused_column_of_several_is_named_once_and_its_settings_stay_settings():
    both = pp.And(pp.Thresholds(0, 9, direction="above").on("age"), pp.Points().on("job"))
    clf, labels = pp.PrivateClassifier(both, epsilon=1, delta=1e-6), [0, 1] * 25
    with pytest.raises(ValueError, match=r"^column 'job' must be one-dimensional"):
        clf.fit({"age": [1] * 50, "job": [["nurse", "clerk"]] * 50}, labels)
    with pytest.raises(TypeError, match=r"^column 'age': values must be integers") as refused:
        clf.fit({"age": [1.5] * 50, "job": ["nurse"] * 50}, labels)
    assert Setting.to("step", 0.1) in refused.value.sentence.parts


def test_a_refusal_says_how_to_declare_missing_entries_and_a_missing_column_is_only_named():
    ages = pp.Trees(pp.Thresholds(0, 120).on("age"), depth=1)
    with pytest.raises(ValueError, match="a column whose entries may be absent is declared with missing = true"):
        pp.PrivateClassifier(ages).fit({"age": [37.0, None]}, [0, 1])
    with pytest.raises(ValueError, match=r"the table has no column 'age'; its columns are aeg; did you mean 'aeg'\?$"):
        pp.PrivateClassifier(ages).fit({"aeg": [37.0, 2.0]}, [0, 1])


@pytest.mark.parametrize(
    ("low", "high", "way"),
    [
        (0.0, 9.0, r"if the file writes 1\.234,5, say decimal_comma=True in open_table; otherwise, declare"),
        (date(2026, 1, 1), date(2026, 12, 31), r'declare that in a schema: format = "%d/%m/%Y"; otherwise, declare'),
    ],
)
def test_a_refusal_of_unreadable_values_begins_with_the_spelling_of_files(low, high, way, tmp_path):
    (tmp_path / "visits.csv").write_text("at;late\n" + f"{SECRET}.01.26;no\n" * 10)
    learner = pp.PrivateClassifier(pp.Thresholds(low, high), feature="at", classes=("no", "yes"))
    words = r"for a column of words, choose the class points; or say on_invalid='default'"
    clamp = "on_invalid='clamp', which first moves values beyond the bounds to the nearest one"
    with pytest.raises(ValueError, match=f"{way} bounds that cover every possible value; {words}.*{clamp}") as refusal:
        learner.fit(open_table(tmp_path / "visits.csv", separator=";"), "late")
    assert str(SECRET) not in str(refusal.value)
