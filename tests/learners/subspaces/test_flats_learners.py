"""Learning flats: certificates, clean and noisy labels, engines and orders, bad input."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import privpac as pp
from privpac.classes.vectors.subspaces import AffineSubspace
from privpac.data.samples.sample import Sample
from privpac.learners.choice import learner_for
from privpac.learners.model import Model, model_of
from privpac.learners.sample_sizes import certified_n
from privpac.learners.subspaces.flats import FlatLearner, HeavyFlatLearner, spanned_flats
from privpac.requests.conditions import Conditions

REALIZABLE = Conditions.of(epsilon=1, delta=1e-6, regime="realizable")
TARGET = AffineSubspace(2, (0,) * 16, ((1,) * 16, (0,) * 8 + (1,) * 8))


def records(n, seed=1):
    """Half of the records on a plane in F_2^16, where four points have .1 to .15 each; the others anywhere."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(0, 2, (n, 2))
    on = np.concatenate([np.repeat(sides[:, :1], 8, 1), np.repeat(sides[:, 1:], 8, 1)], axis=1)
    X = np.where((rng.random(n) < 0.5)[:, None], on, rng.integers(0, 2, (n, 16)))
    return X, TARGET(X)


@pytest.mark.audit
def test_which_learner_is_chosen():
    flats = pp.AffineSubspaces(2, 256, 2)
    assert learner_for(flats, REALIZABLE) is FlatLearner
    assert learner_for(flats, Conditions.of()) is HeavyFlatLearner
    assert certified_n(FlatLearner, flats, Conditions.of()) is None
    assert certified_n(HeavyFlatLearner, flats, REALIZABLE) is None
    with pytest.raises(ValueError, match="delta"):
        learner_for(flats, Conditions.of(delta=0))


@pytest.mark.audit
def test_certified_sizes():
    """Less than the exponential mechanism over all flats would need; it falls as ε grows."""
    for k, most in ((1, 2400), (2, 7000)):
        flats = pp.AffineSubspaces(2, 256, k)
        n = certified_n(FlatLearner, flats, REALIZABLE)
        learner = FlatLearner.for_class(flats, REALIZABLE.terms(n))
        assert n <= most < flats.log_size * 20
        assert learner.failure(n, 0.1) <= 0.05 < learner.failure(n // 2, 0.1)
        assert learner.certified_alpha(10 * n) < Fraction(1, 20)
    assert certified_n(FlatLearner, flats, Conditions.of(epsilon=3, delta=1e-6, regime="realizable")) < n / 2


@pytest.mark.slow
def test_a_plane_is_found():
    X, y = records(8000)
    clf = pp.PrivateClassifier(pp.AffineSubspaces(2, 16, 2), epsilon=1, delta=1e-6, regime="realizable").fit(X, y)
    assert clf.hypothesis_ == TARGET  # with probability 1 − 1e-9: more than 60 votes too many, and no errors
    assert str(clf.hypothesis_) == " = ".join(f"x{'₁₂₃₄₅₆₇₈'[i]}" for i in range(8)) + " and " + " = ".join(
        "x" + c for c in ("₉", "₁₀", "₁₁", "₁₂", "₁₃", "₁₄", "₁₅", "₁₆")
    )
    model = Model.from_json(model_of(clf).to_json())
    assert model.certificate.utility.alpha < Fraction(1, 10)
    assert (model.predict(X[:50]) == clf.predict(X[:50])).all()


def test_noisy_labels():
    """With 10 % wrong labels: each of four points has 1000 records or more, and flats differ by hundreds of errors."""
    X, y = records(10000)
    wrong = y ^ (np.random.default_rng(2).random(len(y)) < 0.1)
    clf = pp.PrivateClassifier(pp.AffineSubspaces(2, 16, 2), epsilon=1, delta=1e-6).fit(X, wrong)
    assert clf.hypothesis_ == TARGET and model_of(clf).certificate.utility is None


@pytest.mark.slow
def test_the_vote_is_what_counts_say_in_any_order():
    """A table of counts, records in memory, and sorted records all give the plane."""
    X, y = records(8000)
    table = pd.DataFrame(X, columns=[f"b{i}" for i in range(16)])
    by = np.lexsort(X.T)
    clf = pp.PrivateClassifier(pp.AffineSubspaces(2, 16, 2), epsilon=1, delta=1e-6, regime="realizable")
    assert clf.fit(table.iloc[by], y[by]).hypothesis_ == TARGET
    assert model_of(clf).feature == tuple(table.columns)
    assert (model_of(clf).predict(table[::-1]) == clf.predict(table[::-1])).all()


def test_votes_are_counted_by_their_records():
    """Entries that stand for many records, void records, and too few."""
    flats = pp.AffineSubspaces(2, 2, 1)
    learner = FlatLearner.for_class(flats, REALIZABLE.terms(1))
    for n in (1, 2, 50):
        assert all(1 <= size <= n for size in learner.vote(n).sizes)
    seen = []
    sample = Sample(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=bool), None, 7)
    learner.run(
        type("All", (), {"size": 7, "see": lambda _, view: view(sample)})(), lambda m, data: seen.append((m, data))
    )
    ((mechanism, data),) = seen
    assert {str(rule): float(p) for rule, p in mechanism.law(data).items()} == {"never": 1.0}


@pytest.mark.slow
def test_flats_of_heavy_points():
    flats = pp.AffineSubspaces(2, 40, 3)
    points = [tuple(int(i == j) for i in range(40)) for j in range(40)]
    found = spanned_flats(flats, points)
    assert len(found) <= 2**11 and max(flat.dimension for flat in found) == 3
    assert spanned_flats(flats, []) == []
    assert spanned_flats(pp.AffineSubspaces(2, 2, 0), points and [(0, 1), (1, 1)]) == [
        AffineSubspace(2, (0, 1)), AffineSubspace(2, (1, 1)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("X", "why"),
    [
        ([[0, 2]] * 9, "off the grid"),
        ([["a", 0]] * 9, "integers"),
        ([[0, 1, 1]] * 9, "columns"),
        ([[0, None]] * 9, "integers|missing|NaN"),
    ],
)
def test_other_columns_are_refused_in_a_sentence(X, why):
    clf = pp.PrivateClassifier(pp.AffineSubspaces(2, 2, 1), regime="realizable")
    with pytest.raises((TypeError, ValueError), match=why):
        clf.fit(X, [0, 1, 1] * 3)


def test_bits_that_do_not_fit_stop_nothing_under_clamp():
    X = [[0, 2], [1, 1]] * 2000
    clf = pp.PrivateClassifier(
        pp.AffineSubspaces(2, 2, 1), regime="realizable", on_invalid="clamp", classes=[0, 1], delta=1e-6
    )
    assert clf.fit(X, [0, 1] * 2000).hypothesis_([[1, 1]]).all()
