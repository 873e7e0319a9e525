"""Stumps on lines of every kind, with few records, and what is certified."""

from fractions import Fraction

import numpy as np

from privpac.classes.compositions.compose import And, Union
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.lines.stumps import StumpLearner


def test_lines_of_every_width_and_kind():
    rng = np.random.default_rng(2)
    x = rng.random(3000)
    table = {"a": rng.integers(0, 2**64, 3000, dtype=np.uint64), "b": x, "c": rng.integers(0, 2, 3000)}
    stumps = Union(
        Thresholds(0, 2**64 - 1, direction="either").on("a"),
        Thresholds(0.0, 1.0, direction="below").on("b"),
        Thresholds(0, 1, direction="above").on("c"),
    )
    learner = PrivateClassifier(stumps, epsilon=2, method="StumpLearner").fit(table, (x < 0.3).astype(int))
    assert learner.hypothesis_.column == "b"
    assert np.mean(learner.predict(table) != (x < 0.3)) < 0.05
    flipped = (
        PrivateClassifier(stumps, epsilon=2, method="StumpLearner")
        .fit(table, (table["a"] < 2**62).astype(int))
        .hypothesis_
    )
    assert (flipped.column, flipped.part.above) == ("a", False)


def test_one_class_void_records_and_very_few():
    stumps = Union(Thresholds(0, 9, direction="above").on("a"), Thresholds(0, 9, direction="above").on("b"))
    learner = PrivateClassifier(stumps, epsilon=3, on_invalid="default", method="StumpLearner")
    row = {"a": [5], "b": [5]}
    for label in (0, 1):
        assert learner.fit({"a": [5] * 900, "b": [5] * 900}, [label] * 900).predict(row) == [label]
    assert learner.fit({"a": [5, 99] * 900, "b": [5, 5] * 900}, [1, 0] * 900).predict(row) == [1]
    assert learner.fit(row, [1]).guarantee_.utility is None


def test_certified_figures():
    small, large = (
        PrivateClassifier(
            Union(Thresholds(0, high, direction="above").on(0), Thresholds(0, high, direction="above").on(1)),
            epsilon=1,
            method="StumpLearner",
        )
        for high in (99, 2**64)
    )
    assert small.certified_n() < large.certified_n() < 6000  # a list of 2^65 rules alone would ask for 9800
    for learner in (small, large):
        n = learner.certified_n()
        assert learner.certified_alpha(n) <= Fraction(1, 10) < learner.certified_alpha(n - 1)


def test_which_classes_it_learns():
    line = Thresholds(0, 9, direction="above")
    assert StumpLearner.supports(Union(line.on("a"), line.on("b")))
    assert StumpLearner.supports(Union(line, Thresholds(0, 9, direction="below")))
    assert not StumpLearner.supports(Union(line.on("a"), And(line.on("a"), line.on("b"))))
    assert not StumpLearner.supports(line)
