"""Models as SQL and Python: the labels that predict gives, missing values included."""

from dataclasses import replace

import duckdb
import pytest

import privpac as pp
from privpac.classes.lines.rules import Threshold
from privpac.data.domains.line import Line
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate


def test_exports_agree_with_predictions_on_missing_values():
    trees = pp.Trees(
        pp.Thresholds(0, 9, direction="above").on("age"), pp.Points().on("job", values=("it's", "b")), depth=2
    )
    tree = next(h for h in trees.materialize().concepts if str(h) == "age < 4 or job ≠ it's")
    model = Model(
        tree,
        domain=trees.domain,
        feature=None,
        classes=("no", "it's"),
        records=9,
        learner="x",
        certificate=Certificate(Budget(1)),
        on_invalid="default",
    )
    rows = [(age, job) for age in (*range(10), None) for job in ("it's", "b", None)]
    labels = model.predict({"age": [age for age, _ in rows], "job": [job for _, job in rows]}).tolist()
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (place INTEGER, age INTEGER, job VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, *row) for i, row in enumerate(rows)])
    found = connection.execute(f"SELECT {model.to_sql()} FROM t ORDER BY place").fetchall()
    assert [label for (label,) in found] == labels
    names = {}
    exec(model.to_python(), names)
    assert [names["rule"]({"age": age, "job": job}) for age, job in rows] == labels


def test_exports_of_one_column():
    cut = Threshold(37), Line(0, 999), "delay", (False, True), 5000, "exponential", Certificate(Budget(1))
    assert Model(*cut).to_sql() == 'CASE WHEN "delay" IS NULL THEN FALSE WHEN "delay" >= 37 THEN TRUE ELSE FALSE END'
    bare = replace(Model(*cut), feature=None)
    assert bare.to_sql("delay") == Model(*cut).to_sql()
    names = {}
    exec(bare.to_python(), names)
    assert [names["rule"](x) for x in (36, 37, None)] == [False, True, False]
    by_position = replace(Model(*cut), feature=1)
    assert by_position.to_sql("carrier", "delay") == Model(*cut).to_sql()
    with pytest.raises(ValueError, match="name the column"):
        bare.to_sql()
