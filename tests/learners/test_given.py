"""What is handed over is looked at before scikit-learn sees it."""

from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import sparse

import privpac as pp
from privpac.learners.given import at_hand, finite, given
from tests.refusals import SECRET


@pytest.mark.parametrize("values", [[SECRET], np.array([SECRET]), {"age": [SECRET]}, pl.DataFrame({"age": [1]})])
def test_records_are_handed_on_as_they_are(values):
    assert given(values, "X") is values


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
        given(values, "X")
    assert str(SECRET) not in str(refusal.value)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_floats_must_be_finite(odd):
    with pytest.raises(ValueError, match=r"NaN or inf.*on_invalid='default'"):
        finite(np.array([[1.0, odd]]))
    assert finite(np.array(["a"])).tolist() == ["a"]


def test_a_duckdb_relation_is_a_table():
    flights = duckdb.sql("SELECT i % 100 AS delay, CAST(i % 100 >= 40 AS INTEGER) AS late FROM range(2000) t(i)")
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99), epsilon=8, feature="delay").fit(flights, "late")
    new = duckdb.sql("SELECT * FROM (VALUES (0), (99)) t(delay)")
    assert clf.predict(new).tolist() == pp.model_of(clf, "late").predict(new).tolist() == [0, 1]


def test_a_relation_that_fails_quotes_no_record():
    broken = duckdb.sql("SELECT CAST(word AS INTEGER) AS delay, 1 AS late FROM (VALUES ('secret')) t(word)")
    with pytest.raises(ValueError, match="out of the range") as refusal:
        pp.PrivateClassifier(pp.Thresholds(0, 99), feature="delay").fit(broken, "late")
    assert "secret" not in str(refusal.value)


def test_a_query_runs_for_the_columns_that_are_read(tmp_path):
    pl.DataFrame({"age": range(40), "late": [0, 1] * 20, "secret": [SECRET] * 40}).write_parquet(tmp_path / "t.parquet")
    for query in (pl.scan_parquet(tmp_path / "t.parquet"), duckdb.read_parquet(str(tmp_path / "t.parquet"))):
        assert len(at_hand(query, ["age", "late"]).columns) == 2
        assert (
            len(at_hand(query).columns) == len(at_hand(query, [0]).columns) == len(at_hand(query, ["no"]).columns) == 3
        )
        clf = pp.PrivateClassifier(pp.Thresholds(0, 99), feature="age").fit(query, "late")
        assert clf.n_records_ == 40 and list(clf.feature_names_in_) == ["age"]


def test_a_query_that_fails_quotes_no_record():
    for query in (
        pl.LazyFrame({"age": [SECRET]}).select(pl.col("age").cast(pl.Int8)),
        pl.scan_parquet(f"{SECRET}.parquet"),
    ):
        with pytest.raises(ValueError) as error:
            at_hand(query)
        assert str(SECRET) not in str(error.value)
