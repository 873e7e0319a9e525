"""[BBKN14, Obs. 2.7]: k-term DNF learned as k-CNF, privately."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst_divergence
from privpac.papers.bbkn14.formulas import KCnf, KCnfLearner, clauses
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

GOAL = (Fraction(1, 4), Fraction(1, 10))


def terms(v):
    """All conjunctions of literals: for each variable 0, 1, or absent."""
    return list(product((0, 1, None), repeat=v))


def holds(term, x):
    return all(sign is None or bit == sign for sign, bit in zip(term, x, strict=True))


@over(("v", "k"), [(2, 1), (3, 1), (2, 2), (3, 2)])
def test_every_formula_of_k_terms_is_a_conjunction_of_clauses(v, k):
    """The clauses that no positive vector violates describe the formula exactly."""
    cube = list(product((0, 1), repeat=v))
    for formula in combinations_with_replacement(terms(v), k):
        labels = [any(holds(term, x) for term in formula) for x in cube]
        kept = [
            c
            for c in clauses(v, k)
            if all(any(x[i] == b for i, b in c) for x, y in zip(cube, labels, strict=True) if y)
        ]
        assert KCnf(tuple(kept))(cube).tolist() == labels


@over(("v", "k"), [(2, 1), (4, 2), (5, 3)])
def test_clauses_are_all_there_once(v, k):
    listed = clauses(v, k)
    assert len(set(listed)) == len(listed)
    assert {frozenset(c) for c in listed} == {
        frozenset((i, b) for i, b in enumerate(signs) if b is not None)
        for signs in product((0, 1, None), repeat=v)
        if 1 <= sum(b is not None for b in signs) <= k
    }


def test_it_is_private_on_all_samples():
    """v = 1, two literals and two records: ε = 0.7 of 1 is refuted. So is a twin that pays for one count."""
    learner = KCnfLearner(1, 1, Budget(1), *GOAL)
    learner.__dict__["bar"] = 0

    def law(sample):
        return learner.law([((x,), y) for x, y in sample])

    found = worst_divergence(law, labeled(range(2)), 2, learner.cost)
    assert not found.refuted
    assert worst_divergence(law, labeled(range(2)), 2, Budget("0.7")).refuted

    class Twin(KCnfLearner):
        @property
        def count_cost(self):
            return self.cost  # as if a record violated one clause only

    twin = Twin(2, 1, Budget(1), *GOAL)
    twin.__dict__["bar"] = 0
    points = list(product((0, 1), repeat=2))
    pair = [((points[0], 1),), ((points[3], 1),)]
    first, second = (twin.law(sample) for sample in pair)
    assert max(abs(float((first[o] / second[o]).log())) for o in first) > 1.5


def test_it_learns_from_n_examples():
    """x₀ ∧ ¬x₁ or x₂. If 20 runs fail with β = 0.1 each, 12 or more do with probability below 1e-7."""
    learner = KCnfLearner(3, 2, Budget(50), *GOAL)
    cube = np.array(list(product((0, 1), repeat=3)))
    truth = (cube[:, 0] & ~cube[:, 1] & 1 | cube[:, 2]).astype(bool)
    rng, good = np.random.default_rng(5), 0
    for seed in range(20):
        rows = rng.integers(0, 8, learner.N)
        rule = learner.learn([tuple(x) for x in cube[rows].tolist()], truth[rows], rng=seed)
        good += bool((rule(cube) != truth).mean() <= learner.alpha)
    assert good >= 9


@over(("v", "k"), [(2, 1), (3, 2), (4, 3)])
def test_two_records_change_as_many_counts_as_are_paid_for(v, k):
    cube, learner = list(product((0, 1), repeat=v)), KCnfLearner(v, k, Budget(1), *GOAL)
    violated = {x: {c for c in learner.clauses if all(x[i] != b for i, b in c)} for x in cube}
    worst = max(len(violated[x] ^ violated[y]) for x, y in product(cube, cube))
    assert worst * learner.count_cost.epsilon == 1


def test_what_it_asks_for_grows_like_the_square_of_the_clauses():
    sizes = [KCnfLearner(v, 1, Budget(1), *GOAL).N for v in (2, 4, 8)]
    assert 3 < sizes[1] / sizes[0] < 6 and 3 < sizes[2] / sizes[1] < 6


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: KCnfLearner(2, 3, Budget(1), *GOAL), "k must not exceed v"),
        (lambda: KCnfLearner(0, 1, Budget(1), *GOAL), "v must"),
        (lambda: KCnfLearner(2, 1, Budget(1), 0, 0.1), "alpha"),
        (lambda: KCnfLearner(10**4, 4, Budget(1), *GOAL), "memory|large|room|many"),
    ],
)
def test_refusals(call, words):
    with pytest.raises((ValueError, MemoryError), match=words):
        call()
