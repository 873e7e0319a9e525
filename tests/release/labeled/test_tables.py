"""Labeled releases of marginals and of tables that a schema declares."""

from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Label
from privpac.refusals.refusal import Refused
from privpac.release.labeled.tables import LabeledMarginalAnswers
from privpac.release.release import Release
from privpac.release.tables.marginals import MarginalAnswers
from tests.release.labeled.labeled_samples import assert_is_the_labeled_gap, gap_by_definition, labeled_sample

BITS = pp.Marginals(*(pp.Points().on(name, values=(0, 1)) for name in "ab"), order=2)
ROWS = list(product((0, 1), (0, 1)))
TABLE = {"a": [0, 0, 1, 1] * 1000, "b": [0, 1, 0, 1] * 1000, "late": ["no", "no", "no", "yes"] * 1000}
COLUMNS = Column("job", "category", values=("clerk", "nurse")), Column("age", "integer", 0, 120)


def test_the_gap_of_marginals_is_the_largest_error_of_all_rules():
    tables = [((2,), (1, 1), (0, 2), (0, 1, 1, 0)), ((0,), (0, 0), (0, 1), (0, 0, 1, 0))]
    answers = LabeledMarginalAnswers(2, (0, 1), *(MarginalAnswers(2, BITS.cells, 2, each) for each in tables), (2, 0))
    rules = [answers.rule(i) for i in range(len(answers.all_outcomes().tp))]
    assert len(set(map(str, rules))) == 9
    assert_is_the_labeled_gap(answers, BITS.domain, [*product(ROWS, (0, 1)), None], rules, 2, totals=True)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_marginals(delta, tmp_path):
    release = pp.PrivateRelease(BITS, epsilon=1, delta=delta, classes=("no", "yes")).fit(TABLE, "late").release_
    rates = release.rates(BITS.hypothesis({"a": 1, "b": 1}))
    assert rates.error < 0.05 and rates.tpr > 0.9 and rates.fpr < 0.1
    assert str(release.best().rule) == "a = 1 and b = 1" and str(release.best(sensitivity=0.9).rule) != "always"
    assert abs(release.error(BITS.hypothesis({"a": 1})) - 0.25) < 0.05
    release.save(tmp_path / "r.json")
    assert pp.load(tmp_path / "r.json") == release
    assert "late" in release.counts() and set(release.synthetic(5)) == {"a", "b", "late"}
    with pytest.raises(Refused):
        release.error(pp.Points().on("c", values=(0, 1)).hypothesis(1))


def test_a_schema_with_one_more_column(tmp_path):
    job, age = ["clerk", "nurse"] * 2000, [30, 60] * 1999 + [40, 50]
    late = [int(each == "nurse") for each in job]
    for schema, marginals in (
        (pp.Schema(COLUMNS), [("job",)]),
        (pp.Schema(COLUMNS, label=Label("late", (0, 1))), None),
    ):
        front = pp.PrivateRelease(schema, epsilon=2, delta=1e-6, marginals=marginals)
        release = front.fit({"job": job, "age": age, "late": late}, "late").release_
        nurses = release.answers_.hypothesis({"job": "nurse"})
        assert release.error(nurses) < 0.1 and release.rates(nurses).tpr > 0.8
        assert release.best().error <= release.error(nurses)
        release.save(tmp_path / "r.json")
        assert pp.load(tmp_path / "r.json").best() == release.best()
        assert "late" in release.synthetic(3) and release.counts()["records"]
        with pytest.raises(Refused):
            release.error(pp.Points().on("city").hypothesis("Oslo"))
    with pytest.raises(Refused, match="holds the labels"):
        pp.PrivateRelease(schema, epsilon=1, delta=1e-6, marginals=[("job", "late")]).fit(
            {"job": job, "age": age, "late": late}, "late"
        )


def test_the_gap_of_a_table_against_asking_every_rule():
    schema = pp.Schema((COLUMNS[0], Column("sex", "category", values=("f", "m"))))
    rows = [(job, sex) for job in ("clerk", "nurse") for sex in ("f", "m")]
    rng = np.random.default_rng(3)
    values, y = [rows[i] for i in rng.integers(0, 4, 60)], rng.integers(0, 2, 60)
    columns = {"job": [a for a, _ in values], "sex": [b for _, b in values]}
    front = pp.PrivateRelease(schema, epsilon=1, delta=1e-4)
    answers = front.fit(columns, y).release_.answers_
    sample = labeled_sample(front.algorithm(60, labeled=True).sanitizer.domain, list(zip(values, y, strict=True)))
    rules = [answers.rule(i) for i in range(len(answers.all_outcomes().tp))]
    assert len(rules) == 1 + 2 + 2 + 4
    assert answers.gap(sample) == gap_by_definition(answers, sample, rules)
    assert Release.from_json(front.release_.to_json()) == front.release_


def test_few_records_and_one_label():
    for n, y in ((1, [0]), (2, [0, 0]), (2, [1, 1])):
        front = pp.PrivateRelease(BITS, epsilon=1, on_invalid="default")
        release = front.fit({"a": [0] * n, "b": [1] * n}, y).release_
        assert 0 <= release.best(weights=(1, 9)).error <= 1 and release.counts() and str(release.best())


def test_no_answer_exceeds_n_however_small_it_is():
    """So that no error does, and a bound of n always holds."""
    schema = pp.Schema((Column("a", "category", values=(0, 1)),))
    listed = pp.ExplicitClass([[0, 1], [1, 1]], points=(0, 1))
    for _, on_invalid in product(range(10), ("raise", "default")):
        for H, X in ((BITS, {"a": [0, 1, 1], "b": [1, 1, 0]}), (schema, {"a": [0, 1, 1]}), (listed, [0, 1, 1])):
            front = pp.PrivateRelease(H, epsilon=0.1, delta=1e-6, on_invalid=on_invalid)
            release = front.fit(X, [0, 1, 1]).release_
            every = release.answers_.all_outcomes()
            for some in (*every, every.flagged, every.wrong, every.tp + every.tn, every.fn + every.tn):
                assert some.min() >= 0 and some.max() <= 3
            assert release.guarantee.measured <= 3 and Release.from_json(release.to_json()) == release
