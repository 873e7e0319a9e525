"""Listed queries: sensitivity over all pairs of points, both ways to measure, gaps, whole releases, hostile input."""

from itertools import product
from operator import attrgetter

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.case import Case
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.values.points import OneOf
from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.release import Release
from privpac.release.explicit import ExplicitSanitizer, ListedAnswers, point_counts, queries_of, weights_near
from privpac.requests.conditions import Terms
from tests.release.samples import Whole, assert_is_the_gap, sample_of

STEPS = pp.ExplicitClass([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]], points="abcd", concepts=["d", "cd", "bcd"])
SUBSETS = pp.ExplicitClass(np.array(list(product((0, 1), repeat=5))), points="abcde")
TWINS = pp.ExplicitClass([[0, 0, 1], [0, 0, 1]], points="abc", concepts=["c", "again"])
BOTH = pp.And(pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("job", values=("clerk", "nurse")))
CLASSES = {
    "steps": STEPS,
    "subsets": SUBSETS,
    "twins": TWINS,
    "conjunctions of columns": BOTH,
    "disjunctions of columns": pp.Or(*BOTH.parts),
    "intervals": pp.Intervals(0, 6),
    "conjunctions of bits": pp.Conjunctions(3),
    "boxes of three columns": pp.Rectangles(0, 2, 3),
    "half-planes": pp.HalfPlanes(3),
}


@pytest.mark.parametrize("kind", CLASSES)
def test_the_sensitivity_is_the_largest_change_over_all_pairs_of_points(kind):
    cls = CLASSES[kind]
    M, changes = queries_of(cls)
    points = cls.domain.listed()
    queries = {tuple(h(points).tolist()) for h in cls.representatives(points)}
    assert len(M) == len(queries)
    at = [*zip(*queries, strict=True), (False,) * len(queries)]  # the last one is a void record
    assert changes == max(sum(a != b for a, b in zip(x, y, strict=True)) for x, y in product(at, repeat=2))
    sanitizer = ExplicitSanitizer(cls, Terms(Budget(1)))
    assert sanitizer.noise.sensitivity == (2 if queries_of(cls).by_points else changes)


def test_the_way_with_less_noise_is_chosen():
    assert queries_of(STEPS).changes == 3 and queries_of(STEPS).by_points
    assert queries_of(SUBSETS).changes == 16 and queries_of(SUBSETS).by_points
    few = pp.ExplicitClass([[0] * 50 + [1] * 50], points=range(100))
    assert queries_of(few).changes == 1 and not queries_of(few).by_points
    many = pp.ExplicitClass([[1] + [0] * 2999], points=range(3000))
    assert queries_of(many).changes is None and queries_of(many).by_points
    wide = ExplicitSanitizer(pp.Conjunctions(6), Terms(Budget(1, 1e-6)))
    assert isinstance(wide.noise, GaussianCounts if not queries_of(wide.concept_class).by_points else object)


@pytest.mark.parametrize("kind", CLASSES)
def test_answers_are_exact_without_noise(kind):
    cls, rng = CLASSES[kind], np.random.default_rng(5)
    points = cls.domain.listed()
    chosen = [points[i] for i in rng.integers(0, len(points), 60)]
    vectors = cls.domain.tabular and not cls.domain.column_names
    feature = list(range(len(cls.domain.columns))) if vectors else ()
    values = cls.domain.join(cls.domain.split(chosen)) if cls.domain.tabular else chosen
    release = pp.PrivateRelease(cls, epsilon=10**6, method="ExplicitSanitizer", feature=feature).fit(values)
    for query in cls.representatives(points):
        assert release.answer(query) == pytest.approx(query(chosen).mean())
    assert Release.from_json(release.to_json()) == release.release_
    rows = release.synthetic(60)
    assert {len(column) for column in rows.values()} == {60}
    assert release.synthetic(0) == {name: [] for name in rows}


def test_the_gap_is_the_largest_error_and_changes_by_one():
    answers = ListedAnswers(3, STEPS.domain, ("0001", "0011", "0111"), (2, 2, 3), (0, 0, 1, 2))
    queries = [STEPS.hypothesis(name) for name in STEPS.concepts]
    assert_is_the_gap(answers, STEPS.domain, "abcd", queries, 2)
    assert answers.count(OneOf(frozenset("cd"))) == 2  # the same query in other words
    for other in (OneOf(frozenset("a")), Constant(True), Threshold(3), pp.Points().on("x").hypothesis("a")):
        with pytest.raises(Refused, match="not one of the class"):
            answers.count(other)
    assert answers.counts() == {"holds at": ["d", "c, d", "b, c, d"], "records": [2, 2, 3]}
    with pytest.raises(ValueError, match="label for each point"):
        ListedAnswers(3, STEPS.domain, ("001",), (2,), (0, 0, 1, 2))


ONE = pp.ExplicitClass([[0, 0, 1]], points="abc")  # whose query gets noise
TWO = pp.ExplicitClass([[0, 1], [1, 0], [1, 1]], points="ac")  # whose points do


@pytest.mark.parametrize("on_invalid", ["raise", "default"])
@pytest.mark.parametrize("cls", [ONE, TWO])
def test_whole_releases_hold_for_all_neighbors(cls, on_invalid):
    assert queries_of(cls).by_points == (cls is TWO)
    sanitizer = ExplicitSanitizer(cls, Terms(Budget(1), on_invalid=on_invalid))
    universe = ["a", "c", *([None] if on_invalid == "default" else [])]
    whole = Whole(sanitizer, attrgetter("numbers", "weights"))
    case = Case(whole, tuple, "few queries", universe, 2, Budget(1))
    assert not case.exact().refuted
    assert case.overspent(4).exact().refuted


def test_void_records_lie_at_no_point():
    assert weights_near(np.array([3.0]), np.array([[1.0, 1.0]]), 1e-9, True, 10).sum() == pytest.approx(3, abs=1e-3)
    release = pp.PrivateRelease(STEPS, epsilon=10**5, on_invalid="default").fit([*"aabbcdd", "z", None])
    assert [release.release_.answers_.count(STEPS.hypothesis(name)) for name in STEPS.concepts] == [2, 3, 5]


@pytest.mark.parametrize("values", [[*"ab", None], [*"ab", float("nan")], [*"ab", "secret"]])
def test_other_values_are_refused_before_anything_is_spent(values):
    ledger = pp.Ledger(Budget(9))
    with pytest.raises((TypeError, ValueError)) as refused:
        pp.PrivateRelease(STEPS, epsilon=1, budget=ledger).fit(values)
    assert "secret" not in str(refused.value) and ledger.spent == Budget(0)


def test_few_records():
    for records in ("a", "d", "dddd"):
        release = pp.PrivateRelease(STEPS, epsilon=1).fit(list(records))
        assert all(0 <= release.answer(STEPS.hypothesis(name)) <= 1 for name in STEPS.concepts)
    assert point_counts(sample_of(STEPS.domain, "add"), STEPS.domain).tolist() == [1, 0, 0, 2]


def test_classes_that_cannot_be_listed_are_not_answered():
    terms = Terms(Budget(1, 1e-6))
    for cls in (
        pp.Points(),
        pp.Thresholds(0, 2**40, direction="above"),
        pp.Parities(30),
        pp.Equalities("a", at_most=1),
    ):
        assert ExplicitSanitizer.for_class(cls, terms) is None
