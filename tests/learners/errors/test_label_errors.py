"""Measured errors of rules with several labels: kinds, coverage, and privacy over all neighbors."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.fits import Learned, fit_of
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.label_trees import Answer, LabelSplit
from privpac.classes.lines.rules import Threshold
from privpac.data.samples.sample import Sample, Void
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.errors.error_intervals import MOST_EXACT, NoiseSum
from privpac.learners.errors.label_errors import Kinds, LabelErrors, read_label_counts
from tests.grid import over

F, USUAL = Fraction, Fraction(1, 20)


@over("K", (3, 5))
@over("folded", (False, True))
@over("void", (False, True))
def test_every_record_is_of_one_kind(K, folded, void):
    kinds = Kinds.of(K, folded=folded, void=void)
    table = list(range(K * K)) + [100 + i for i in range(K + 1)]
    counts = kinds.counts(table)
    assert len(counts) == len(kinds.labels) == (2 * K if folded else K * K) + (K + 1) * void
    assert sum(counts) == sum(table if void else table[: K * K])
    right = sum(table[K * k + k] for k in range(K)) + 100 * void  # misfits get the first label
    assert sum(counts[kind] for kind in kinds.right) == right
    declared = sum(table[: K * K]) + void * sum(100 + i for i in range(K))
    assert sum(counts[kind] for kind in kinds.wrong) == declared - right
    for k in range(K):
        more, less = kinds.than_constant(k)
        of_k = sum(table[K * k : K * (k + 1)]) + void * (100 + k)
        gain = sum(counts[kind] for kind in more) - sum(counts[kind] for kind in less)
        assert gain == right - of_k  # rule right minus constant right


def test_confusions_are_counted_by_definition():
    rng = np.random.default_rng(0)
    labels, answers, counts = rng.integers(4, size=30), rng.integers(4, size=30), rng.integers(9, size=30)
    void = Void(np.array([1, 3]), np.array([5, 2]))
    size = int(counts.sum()) + 9
    sample = Sample(answers, labels, counts, size, answers, void=void, K=4)
    found = sample.confusions(lambda values: values)
    for i, j in product(range(4), repeat=2):
        assert found[4 * i + j] == counts[(labels == i) & (answers == j)].sum()
    assert found[16:] == (0, 5, 0, 2, 2) and sum(found) == size


@pytest.mark.audit
@over("K", (3, 7))
@over("folded", (False, True))
@over("void", (False, True))
def test_intervals_cover_and_constants_are_told_apart(K, folded, void):
    """Of 60 samples, at most 5 % and four standard deviations miss; a rule that is a constant is never better."""
    rng, kinds, m, rate = np.random.default_rng(K), Kinds.of(K, folded=folded, void=void), 2000, F(1, 2)
    chances = rng.dirichlet(np.ones(K * K + K + 1))
    chances[K * K :] *= void
    chances /= chances.sum()
    always = np.zeros((K, K))
    always[:, 0] = np.arange(1, K + 1)[::-1] / sum(range(1, K + 1))
    missed = better = 0
    for _ in range(60):

        def noisy(p):
            true = kinds.counts(rng.multinomial(m, p).tolist())
            noise = rng.geometric(1 - np.exp(-0.5), len(true)) - rng.geometric(1 - np.exp(-0.5), len(true))
            return tuple((np.array(true) + noise).tolist())

        found = read_label_counts(kinds, noisy(chances), m, rate, USUAL)
        exact = kinds.counts(chances.tolist())
        error = sum(exact[kind] for kind in kinds.wrong) / (1 - chances[-1])
        missed += not found.low <= error <= found.high
        constant = np.append(always.ravel(), np.zeros(K + 1))
        better += read_label_counts(kinds, noisy(constant), m, rate, USUAL).better
    assert missed <= 3 + 4 * 2.85**0.5 and better <= 3 + 4 * 2.85**0.5


@over("terms", (8, MOST_EXACT))
@over("rate", (F(1, 2), F(1, 200)))
def test_tails_of_many_noises_are_bounded(terms, rate):
    t = np.array([-3, 0, 1, 5, 20, 60]) * max(1, int(1 / rate / 4))
    exact = NoiseSum(rate, terms)
    bound = exact._bound(t.astype(float))
    assert (bound >= exact.tail(t)).all()
    usual = exact.tail(t) > 1e-4
    assert (bound[usual] <= 20 * exact.tail(t)[usual]).all()
    assert np.isfinite(NoiseSum(rate, 4096).tail(t)).all()


def test_what_contradicts_itself_is_refused():
    right = {
        "error": 0.1, "low": 0.05, "high": 0.2, "confidence": F(19, 20), "shares": (0.2, 0.3, 0.5),
        "right": (1.0, 1.0, 0.8), "seen": (True,) * 3, "confusions": (), "constant": 0.5, "better": True, "held": 100,
    }  # fmt: skip
    assert LabelErrors(**right).labels == ("label 0", "label 1", "label 2")
    for wrong in ({"error": 0.3}, {"shares": (0.2, 0.8)}, {"right": (1.0, 2.0, 0.5)}, {"worse": True}, {"held": -1},
                  {"confusions": ((1.0,),)}):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            LabelErrors(**right | wrong)


UNIVERSE = [*product(((0,), (1,)), range(3)), (None, 0), (None, 2), None]


@over("folded", (False, True))
@over("void", (False, True))
def test_one_record_changes_two_counts_by_one(folded, void):
    """So the noise of disjoint counts is enough, for every tree and every pair of records."""
    universe = UNIVERSE if void else UNIVERSE[:6]
    fit = fit_of(DecisionTreeLearner, pp.Trees(pp.Thresholds(0, 1).on(0), depth=1), labels=3)
    learned, kinds = Learned(fit, 2), Kinds.of(3, folded=folded, void=void)
    rules = [LabelSplit(ColumnRule(Threshold(1), 0), Answer(i), Answer(j)) for i, j in product(range(3), repeat=2)]
    for rule in rules:
        counts = [np.array(kinds.counts(learned.read((UNIVERSE[0], each)).confusions(rule))) for each in universe]
        assert all(each.sum() == 2 for each in counts)
        assert max(np.abs(one - other).sum() for one, other in product(counts, repeat=2)) <= 2


def test_a_rate_is_unknown_while_noise_may_have_made_its_count():
    kinds = Kinds.of(3, folded=True, void=False)
    found = read_label_counts(kinds, (100, 3, 90, 5, 1, 1), 200, F(1, 2), USUAL)
    assert found.seen == (True, True, False)
    assert "an unknown share of label 2" in found.rates
