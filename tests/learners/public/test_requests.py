"""Public records of a request: how they are read, and what is refused before anything is spent."""

import copy

import numpy as np
import pytest

import privpac as pp
from privpac.learners.public.requests import with_public
from privpac.refusals.refusal import Refused, RefusedType

H, CUTS = pp.HalfSpaces(2, 100), pp.Thresholds(0, 10**6)
X0 = np.random.default_rng(5).integers(0, 100, (200, 2))
X, Y = X0[:50], X0[:50, 0] >= 50


@pytest.mark.parametrize(
    ("public", "words"),
    [
        (X0[:2], "VC dimension of the class, 3, but there are only 2"),
        (X0 + 50, "declare a grid"),
        (X0 * np.nan, "NaN"),
        (X0[:, :1], "reads 2 columns"),
        (X0[:0], "public records"),
        ([], "public records"),
        ("public.csv", "public records come as a table"),
        (True, "public records come as a table"),
        (300, "reads the public records themselves"),
        (np.int64(300), "reads the public records themselves"),
        ({"a": [1, 2, 3]}, "in the public records"),
        (np.array(5), "in the public records: public is a single value"),
    ],
)
def test_wrong_public_records_are_refused_and_nothing_is_spent(public, words):
    ledger = pp.Ledger(pp.Budget(1))
    with pytest.raises((Refused, RefusedType), match=words) as caught:
        pp.PrivateClassifier(H, public=public, budget=ledger).fit(X, Y)
    assert caught.value.parameter == "public" and ledger.spent == pp.Budget(0)


@pytest.mark.parametrize(("concept_class", "most"), [(pp.Intervals(0, 10**6), 361)])
def test_too_many_patterns_are_refused_with_the_number_that_works(concept_class, most):
    public = np.random.default_rng(1).integers(0, 10**6, (400, len(concept_class.domain.columns)))
    with pytest.raises(Refused, match=f"{most} of them can be listed"):
        with_public(concept_class, public)
    assert with_public(concept_class, public[:most]).public.number == most


def test_rows_of_a_lazy_frame_are_public_records_too():
    polars = pytest.importorskip("polars")
    found = with_public(CUTS.on("x"), polars.LazyFrame({"x": [7, 3, 7], "y": [0, 1, 1]}))
    assert found == with_public(CUTS.on("x"), {"x": [3, 7, 7]})


def test_records_none_of_which_fits_are_refused():
    named = pp.And(pp.Thresholds(0, 9).on("a"), pp.Points().on("b"))
    with pytest.raises(Refused, match="no public record fits the domain of the class; leave out public"):
        with_public(named, {"a": [-1, 10], "b": ["x", "y"]}, on_invalid="default")


def test_missing_entries_are_the_reason_where_they_are():
    gaps = pp.And(pp.Thresholds(0, 9).on("a", missing=True), pp.Points().on("b"))
    with pytest.raises(Refused, match="no learner uses public records where entries may be missing; leave out public"):
        with_public(gaps, {"a": [1, None, 9], "b": ["x", "y", "x"]})


def test_a_class_of_a_large_dimension_is_told_that_no_number_works():
    """A sample as small as can be listed would be refused as smaller than the VC dimension."""
    with pytest.raises(Refused, match="at most 16 records, fewer than its VC dimension, 70; leave out public"):
        with_public(pp.Conjunctions(70), np.random.default_rng(2).integers(0, 2, (300, 70)))


@pytest.mark.parametrize("kind", [pp.Scorecards, pp.Auto])
def test_scorecards_do_not_use_public_records(kind):
    """Sixteen records would be few enough by their number, but too many cuts divide them."""
    rng = np.random.default_rng(3)
    parts = pp.Thresholds(0, 9).on("a"), pp.Thresholds(0, 9).on("b")
    for m in (3, 16, 30):
        public = {"a": rng.integers(0, 10, m), "b": rng.integers(0, 10, m)}
        with pytest.raises(Refused, match="no learner uses public records for this class; leave out public"):
            with_public(kind(*parts), public)


def test_half_spaces_need_the_records_and_few_dimensions():
    with pytest.raises(Refused, match="not by their number"):
        pp.plan(H, public=300)
    with pytest.raises(Refused, match="up to 4 dimensions"):
        pp.plan(pp.HalfSpaces(5, 10), public=300)


def test_public_records_are_read_as_private_ones_are():
    clamped = pp.PrivateClassifier(H, public=X0 * 2, on_invalid="clamp").learner().concept_class.public
    assert clamped.number == 200 and max(clamped.points)[0] == 99
    fitting = pp.PrivateClassifier(H, public=X0 * 2, on_invalid="default").learner().concept_class.public
    assert fitting.number == int((X0 < 50).all(axis=1).sum())
    named = {"b": X0[:, 1], "y": [0] * 200, "a": X0[:, 0]}
    clf = pp.PrivateClassifier(H, feature=["a", "b"], public=named)
    assert sorted(clf.learner().concept_class.public.points) == sorted(map(tuple, X0.tolist()))


def test_public_records_are_read_again_if_they_change():
    clf = pp.PrivateClassifier(CUTS, feature=None, public=list(range(100)))
    assert clf.learner().concept_class.public.number == 100
    assert clf.set_params(public=list(range(50))).learner().concept_class.public.number == 50
    assert copy.deepcopy(clf).learner().concept_class.public.number == 50


def test_a_plan_takes_records_or_their_number():
    plans = [pp.plan(CUTS, public=public) for public in (300, list(range(300)), np.arange(300).reshape(-1, 1))]
    assert {plan.best.n for plan in plans} == {plans[0].best.n}
    assert "public records are drawn" in str(plans[0])
    with pytest.raises(Refused, match="release"):
        pp.plan(CUTS, public=300, task="release")


def test_the_assumption_is_part_of_the_certificate():
    clf = pp.PrivateClassifier(CUTS, feature=None, public=list(range(400))).fit([1, 2] * 4000, [0, 1] * 4000)
    assert "the public records are drawn independently from the distribution of the private ones" in str(clf.guarantee_)
    assert clf.guarantee_.utility.theorem == "public records, Theorem 3" and str(clf.privacy_) == "ε = 1"


def test_private_records_are_not_taken_for_public_ones():
    ledger = pp.Ledger(pp.Budget(1))
    with pytest.raises(Refused, match="X itself is not public") as caught:
        pp.PrivateClassifier(H, public=X, budget=ledger).fit(X, Y)
    assert caught.value.parameter == "public" and ledger.spent == pp.Budget(0)


def test_a_key_is_for_one_set_of_public_records(tmp_path):
    account = pp.BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("a", pp.Budget(3))

    def fit(public):
        return pp.PrivateClassifier(CUTS, feature=None, public=public, budget=account.once("k")).fit(
            [1, 2] * 99, [0, 1] * 99
        )

    rule = fit(list(range(100))).hypothesis_
    assert fit(list(range(100))).hypothesis_ == rule
    for others in (list(range(101)), list(range(1, 101))):
        with pytest.raises(ValueError, match="key"):
            fit(others)
