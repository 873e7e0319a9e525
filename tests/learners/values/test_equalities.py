"""Learning a conjunction of equalities: exact audits with broken twins, certificates, tables, speed."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import betaincinv

import privpac as pp
from privpac.audit.claims.case import Case, labeled
from privpac.audit.claims.fits import AuditedFit
from privpac.classes.compositions.equalities import Equalities
from privpac.learners.choice import learner_for
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.values.equalities import EqualityLearner
from privpac.requests.conditions import Conditions
from tests.grid import over
from tests.learners.whole import whole

PAIRS = Equalities(0, 1, at_most=2)


@pytest.mark.audit
@over(("H", "cost"), product([PAIRS, Equalities(0, 1, at_most=1)], [(1, 0.05), (0.25, 0.6), (3, 1e-6)]))
def test_no_neighbors_refute_it(H, cost):
    """All samples of three records: one label, one value, void ones, and labels that no rule explains among them."""
    clf = PrivateClassifier(H, epsilon=cost[0], delta=cost[1], allow_large_delta=True)
    universe = [*labeled([("a", "b"), ("a", 1), ("c", True)]), None]
    assert not whole(clf, "2 columns", universe, 3).exact().refuted


@over(("c", "j"), [(2, 1), (2, 2), (3, 2)])
def test_the_claim_is_tight_among_negative_records(c, j):
    """A positive record brings κ conjunctions, which weigh exactly what δ allows."""
    clf = PrivateClassifier(Equalities(*range(c), at_most=j), epsilon=1, delta=Fraction(1, 10), allow_large_delta=True)
    crowd, universe = ((("x",) * c, 0),) * 30, [*labeled([("x",) * c, ("y",) * c]), None]
    learned = AuditedFit(clf.fitting(31), 31)
    worst = Case(learned, learned.sample, "crowd", universe, 1, learned.cost, crowd=crowd).exact()
    assert not worst.refuted and float(worst.ratio) > 0.99999


def table(rng, n, c, distinct):
    return {f"c{i}": rng.integers(0, distinct, n).astype(str) for i in range(c)}


@pytest.mark.slow
@over(("noise", "at_most"), product([0.0, 0.1], [2, 3]))
def test_a_conjunction_is_found(noise, at_most):
    """With 20,000 records its margin of 600 records and more leaves another rule e^(−200)."""
    rng = np.random.default_rng(at_most)
    X = table(rng, 20_000, 6, 4)
    wanted = {f"c{i}": "2" for i in range(0, 2 * at_most, 2)}
    y = np.logical_and.reduce([X[name] == value for name, value in wanted.items()]) ^ (rng.random(20_000) < noise)
    clf = PrivateClassifier(Equalities(*X, at_most=at_most), epsilon=1).fit(X, y)
    assert clf.hypothesis_ == clf.concept_class.hypothesis(wanted)
    assert str(clf.hypothesis_) == " and ".join(f"{name} = 2" for name in wanted)
    assert (clf.predict(X) == clf.hypothesis_(X)).all()


def test_always_and_never_are_found_where_they_are_best():
    X = {"a": [f"{i}" for i in range(400)]}
    for label in (0, 1):
        clf = PrivateClassifier(Equalities("a", at_most=1), epsilon=1, delta=1e-6).fit(X, [label] * 400)
        assert clf.hypothesis_.constant is bool(label)
        assert pp.Model.from_json(pp.model_of(clf).to_json()).predict(X).tolist() == [label] * 400


def test_missing_cells_are_void_or_refused():
    X = {"a": ["x", None, "y"] * 300, "b": ["u", "v", "w"] * 300}
    H = Equalities("a", "b", at_most=2)
    with pytest.raises(ValueError, match="missing"):
        PrivateClassifier(H).fit(X, [1, 1, 0] * 300)
    clf = PrivateClassifier(H, epsilon=6, on_invalid="default").fit(X, [1, 1, 0] * 300)
    assert clf.predict(X).tolist() == [1, 0, 0] * 300


def test_models_write_and_read_values_of_any_kind():
    X = {"a": [1, 2.5, ("t", 1)] * 200, 1: ["u", "v", "w"] * 200}
    clf = PrivateClassifier(Equalities("a", 1, at_most=2), epsilon=9).fit(X, [0, 0, 1] * 200)
    assert pp.Model.from_json(pp.model_of(clf).to_json()).predict(X).tolist() == [0, 0, 1] * 200


@over(
    ("regime", "epsilon", "n"),
    [
        *(("realizable", 0.5, 1049), ("realizable", 1, 560), ("realizable", 3, 227)),
        *(("agnostic", 0.5, 1932), ("agnostic", 1, 1572), ("agnostic", 3, 1505)),
    ],
)
def test_certified_sizes_of_twenty_columns(regime, epsilon, n):
    clf = PrivateClassifier(Equalities(*range(20), at_most=3), epsilon=epsilon, delta=1e-6, regime=regime)
    assert clf.certified_n() == n
    assert learner_for(clf.concept_class, Conditions.of(epsilon=epsilon, delta=1e-6, regime=regime)) is EqualityLearner


@pytest.mark.audit
@over(("regime", "noise"), [("realizable", 0.0), ("agnostic", 0.1)])
def test_certified_errors_hold(regime, noise):
    """Of 120 fits with β = .2, more fail than 95 % of Bin(120, .2) less than once in 10^6 tests, if the claim holds."""
    rng, runs, β = np.random.default_rng(3), 120, 0.2
    clf = PrivateClassifier(Equalities(0, 1, 2, at_most=2), epsilon=2, delta=1e-5, alpha=0.15, beta=β, regime=regime)
    n, failed = clf.certified_n(), 0
    for _ in range(runs):
        X = np.where(rng.random((n, 3)) < 0.42, 7, rng.integers(0, 40, (n, 3)))
        clean = (X[:, 0] == 7) & (X[:, 1] == 7)
        rule = clf.fit(X, clean ^ (rng.random(n) < noise)).hypothesis_
        fresh = np.where(rng.random((2000, 3)) < 0.42, 7, rng.integers(0, 40, (2000, 3)))
        wrong = rule(fresh) != ((fresh[:, 0] == 7) & (fresh[:, 1] == 7))
        failed += wrong.mean() * (1 - 2 * noise) > 0.15 + 0.02
    assert betaincinv(failed + 1, max(runs - failed, 1), 1e-6) < β


def test_no_certificate_where_nothing_is_proved():
    learner = EqualityLearner.for_class(PAIRS, Conditions.of(delta=1e-6).terms(10))
    assert learner.failure(1, 0.1) == learner.failure(0, 0.1) == 1.0
    assert EqualityLearner.for_class(PAIRS, Conditions.of(delta=0).terms(10)) is None


def test_its_release_cites_its_own_theorem():
    clf = PrivateClassifier(PAIRS, delta=1e-6).fit([("a", "b")] * 50, [0] * 50)
    assert [entry.theorem for entry in clf.ledger_.entries] == ["equality learner, Theorem 1"]
