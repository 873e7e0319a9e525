"""What is handed over is looked at before scikit-learn sees it."""

from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import sparse

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.engines.duckdb_rows import FIRST_POLARS
from privpac.data.engines.views import is_table
from privpac.data.samples.units import Quota
from privpac.requests.input_checks import check_readable, fetch_query, finite
from tests.learners.readers import gathered
from tests.sentinels import SECRET


@pytest.mark.parametrize("values", [[SECRET], np.array([SECRET]), {"age": [SECRET]}, pl.DataFrame({"age": [1]})])
def test_records_are_handed_on_as_they_are(values):
    assert check_readable(values, "X") is values


@pytest.mark.parametrize(
    ("values", "match"),
    [
        (np.ma.array([SECRET], mask=[True]), "X has a mask"),
        (np.ma.array([[SECRET]]), "X has a mask"),
        (iter([SECRET]), "X can be read only once"),
        ((x for x in [SECRET]), "X can be read only once"),
        (pl.LazyFrame({"age": [SECRET]}), r"X\.collect\(\)"),
        (np.array(SECRET), "X is a single value"),
        (np.int64(SECRET), "X is a single value"),
        (sparse.csr_array([[SECRET]]), r"give X\.toarray\(\)"),
        (f"{SECRET}.csv", r"open_table\(path\)"),
        (Path(f"{SECRET}.csv"), r"open_table\(path\)"),
        (np.array([SECRET + 1j]), "Complex data not supported: X"),
    ],
)
def test_what_is_no_table_is_refused_without_a_value(values, match):
    with pytest.raises((TypeError, ValueError), match=match) as refusal:
        check_readable(values, "X")
    assert str(SECRET) not in str(refusal.value)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_floats_must_be_finite(odd):
    with pytest.raises(ValueError, match=r"NaN or inf.*on_invalid='default'"):
        finite(np.array([[1.0, odd]]))
    assert finite(np.array(["a"])).tolist() == ["a"]


def test_a_duckdb_relation_is_a_table():
    flights = duckdb.sql("SELECT i % 100 AS delay, CAST(i % 100 >= 40 AS INTEGER) AS late FROM range(2000) t(i)")
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=8, feature="delay").fit(flights, "late")
    new = duckdb.sql("SELECT * FROM (VALUES (0), (99)) t(delay)")
    assert clf.predict(new).tolist() == pp.model_of(clf, "late").predict(new).tolist() == [0, 1]


ODD = """SELECT CASE WHEN i % 7 > 0 THEN i % 100 END AS delay, CASE WHEN i % 11 > 0 THEN i % 3 END AS late,
    CASE WHEN i % 13 > 0 THEN 'N' || i % 40 END AS plane FROM range(900) t(i)"""


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("slots", [None, 1, 3])
def test_a_relation_is_counted_by_duckdb_as_memory_counts_it(rule, slots):
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 60, direction="above"), feature="delay", on_invalid=rule, max_records=slots, random_state=5
    )
    unit = "plane" if slots else None
    there, here = fetch_query(duckdb.sql(ODD), (), "late", unit), duckdb.sql(ODD).to_arrow_table()
    assert is_table(there) and there.get_backend().name == "duckdb"
    found = [gathered(clf, table, "late", unit, slots or 1) for table in (there, here)]
    assert found[0].size == found[1].size
    assert len(found[0].points) < len(found[1].points) or slots == 1  # the engine sends counts
    for one, other in zip(*(each.tally() for each in found), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_a_relation_runs_once():
    """Two readings of a query need not find the same records."""
    connection = duckdb.connect()
    connection.execute("CREATE SEQUENCE asked")
    table = fetch_query(connection.sql("SELECT nextval('asked') AS x, 1 AS unit FROM range(5)"), (), "x", "unit")
    for _ in range(2):
        assert sorted(group_counts(table, ["x"], quota=Quota("unit", 5, "4f")).columns[0].tolist()) == [1, 2, 3, 4, 5]


def test_labels_of_a_relation_may_be_in_memory():
    delays, late = duckdb.sql("SELECT i % 100 AS delay FROM range(2000) t(i)"), np.arange(2000) % 100 >= 40
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=8, feature="delay").fit(
        delays, late.astype(int)
    )
    assert (clf.predict(delays) == late).mean() > 0.9  # in the order of the rows


def test_a_relation_that_fails_quotes_no_record():
    broken = duckdb.sql("SELECT CAST(word AS INTEGER) AS delay, 1 AS late FROM (VALUES ('secret')) t(word)")
    with pytest.raises(ValueError, match="out of the range") as refusal:
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="delay").fit(broken, "late")
    assert "secret" not in str(refusal.value)


@pytest.mark.slow
def test_a_query_runs_for_the_columns_that_are_read(tmp_path):
    pl.DataFrame({"age": range(40), "late": [0, 1] * 20, "secret": [SECRET] * 40}).write_parquet(tmp_path / "t.parquet")
    for query in (pl.scan_parquet(tmp_path / "t.parquet"), duckdb.read_parquet(str(tmp_path / "t.parquet"))):
        assert len(fetch_query(query, ["age", "late"]).columns) == 2
        assert (
            len(fetch_query(query).columns)
            == len(fetch_query(query, [0]).columns)
            == len(fetch_query(query, ["no"]).columns)
            == 3
        )
        clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="age").fit(query, "late")
        assert clf.n_records_ == 40 and list(clf.feature_names_in_) == ["age"]


def test_a_query_that_fails_quotes_no_record():
    for query in (
        pl.LazyFrame({"age": [SECRET]}).select(pl.col("age").cast(pl.Int8)),
        pl.scan_parquet(f"{SECRET}.parquet"),
    ):
        with pytest.raises(ValueError) as error:
            fetch_query(query)
        assert str(SECRET) not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.b", 'x"y', 'a"."', "select", " ", "t.rows", "%s", "Ä"])
def test_a_column_of_a_relation_may_have_any_name(name):
    quoted = name.replace('"', '""')
    query = duckdb.sql(f'SELECT i AS "{quoted}", {SECRET} AS "other" FROM range(3) t(i)')
    for table in (fetch_query(query, [name]), fetch_query(query)):
        assert sorted(group_counts(table, [name]).columns[0].tolist()) == [0, 1, 2]


@pytest.mark.parametrize("other", ["age", "AGE"])
def test_relations_with_two_columns_of_a_name_are_refused(other):
    """DuckDB would take the first of them, whichever of the two was meant."""
    query = duckdb.sql(f'SELECT {SECRET} AS age, 1 AS "{other}", 2 AS late')
    for names in ([], ["age"], ["age", "late"], [other]):
        with pytest.raises(ValueError, match="two columns of the table have the same name") as refusal:
            fetch_query(query, names)
        assert str(SECRET) not in str(refusal.value)
    assert fetch_query(query, ["late"]).columns == ("late",)


def test_labels_and_units_that_are_relations_are_refused():
    query = duckdb.sql(f"SELECT {SECRET} AS age, 1 AS late")
    with pytest.raises(TypeError, match="y is a query of DuckDB; name a column of X"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="age").fit(query, query)
    with pytest.raises(TypeError, match="unit is a query of DuckDB; name a column of X"):
        release = pp.PrivateRelease(pp.Points(), delta=1e-6, feature="age", max_records=1)
        release.fit({"age": [1, 2]}, unit=query)


@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_a_table_in_which_no_label_is_left_is_refused_in_a_sentence(rule):
    """If the labels that occur are public, it is public that none does."""
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="age", classes=None, on_invalid=rule)
    with pytest.raises(ValueError, match="some labels are missing or infinite: no label is left"):
        clf.fit(duckdb.sql("SELECT 5 AS age, CAST(NULL AS INTEGER) AS late FROM range(40)"), "late")


def test_a_refusal_names_the_column_once():
    for queries in (pp.Thresholds(0, 9, direction="above").on("age"), pp.StartsWith(height=2).on("age")):
        with pytest.raises((TypeError, ValueError), match=r"^column 'age': (some )?values") as refusal:
            pp.PrivateRelease(queries, delta=1e-6).fit({"age": [f"N{SECRET}"]})
        assert str(SECRET) not in str(refusal.value)


OLD = int(pl.__version__.partition(".")[0]) < FIRST_POLARS  # this polars collects


@pytest.fixture
def collecting(monkeypatch):
    """Refuses to collect a LazyFrame."""
    if OLD:
        pytest.skip("this polars is collected")

    def collect(*_, **__):
        raise AssertionError("all rows were collected")

    monkeypatch.setattr(pl.LazyFrame, "collect", collect)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("slots", [None, 1, 3])
def test_a_lazy_frame_is_counted_as_memory_counts_it(rule, slots, collecting):
    frame = duckdb.sql(ODD).pl()
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 60, direction="above"), feature="delay", on_invalid=rule, max_records=slots, random_state=5
    )
    unit = "plane" if slots else None
    there = fetch_query(frame.lazy(), (), "late", unit, once=unit is None)
    assert is_table(there) and there.get_backend().name == "duckdb"
    found = [gathered(clf, table, "late", unit, slots or 1) for table in (there, frame)]
    assert found[0].size == found[1].size
    for one, other in zip(*(each.tally() for each in found), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_fits_and_predictions_do_not_collect_a_lazy_frame(collecting):
    numbers = np.arange(200_000)
    flights = pl.LazyFrame({"delay": numbers % 100, "late": numbers % 100 >= 40, "tail": ["N1"] * len(numbers)})
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=8, feature="delay").fit(flights, "late")
    assert clf.n_records_ == len(numbers) and list(clf.feature_names_in_) == ["delay"]
    expected = clf.predict({"delay": numbers % 100}).tolist()
    model = pp.model_of(clf, "late")
    assert clf.predict(flights).tolist() == model.predict(flights).tolist() == expected  # in the order of the rows
    assert model.misfits(flights.with_columns(delay=pl.col("delay") * 2)) == 100_000
    held = pp.PrivateClassifier(
        pp.Thresholds(0, 99, direction="above"),
        epsilon=8,
        feature="delay",
        report_error=True,
        delta=1e-9,
        random_state=1,
    )
    assert held.fit(flights, "late").error_ is not None


@pytest.mark.parametrize(
    "queries",
    [
        pp.Thresholds(0, 99, direction="above").on("delay"),
        pp.Points().on("carrier"),
        pp.StartsWith(height=2).on("carrier"),
        pp.Marginals(
            pp.Points().on("carrier", values=("UA", "EV")), pp.Thresholds(0, 99, direction="above").on("delay"), order=2
        ),
    ],
    ids=lambda queries: type(queries).__name__,
)
def test_releases_of_a_lazy_frame_are_those_of_its_rows(queries, collecting):
    frame = pl.DataFrame({"delay": [i % 100 for i in range(900)], "carrier": ["UA", "EV", "UA"] * 300})
    released = [pp.PrivateRelease(queries, delta=1e-6, random_state=5).fit(X).release_ for X in (frame.lazy(), frame)]
    assert released[0].to_json() == released[1].to_json()


def test_a_lazy_frame_that_fails_is_told_in_a_sentence_and_costs_nothing():
    numbers = np.arange(200_000)
    numbers[150_000] = SECRET + 2**40
    broken = pl.LazyFrame({"age": numbers, "late": numbers % 2}).with_columns(pl.col("age").cast(pl.Int32))
    budget = pp.Ledger(pp.Budget(1))
    fits = (
        lambda: pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="age", budget=budget).fit(
            broken, "late"
        ),
        lambda: pp.PrivateRelease(pp.Thresholds(0, 99, direction="above"), feature="age", budget=budget).fit(broken),
    )
    for fit in fits:
        with pytest.raises(ValueError, match="engine did not answer" if OLD else "the LazyFrame failed") as refusal:
            fit()
        assert str(SECRET) not in str(refusal.value)
    assert not budget.entries


def test_labels_of_a_lazy_frame_may_be_in_memory():
    delays, late = pl.LazyFrame({"delay": np.arange(2000) % 100}), np.arange(2000) % 100 >= 40
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=8, feature="delay").fit(
        delays, late.astype(int)
    )
    assert (clf.predict(delays) == late).mean() > 0.9
