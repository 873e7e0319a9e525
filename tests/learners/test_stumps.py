"""Stumps: the law is that of the exponential mechanism over all cuts of all columns."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.cases import Case, labelled
from privpac.classes.compose import And
from privpac.classes.line import Thresholds
from privpac.classes.union import Union
from privpac.data.sample import Sample
from privpac.learners.stumps import StumpExponential, StumpLearner
from privpac.mechanisms.selection import Exponential
from privpac.privacy.budget import Budget

COLUMNS = ((3, "above"), (2, "below"), (4, "either"))


def view(records):
    records = [record for record in records if record is not None]  # void ones have no point
    labels = np.array([y for _, y in records], dtype=bool)
    points = np.array([x for x, _ in records], dtype=np.uint64).reshape(-1, 3)
    return [Sample(column, labels, None, len(records)).tally() for column in points.T]


def every_stump():
    for number, (size, direction) in enumerate(COLUMNS):
        if direction != "below":
            yield from ((number, t, True) for t in range(size + 1))
        if direction != "above":
            ends = (1, size) if direction == "either" else (0, size + 1)
            yield from ((number, t, False) for t in range(*ends))


def errors(stump, records):
    number, t, above = stump
    return sum(((x[number] >= t) == above) != y for x, y in records)


@pytest.mark.parametrize("epsilon", [Fraction(1, 20), 1, 90])
def test_the_law_is_that_of_the_exponential_mechanism(epsilon):
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 5):
        rows = np.column_stack([rng.integers(0, size, n) for size, _ in COLUMNS]).tolist()
        records = [(tuple(x), bool(y)) for x, y in zip(rows, rng.random(n) < 0.5, strict=True)]
        law = StumpExponential(Budget(epsilon), COLUMNS).law(view(records))
        stumps = list(every_stump())
        expected = Exponential(Budget(epsilon)).law([-errors(stump, records) for stump in stumps])
        assert set(law) == set(stumps)
        assert all(law[stump].overlaps(expected[i]) for i, stump in enumerate(stumps))


def case(mechanism, epsilon=1):
    universe = [*labelled([(0, 0, 0), (2, 1, 3), (1, 0, 1)]), None]
    return Case(mechanism, view, "stumps on three columns", universe, 3, Budget(epsilon))


def test_no_neighbours_refute_it():
    assert not case(StumpExponential(Budget(1), COLUMNS)).exact().refuted
    assert case(StumpExponential(Budget(1), COLUMNS), Fraction(3, 5)).exact().refuted


class FirstCut(StumpExponential):
    """A broken twin: the first cut of a run is released, which lies next to a record."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        return weights, lambda group, _: outcome(group, 0)


def test_a_broken_twin_is_refuted():
    assert case(FirstCut(Budget(1), COLUMNS)).exact().refuted


def test_lines_of_every_width_and_kind():
    rng = np.random.default_rng(2)
    x = rng.random(3000)
    table = {"a": rng.integers(0, 2**64, 3000, dtype=np.uint64), "b": x, "c": rng.integers(0, 2, 3000)}
    stumps = Union(
        Thresholds(0, 2**64 - 1, direction="either").on("a"),
        Thresholds(0.0, 1.0, direction="below").on("b"),
        Thresholds(0, 1).on("c"),
    )
    learner = StumpLearner(stumps, epsilon=2).fit(table, (x < 0.3).astype(int))
    assert learner.hypothesis_.column == "b"
    assert np.mean(learner.predict(table) != (x < 0.3)) < 0.05
    flipped = StumpLearner(stumps, epsilon=2).fit(table, (table["a"] < 2**62).astype(int)).hypothesis_
    assert (flipped.column, flipped.part.above) == ("a", False)


def test_what_is_left_out_weighs_next_to_nothing():
    n = 5000
    sample = Sample(np.arange(n, dtype=np.uint64), np.arange(n) >= n // 2, None, n)
    weights, _ = StumpExponential(Budget(1), ((2**64, "either"),)).menu([sample.tally()])
    full, listed = weights.complete(), len(weights.scores)
    assert listed < 1000 < len(full.scores)
    assert full.scores[:listed].tolist() == weights.scores.tolist()
    assert sum(full.counts) == 2**65
    assert full.scores[listed:].max() < weights.scores.max() - 2 * 0.69 * (64 + 65)


def test_one_class_void_records_and_very_few():
    stumps = Union(Thresholds(0, 9).on("a"), Thresholds(0, 9).on("b"))
    learner = StumpLearner(stumps, epsilon=3, on_invalid="default")
    row = {"a": [5], "b": [5]}
    for label in (0, 1):
        assert learner.fit({"a": [5] * 900, "b": [5] * 900}, [label] * 900).predict(row) == [label]
    assert learner.fit({"a": [5, 99] * 900, "b": [5, 5] * 900}, [1, 0] * 900).predict(row) == [1]
    assert learner.fit(row, [1]).guarantee_.utility is None


def test_certified_figures():
    small, large = (
        StumpLearner(Union(Thresholds(0, high).on(0), Thresholds(0, high).on(1)), epsilon=1) for high in (99, 2**64)
    )
    assert small.certified_n() < large.certified_n() < 6000  # a list of 2^65 rules alone would ask for 9800
    for learner in (small, large):
        n = learner.certified_n()
        assert learner.certified_alpha(n) <= Fraction(1, 10) < learner.certified_alpha(n - 1)


def test_which_classes_it_learns():
    line = Thresholds(0, 9)
    assert StumpLearner.applies(Union(line.on("a"), line.on("b")), "agnostic")
    assert StumpLearner.applies(Union(line, Thresholds(0, 9, direction="below")), "agnostic")
    assert not StumpLearner.applies(Union(line.on("a"), And(line.on("a"), line.on("b"))), "agnostic")
    assert not StumpLearner.applies(line, "agnostic")
