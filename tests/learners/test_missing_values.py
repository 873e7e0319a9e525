"""Rules about columns that may lack entries: learned, said in words, and exported with the labels of predict."""

import math
import random
import re
import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal
from itertools import product

import duckdb
import ibis
import numpy as np
import psycopg
import pyarrow
import pytest

import privpac as pp
from privpac.classes.decision_trees.rules import Answer, LabelSplit, Split, simplified
from privpac.classes.decision_trees.scorecards import Scorecard, pair_of_tests
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.missing_entries import IsMissing
from privpac.learners.decision_trees.trees import public_tests_of
from privpac.learners.model import Model, model_of
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from tests.grid import over

PARTS = (
    pp.Thresholds(0, 3, direction="above").on("age", missing=True),
    pp.Thresholds(-1.0, 1.0, step=1.0, direction="below").on("dose", missing=True),
    pp.Points().on("job", values=("a", "b"), missing=True, na=("?",)),
    pp.Thresholds(Decimal("0.0"), Decimal("0.2"), direction="above").on("fee", missing=True),
    pp.StartsWith().on("icd", values=("J", "J1"), missing=True, na=("",)),
    pp.Thresholds(date(2020, 1, 1), date(2020, 1, 3), direction="above").on("day"),
)
TREES = pp.Trees(*PARTS, depth=2)
NAMES = TREES.domain.names
TESTS = public_tests_of(TREES).rules
ENTRIES = (
    (0, 2, None),
    (-1.0, 1.0, None, math.nan),
    ("a", "b", None, "?"),
    (Decimal("0.1"), None),
    ("J1", "K", None, ""),
    (date(2020, 1, 2), None),
)
TYPES = "INTEGER", "DOUBLE PRECISION", "VARCHAR", "DECIMAL(4, 1)", "VARCHAR", "DATE"
ROWS = list(product(*ENTRIES))
CLASSES = "no", "yes"


def model(rule, on_invalid, parts=PARTS, classes=CLASSES):
    return Model(rule, pp.Trees(*parts).domain, None, classes, 9, "x", Certificate(Budget(1)), on_invalid=on_invalid)


def rules(number, seed, tests=TESTS):
    """Trees, and scorecards, of random tests, some of them in pairs."""
    random.seed(seed)

    def tree(depth):
        if depth == 0 or random.random() < 0.2:
            return Constant(random.random() < 0.5)
        return Split(random.choice(tests), tree(depth - 1), tree(depth - 1))

    for i in range(number):
        some = random.sample(range(len(tests)), 4)
        lines = [tests[j] for j in some]
        if i % 2:
            lines[2:] = [pair_of_tests(random.choices((False, True), k=4), *lines[2:])]
        card = Scorecard(tuple(lines), tuple(random.choice([-2, -1, 1, 3]) for _ in lines), 1)
        yield Split(random.choice(tests), tree(2), tree(1)) if i % 3 else card


def columns(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}


def in_duckdb(rows):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (place INTEGER, {', '.join(map(' '.join, zip(NAMES, TYPES, strict=True)))})")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", [(i, *row) for i, row in enumerate(rows)])
    return connection


def labels_in(connection, models):
    expressions = ", ".join(each.to_sql() for each in models)
    return list(zip(*connection.execute(f"SELECT {expressions} FROM t ORDER BY place").fetchall(), strict=True))


@pytest.mark.slow
@over("on_invalid", ["raise", "default", "clamp"])
def test_exports_are_predictions_on_missing_entries(on_invalid):
    rows = ROWS[:: 2 if on_invalid == "default" else 7]
    connection = in_duckdb(rows)
    models = [model(rule, on_invalid) for rule in rules(15, on_invalid)]
    for each, found in zip(models, labels_in(connection, models), strict=True):
        predicted = each.predict(columns(rows)).tolist()
        assert list(found) == predicted, each.to_sql()
        names = {}
        exec(each.to_python(), names)
        assert [names["rule"](dict(zip(NAMES, row, strict=True))) for row in rows] == predicted, each.to_python()
        assert Model.from_json(each.to_json()) == each
        assert (simplified(each.hypothesis)(columns(rows)) == each.hypothesis(columns(rows))).all()


@pytest.mark.slow
def test_exports_in_sqlite():
    """It has neither dates nor decimals of its own."""
    rows, kept = ROWS[::3], {Decimal: float, date: str}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            f"CREATE TABLE t (place INTEGER, {', '.join(map(' '.join, zip(NAMES, TYPES, strict=True)))})"
        )
        entries = [[i, *(kept.get(type(each), lambda x: x)(each) for each in row)] for i, row in enumerate(rows)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", entries)
        models = [model(rule, "default") for rule in rules(24, 5)]
        for each, found in zip(models, labels_in(connection, models), strict=True):
            assert list(found) == each.predict(columns(rows)).tolist(), each.to_sql()


@pytest.mark.slow
def test_exports_in_postgresql(postgres):
    models = [model(rule, "default") for rule in rules(24, 7)]
    rows = ROWS[::3]
    with psycopg.connect(postgres(), autocommit=True) as connection:
        connection.execute(
            f"CREATE TABLE t (place INTEGER, {', '.join(map(' '.join, zip(NAMES, TYPES, strict=True)))})"
        )
        connection.cursor().executemany(
            "INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s, %s)", [(i, *row) for i, row in enumerate(rows)]
        )
        for each, found in zip(models, labels_in(connection, models), strict=True):
            assert list(found) == each.predict(columns(rows)).tolist(), each.to_sql()


@pytest.mark.slow
@over("on_invalid", ["raise", "default", "clamp"])
def test_labels_that_an_engine_computes(on_invalid):
    kept = [0, 1, 2, 4, 5]  # decimals have no exact form there
    parts = [PARTS[i] for i in kept]
    rows = list(product(*(ENTRIES[i] for i in kept)))
    table = pyarrow.table({NAMES[i]: [row[j] for row in rows] for j, i in enumerate(kept)})
    engine = ibis.duckdb.connect()
    tests = public_tests_of(pp.Trees(*parts, depth=2)).rules
    for i, rule in enumerate(rules(4, 9, tests)):
        each, name = model(rule, on_invalid, parts), f"t{i}"
        held = engine.create_table(name, table.append_column("place", pyarrow.array(range(len(rows)))))
        found = each.in_engine(held).order_by("place").to_pyarrow()["predicted"].to_pylist()
        assert found == each.predict(table).tolist(), str(rule)


def test_sentences_say_what_holds_for_missing_entries():
    age, absent = (next(rule for rule in TESTS if str(rule) == text) for text in ("age ≥ 2", "age is missing"))
    higher = next(rule for rule in TESTS if str(rule) == "age ≥ 3")
    job = next(rule for rule in TESTS if str(rule) == "job = a")
    gone = next(rule for rule in TESTS if str(rule) == "job is missing")
    on, off = Constant(True), Constant(False)
    said = {
        "age < 2 or age is missing": Split(age, off, on),
        "age < 2": Split(age, off, Split(absent, off, on)),
        "age is missing": Split(age, off, Split(absent, on, off)),
        "age is missing or age ≥ 2": Split(absent, on, Split(age, on, off)),
        "age is not missing": Split(absent, off, on),
        "age ≥ 2": Split(absent, off, Split(age, on, off)),
        "2 ≤ age < 3": Split(age, Split(higher, off, on), off),
        "job ≠ a": Split(job, off, on),
        "job ≠ a and job is not missing": Split(job, off, Split(gone, off, on)),
        "(age < 2 or age is missing) and job = a": Split(age, off, Split(job, on, off)),
    }
    for text, rule in said.items():
        assert str(rule) == text
    three = LabelSplit(age, Answer("x"), LabelSplit(absent, Answer("y"), Answer("z")))
    assert str(three) == "x if age ≥ 2; z if age < 2; otherwise y"
    assert "is missing" in Hypothesis.from_json(said["age < 2 or age is missing"].to_json()).sentence()


@pytest.mark.slow
def test_what_is_missing_is_learned_and_predicted():
    rng = np.random.default_rng(0)
    age, job = rng.integers(0, 100, 3000).astype(float), rng.choice(["a", "b"], 3000).astype(object)
    late = (age >= 50) & (job == "a")
    lost = rng.random(3000) < 0.2
    age[lost], late = np.nan, late | lost
    parts = (
        pp.Thresholds(0, 120, direction="above").on("age", missing=True),
        pp.Points().on("job", values=("a", "b"), missing=True),
    )
    for rules_, least in ((pp.Trees(*parts, depth=2), 0.99), (pp.Scorecards(*parts), 0.9)):
        clf = pp.PrivateClassifier(rules_, classes=(False, True), epsilon=20, random_state=3)
        clf.fit({"age": age, "job": job}, late)
        assert (clf.predict({"age": age, "job": job}) == late).mean() > least
        assert model_of(clf).misfits({"age": age, "job": job}) == 0
        assert clf.predict({"age": [None], "job": [None]}).tolist() == [True]
    array = np.stack([age, job == "a"], axis=1).astype(float)
    by_place = pp.Trees(
        pp.Thresholds(0, 120, direction="above").on(0, missing=True),
        pp.Thresholds(0, 1, direction="above").on(1),
        depth=2,
    )
    clf = pp.PrivateClassifier(by_place, classes=(False, True), epsilon=20, random_state=3).fit(array, late)
    assert (clf.predict(array) == late).mean() > 0.99
    with pytest.raises(ValueError, match="some values are missing"):
        clf.fit(np.full((2, 2), np.nan), [False, True])


def test_other_classes_are_refused_and_trees_named_instead():
    ages = pp.Thresholds(0, 9, direction="above").on("age", missing=True)
    table = {"age": [1, None], "delay": [1, 2]}
    for rule in (ages, pp.And(ages, pp.Thresholds(0, 9, direction="above").on("delay"))):
        with pytest.raises(ValueError, match=r"trees and scorecards: Trees\(.*missing=True.*depth=[12]\)"):
            pp.PrivateClassifier(rule, epsilon=1).fit(table, [0, 1])
    with pytest.raises(ValueError, match="cells as marginals"):
        pp.PrivateRelease(pp.Points().on("job", missing=True), epsilon=1, delta=1e-6).fit({"job": ["a", None]})
    with pytest.raises(ValueError, match="declare the values"):
        pp.PrivateClassifier(pp.Trees(pp.Points().on("job", missing=True)), epsilon=1).fit({"job": [1]}, [0])


def test_declarations_that_contradict_themselves_are_refused():
    jobs = pp.Points()
    for given, parameter in (
        ({"missing": 1}, "missing"),
        ({"na": ["?"]}, "na"),
        ({"missing": True, "na": "?"}, "na"),
        ({"missing": True, "na": ["a"]}, "na"),
        ({"missing": True, "na": [3]}, "na"),
    ):
        with pytest.raises((ValueError, TypeError)) as refused:
            jobs.on("job", values=("a", "b"), **given)
        assert refused.value.parameter == parameter
    with pytest.raises(ValueError, match="different domains"):
        pp.Trees(
            pp.Thresholds(0, 9, direction="above").on("age", missing=True),
            pp.Thresholds(0, 9, direction="above").on("age"),
        )


def test_patterns_have_a_column_for_missing_entries():
    ages = pp.Thresholds(0, 2, direction="above").on("age", missing=True)
    assert ages.size == 5 and ages.domain.size == 4
    listed = ages.materialize()
    assert [str(each) for each in listed.concepts] == ["always", "age ≥ 1", "age ≥ 2", "never", "age is missing"]
    assert listed.matrix[:, -1].tolist() == [False] * 4 + [True]
    assert eval(repr(ages), {"Thresholds": pp.Thresholds}) == ages
    assert IsMissing().constant is None


def as_python(sentence):
    """A sentence about ages as a condition on x, which is None if it is missing."""
    words = sentence.replace(";", "").replace(",", "").replace("age is not missing", "(x is not None)")
    words = words.replace("age is missing", "(x is None)").replace("always", "True").replace("never", "False")
    words = re.sub(r"(\d) ≤ age < (\d)", r"(x is not None and \1 <= x < \2)", words)
    words = re.sub(r"age ≥ (\d)", r"(x is not None and x >= \1)", words)
    return re.sub(r"age < (\d)", r"(x is not None and x < \1)", words)


def test_sentences_mean_what_the_rule_does():
    tests = public_tests_of(pp.Trees(pp.Thresholds(0, 3, direction="either").on("age", missing=True))).rules
    assert [str(each) for each in tests] == [*(f"age ≥ {t}" for t in (1, 2, 3)), *(f"age < {t}" for t in (1, 2, 3)),
                                             "age is missing"]  # fmt: skip
    values, leaves = [0, 1, 2, 3, None], (Constant(False), Constant(True))
    shallow = [*leaves, *(Split(test, *each) for test in tests for each in (leaves, leaves[::-1]))]
    for test, yes, no in product(tests, shallow, shallow):
        rule = Split(test, yes, no)
        said = eval(f"[{as_python(str(rule))} for x in values]", {"values": values})
        assert said == rule({"age": values}).tolist(), str(rule)
