"""Points, properly: the law of the exponential mechanism, audited, and enough examples."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import divergence, worst_divergence
from privpac.audit.sampling import audit
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.points import STAR, ProperPoints, lemma_3_9, unseen
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers


def learner(T, epsilon=1, constants="tight"):
    return ProperPoints(T, Budget(epsilon), Fraction(1, 5), Fraction(1, 10), constants)


@pytest.mark.parametrize("T", [1, 2, 4])
def test_the_two_steps_are_the_exponential_mechanism(T):
    for D in combinations_with_replacement(labeled(range(T)), 3):
        scores = [-sum((x == j) != y for x, y in D) for j in range(T)]
        expected = Exponential(Budget(1)).law(scores)
        found = {next(iter(h.values)): p for h, p in learner(T).law(D).items()}
        assert float(divergence(found, expected, 0)) + float(divergence(expected, found, 0)) < 1e-30


@pytest.mark.parametrize(("T", "n"), [(2, 3), (3, 3), (4, 2)])
def test_privacy(T, n):
    found = worst_divergence(learner(T).law, [*labeled(range(T)), STAR], n, Budget(1))
    assert not found.refuted
    assert found.value > 0.5


@pytest.mark.parametrize(("spent", "refuted"), [(1, False), (100, True)], ids=["private", "too dear"])
def test_sampled_on_a_long_line(spent, refuted):
    """One record decides between two targets; at 100 times the claimed ε the learner follows it."""
    pair = tuple(((5, 1),) * k + ((2**63, 1),) * (401 - k) for k in (200, 201))
    assert audit(learner(2**64, spent), pair, claimed=Budget(1), runs=800, confidence=1 - 1e-9).refuted is refuted


def test_unseen_points_have_names():
    assert [unseen([], i) for i in range(3)] == [0, 1, 2]
    assert sorted([0, 3, 4] + [unseen([0, 3, 4], i) for i in range(5)]) == list(range(8))


def test_from_so_many_examples_on_the_target_is_found():
    """A target of mass just above α; of 200 runs 38 fail at most, except with probability 1e-4, if β = 0.1 is true."""
    L = learner(2**20)
    mass = round(0.21 * L.N)
    points, labels = [7] * mass + [3] * (L.N - mass), [1] * mass + [0] * (L.N - mass)
    assert sum(7 not in L.learn(points, labels).values for _ in range(200)) <= 38


def test_numbers():
    assert learner(2**64, constants="printed").N == 234  # ceil((64·ln 2 + ln 10)/0.2)
    assert [learner(2**d).N for d in (16, 32, 64)] == sorted(learner(2**d).N for d in (16, 32, 64))
    assert learner(2**64).N < 2.1 * learner(2**32).N


def test_fewer_examples_than_the_lower_bound_are_never_enough():
    for d in (8, 32, 128):
        assert lemma_3_9(2**d, 0.2, 0.1, 1.0) < learner(2**d).N


def test_what_is_refused():
    ledger = Ledger(Budget(1))
    for points, labels in (([SECRET], [1]), ([0], [2]), ([0.5], [1])):
        with pytest.raises((ValueError, TypeError)) as caught:
            learner(4).learn(points, labels, budget=ledger)
        assert str(SECRET) not in str(caught.value)
    assert ledger.spent == Budget(0)
    with pytest.raises(ValueError, match="constants"):
        learner(4, constants="loose")
    with pytest.raises(ValueError, match="T must"):
        learner(0)
    with pytest.raises(ValueError, match="T must"):
        lemma_3_9(2, 0.1, 0.05, 1.0)
    with pytest.raises(ValueError, match="alpha"):
        lemma_3_9(8, 0.1, 0, 1.0)


@pytest.mark.parametrize("entry", [(4, True), (-1, True), (0.5, False), (0, 2), (0, 1, True), "ab", (0,)])
def test_what_is_no_entry_is_refused_among_entries(entry):
    """Also where all others have the form in which they are not read again."""
    with pytest.raises((ValueError, TypeError)):
        learner(4).check([(1, True), STAR, entry])
    assert learner(4).check([(1, True), STAR, (3.0, 1), [2, False]]) == ((1, True), STAR, (3, True), (2, False))


def test_sizes_of_numpy_are_sizes():
    assert type(learner(np.int64(8)).T) is int
    assert learner(np.int64(2), 9).learn([1] * 99, [1] * 99).values == {1}


def test_equal_points_are_one_point():
    (value,) = learner(8, 100).learn([3.0, 1, 3] * 40, [1, 0, 1] * 40).values
    assert type(value) is int
    assert value == 3
