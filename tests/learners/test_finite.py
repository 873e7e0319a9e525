"""Learning from a finite class: errors by definition on every domain, exact audits, certificates, large tables."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.audit.claims.case import Case, labeled
from privpac.classes import (
    And,
    Conjunctions,
    ExplicitClass,
    HalfPlanes,
    Intervals,
    Or,
    Parities,
    Points,
    Rectangles,
    RootPaths,
    Spider,
    Taxonomy,
    Thresholds,
    Union,
)
from privpac.classes.hypothesis import Hypothesis
from privpac.data.samples.sample import Sample
from privpac.learners import finite
from privpac.learners.certificates.deviation import chance
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.finite import FiniteLearner, table, table_errors
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.learners.whole import whole

TWINS = ExplicitClass([[0, 0, 1, 0], [0, 1, 1, 0], [1, 1, 1, 1], [0, 1, 1, 0]], points=["a", "b", "c", "d"])
LISTABLE = [
    TWINS,
    Conjunctions(3),
    Parities(3),
    Rectangles(-1, 2, 2),
    HalfPlanes(3),
    Thresholds(5, 9, direction="either"),
    Thresholds("A0", "A9", direction="above"),
    Intervals(-2, 3),
    Taxonomy({"J1": "J", "J2": "J", "J10": "J1"}),
    Union(Thresholds(0, 5, direction="above"), Intervals(0, 5)),
    And(Thresholds(0, 3, direction="above").on("age"), Taxonomy({"J1": "J", "J2": "J"}).on("code")),
    Or(Thresholds(0.0, 2e-323, direction="above").on("a"), Thresholds(0.0, 2e-323, direction="above").on("b")),
]
each_class = pytest.mark.parametrize("H", LISTABLE, ids=range(len(LISTABLE)))


def sample_of(H, numbers, labels, counts):
    """The records whose points have these numbers in the domain, two of them void."""
    values = [H.domain.decode(number) for number in numbers]
    points = H.domain.points(values) if values else np.zeros((0, 2), dtype=np.int64)
    points = points if values or hasattr(H.domain, "dim") or hasattr(H.domain, "domains") else points[:, 0]
    return Sample(points, np.array(labels, dtype=bool), np.array(counts, dtype=np.int64), sum(counts) + 2, values)


@pytest.mark.slow
@each_class
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_errors_are_those_of_the_rules_themselves(H, data):
    records = data.draw(
        st.lists(st.tuples(st.integers(0, H.domain.size - 1), st.booleans(), st.integers(1, 4)), max_size=9)
    )
    sample = sample_of(H, *(list(part) for part in zip(*records, strict=True))) if records else sample_of(H, [], [], [])
    T = table(H)
    rules = [H.hypothesis(c) for c in T.concepts] if isinstance(H, ExplicitClass) else T.concepts
    found = table_errors(T, sample)
    assert found.dtype == np.int64
    assert found.tolist() == [sample.errors(rule) if records else 0 for rule in rules]


@each_class
def test_every_concept_is_a_candidate_once(H):
    T = table(H)
    assert FiniteLearner.supports(H)
    assert len(np.unique(T.matrix, axis=0)) == len(T.matrix) == len(T.concepts) <= H.size


def test_what_cannot_be_listed_is_left_to_others():
    for H in (
        Points(),
        Points(5),
        Spider(4),
        RootPaths("/"),
        Thresholds(0, 2**64 - 1, direction="above"),
        Thresholds(kind="float64", direction="above"),
        Rectangles(0, 10**6, 40),
        HalfPlanes(2**40),
        Conjunctions(300),
        And(Points().on("a"), Thresholds(0, 3, direction="above").on("b")),
        ExplicitClass(np.zeros((0, 3), dtype=bool)),
    ):
        assert not FiniteLearner.supports(H)


UNIVERSES = [
    (TWINS, labeled("abd")),
    (Thresholds(0, 2, direction="above"), labeled(range(3))),
    (Parities(2), labeled([(0, 1), (1, 1)])),
]


@pytest.mark.slow
@over(("H", "universe"), UNIVERSES)
@over("n", [1, 2, 3])
def test_it_is_purely_private_over_all_neighbors(H, universe, n):
    worst = whole(
        PrivateClassifier(H, epsilon=1, method="FiniteLearner"), "a small class", [*universe, None], n
    ).exact()
    assert not worst.refuted, str(worst)


def test_the_bound_is_reached_and_broken_twins_are_refuted():
    H, pure, n = Thresholds(0, 2, direction="above"), Budget(1), 2
    T = table(H)

    def sample(records):
        return Sample(np.array([x for x, _ in records]), np.array([y for _, y in records], dtype=bool), None, n)

    def refuted(view):
        return Case(PermuteAndFlip(pure), view, "a twin", labeled(range(3)), n, pure).exact().refuted

    assert not refuted(lambda r: -table_errors(T, sample(r)))
    assert refuted(lambda r: -2 * table_errors(T, sample(r)))  # a record that counts twice
    assert refuted(lambda r: -(table_errors(T, sample(r)) * 3 // 2))  # rounding that is not done record by record


def test_a_large_table_is_multiplied_in_parts(monkeypatch):
    rng = np.random.default_rng(1)
    H = ExplicitClass.random(1000, 300, rng)
    T = table(H)
    sample = Sample(rng.integers(300, size=5000), rng.random(5000) < 0.5, rng.integers(1, 2**40, size=5000), 2**60)
    whole = table_errors(T, sample)
    monkeypatch.setattr(finite, "LABELS_AT_ONCE", 299)
    assert (table_errors(T, sample) == whole).all()
    row = T.matrix[17][T.columns[sample.points]]
    assert whole[17] == sample.counts[row != sample.labels].sum()


def test_rules_read_as_rules_of_the_class_and_come_back():
    grid = np.random.default_rng(2).integers(0, 5, size=(2000, 2))
    labels = ((grid >= 1).all(axis=1) & (grid <= 3).all(axis=1)).astype(int)
    clf = PrivateClassifier(Rectangles(0, 4, 2), epsilon=2, method="FiniteLearner").fit(grid, labels)
    assert (clf.predict(grid) == labels).all() and Hypothesis.from_json(clf.hypothesis_.to_json()) == clf.hypothesis_
    both = And(Thresholds(0, 9, direction="above").on("age"), Taxonomy({"J1": "J", "J2": "J"}).on("code"))
    rows = {"age": [3, 8, 8] * 300, "code": ["J", "J", "J1"] * 300, "other": ["x"] * 900}
    clf = PrivateClassifier(both, epsilon=2, method="FiniteLearner").fit(rows, [0, 1, 0] * 300)
    assert clf.predict({"age": [8, 0], "code": ["J", "J"]}).tolist() == [1, 0] and "age" in str(clf.hypothesis_)


@pytest.mark.parametrize("labels", [[0] * 40, [1] * 40])
def test_one_class_is_no_exception(labels):
    assert (
        PrivateClassifier(Thresholds(0, 9, direction="above"), epsilon=9, method="FiniteLearner")
        .fit(np.arange(40).reshape(-1, 1) % 10, labels)
        .predict([[5]])
        == labels[:1]
    )


def test_certificates_are_those_of_permute_and_flip():
    H = ExplicitClass.random(300, 60, np.random.default_rng(3))
    sizes = [
        PrivateClassifier(H, epsilon=ε, regime="realizable", method="FiniteLearner").certified_n() for ε in (0.5, 1, 3)
    ]
    assert all(n <= most for n, most in zip(sizes, (358, 200, 100), strict=True))
    clf = PrivateClassifier(H, epsilon=1, method="FiniteLearner")
    assert clf.learner().failure(900, 0.1) == chance(log(H.size / 2), 0, 900, 0.1, 0.5, "agnostic")


@pytest.mark.slow
@pytest.mark.parametrize(("regime", "noise"), [("realizable", 0.0), ("agnostic", 0.3)])
def test_a_certificate_fails_as_seldom_as_it_says(regime, noise):
    """Size: P(Bin(200, .05) > 29) < 1e-7. Power: a failure rate of .25 is seen with probability above .999."""
    H = ExplicitClass(np.eye(300, 301, dtype=bool))  # each of 299 rules errs just more than the target does
    clf = PrivateClassifier(H, epsilon=1, regime=regime, feature=None, method="FiniteLearner")
    n, rng, mass = clf.certified_n(), np.random.default_rng(), 0.101 / (1 - 2 * noise)

    def fails():
        x = np.where(rng.random(n) < mass, 0, 300)
        return not clf.fit(x, ((x == 0) ^ (rng.random(n) < noise)).astype(int)).hypothesis_([0])[0]

    assert sum(fails() for _ in range(200)) <= 29
