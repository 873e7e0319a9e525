"""INTERVAL: the concepts, their rounding from switching points, and two proper learners with their exact laws."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import bdtrc

from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import Listed, explicit
from privpac.classes.lines.thresholds import Thresholds
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.denoising import NoiseLearner
from privpac.papers.bbkn14.intervals import (
    IntervalExponential,
    SwitchingLearner,
    cut_errors,
    decreasing_points,
    interval,
    labels_of,
    proper_needs,
    switching_points,
)
from privpac.papers.bbkn14.representation import is_minimal
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger

pytestmark = pytest.mark.papers

ONE = Budget(1)


def universe(T):
    return tuple(product(range(1, T + 1), (False, True)))


def listed(labels):
    return Listed(tuple(range(1, len(labels) + 1)), tuple(labels))


def everything(T):
    return map(listed, product((False, True), repeat=T))


def noisy(T, mu, alpha=0.1, beta=0.05, cost=ONE):
    """An improper learner that is private because its inner one is."""
    concepts = frozenset(interval(T, j) for j in range(1, T + 2))
    return NoiseLearner(IntervalExponential(T, cost, alpha, beta), concepts, Fraction(mu))


def test_the_concepts_are_those_of_the_definition():
    for T in (1, 2, 5):
        for j in range(1, T + 2):
            assert labels_of(interval(T, j), T).tolist() == [x < j for x in range(1, T + 1)]


def test_switching_points_are_those_of_the_definition():
    assert switching_points(listed([True, True, False, True]), 4) == (1, 3, 4, 5)
    assert decreasing_points(listed([True, True, False, True]), 4) == (3, 5)
    assert switching_points(listed([False]), 1) == (1, 2)
    assert decreasing_points(listed([False]), 1) == (1,)
    assert decreasing_points(listed([True]), 1) == (2,)


def test_decreasing_points_are_every_other_switching_point():
    for h in everything(6):
        points = switching_points(h, 6)
        assert decreasing_points(h, 6) in {points[::2], points[1::2]}


def test_some_decreasing_point_errs_nowhere_where_the_hypothesis_does_not():
    """So for every distribution and every sample its error is at most that of h [BBKN14, Thm 5.4, Remark 5.5]."""
    for h in everything(6):
        wrong = {j: labels_of(interval(6, j), 6) for j in decreasing_points(h, 6)}
        for t in range(1, 8):
            target, labels = labels_of(interval(6, t), 6), labels_of(h, 6)
            assert any(not ((c != target) & (labels == target)).any() for c in wrong.values())


def test_errors_by_definition():
    data = ((1, True), (1, False), (4, True), (2, False), (5, True))
    assert cut_errors(range(1, 7), data).tolist() == [sum((x < j) != y for x, y in data) for j in range(1, 7)]


@pytest.mark.parametrize("data", [(), ((2, True),), ((4, True), (1, False), (3, True)), ((3, False), (3, True))])
def test_runs_of_equal_errors_change_no_probability(data):
    law = IntervalExponential(4, ONE, 0.1, 0.05).law(data)
    plain = Exponential(ONE).law(-cut_errors(range(1, 6), data))
    assert [float(law[interval(4, j)]) for j in range(1, 6)] == pytest.approx([float(p) for p in plain.values()])


@pytest.mark.parametrize(("T", "n"), [(2, 4), (4, 2)])
def test_the_exponential_mechanism_is_private_on_all_samples(T, n):
    learner = IntervalExponential(T, ONE, 0.1, 0.05)
    found = worst_divergence(learner.law, universe(T), n, ONE)
    assert not found.refuted
    assert float(found.ratio) > 0.7


class GroupsByName(IntervalExponential):
    """Names the first concept of a run instead of a uniform one: which are named tells where examples are."""

    def run(self, data, ask):
        first = [1, *(x + 1 for x in sorted({x for x, _ in data}))]
        return interval(self.T, first[ask(Exponential(self.cost), -cut_errors(first, data))])


def test_naming_the_first_of_a_run_is_refuted():
    assert worst_divergence(GroupsByName(3, ONE, 0.1, 0.05).law, universe(3), 2, ONE).refuted


class Remembered(NoiseLearner):
    """An improper learner, private because its inner one is, whose law is computed once for each sample."""

    N = 1
    law = cache(NoiseLearner.law)


def improper(T):
    concepts = frozenset(interval(T, j) for j in range(1, T + 2))
    return Remembered(IntervalExponential(T, ONE, 0.4, 0.4), concepts, Fraction(1, 10))


@pytest.mark.parametrize(("z", "constants"), [(3, "printed"), (4, "tight")])
def test_rounding_to_switching_points_is_private_on_all_samples(z, constants):
    learner = SwitchingLearner(improper(2), z, 0.9, 0.9, constants)
    assert learner.k == 3
    assert 0 < 3 * learner.s // learner.N < 3
    assert not worst_divergence(learner.law, ((1, False), (1, True), (2, True)), 3, ONE, ordered=True).refuted


@pytest.mark.parametrize("n", [0, 1, 7, 50, 75])
def test_every_example_is_seen_once(n):
    """k blocks of equal size and D_s, one after another; with N examples each has what it asks for."""
    learner = SwitchingLearner(IntervalExponential(9, Budget(4), 0.3, 0.2), 4, 0.9, 0.9)
    blocks, scores = [], []

    def ask(mechanism, data):
        if mechanism is learner.inner:
            blocks.append(data)
            return interval(9, 4)
        scores.append(data)
        return 1

    examples = tuple((1 + i % 9, i % 3 == 0) for i in range(n))
    assert learner.run(examples, ask) == interval(9, 4)
    learning = sum(blocks, ())
    assert (len(blocks), learner.N) == (learner.k, 75)
    assert learning == examples[: len(learning)]
    assert scores[0].tolist() == (-cut_errors((1, 4, 10), examples[len(learning) :])).tolist()
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1
    if n == learner.N:
        assert {len(block) for block in blocks} == {learner.inner.N}


@dataclass(frozen=True)
class Twice(SwitchingLearner):
    """Chooses by the examples that A′ has seen already."""

    def run(self, data, ask):
        h = ask(self.inner, data)
        switch = switching_points(h, self.domain.size)
        return interval(self.domain.size, switch[ask(Exponential(self.cost), -cut_errors(switch, data))])


def test_choosing_by_the_same_examples_is_refuted():
    twice = Twice(IntervalExponential(2, ONE, 0.1, 0.1), 9, 0.9, 0.9)
    assert worst_divergence(twice.law, universe(2), 6, ONE).refuted
    assert not worst_divergence(twice.law, universe(2), 6, Budget(2)).refuted


def test_too_many_switching_points_give_the_first_concept():
    data = [(1, True), (2, True)]
    assert set(SwitchingLearner(improper(2), 1, 0.9, 0.9).law(data)) == {interval(2, 1)}
    law = SwitchingLearner(improper(2), 2, 0.9, 0.9).law(data)
    assert set(law) == {interval(2, 1), interval(2, 3)}  # with two switching points only the ends are candidates


def test_n_grows_with_the_logarithm_of_z():
    inner = IntervalExponential(2**16, ONE, 0.025, 0.05 / 6)
    φ = min(1 - 0.1 * (1 - 1 / x) + 0.025 * (x - 1) for x in np.exp(np.linspace(0, 0.5, 1001)))
    for constants, slope in (("printed", 8 / 0.1), ("tight", -1 / np.log(φ))):
        s = [SwitchingLearner(inner, z, 0.1, 0.05, constants).s for z in (2**10 + 2, 2**20 + 2)]
        assert s[1] - s[0] == pytest.approx(slope * 10 * np.log(2), rel=0.01)
    assert SwitchingLearner(inner, 8, 0.1, 0.05, "tight").s < SwitchingLearner(inner, 8, 0.1, 0.05).s / 20


def test_switching_learner_keeps_its_promise():
    """60 runs at N, a target in the middle of 32 points. More than 33 failures are rejected, which come about with
    probability at most 1e-9 if β = 0.2; a learner that fails in nine of ten runs passes with probability below 1e-11.
    """
    T, α, β, runs = 32, 0.4, 0.2, 60
    inner = noisy(T, "1/100", 0.05, β / 60, Budget(4))  # its error exceeds 0.1 only if five of a hundred flips meet
    learner = SwitchingLearner(inner, T + 1, α, β, "tight")
    rng, failures = np.random.default_rng(5), 0
    for _ in range(runs):
        x = rng.integers(1, T + 1, learner.N).tolist()
        h = learner.learn(x, [each < 17 for each in x])
        failures += (labels_of(h, T) != (np.arange(1, T + 1) < 17)).mean() > α
    assert bdtrc(failures - 1, runs, β) > 1e-9


def test_a_proper_learner_asks_for_more_than_the_lower_bound():
    for T, ε, β in product((2, 2**8, 2**64), (0.5, 1, 3), (0.2, 1e-6)):
        assert proper_needs(T + 1, β, ε) <= IntervalExponential(T, Budget(ε), 0.4, β).N


def test_intervals_are_minimal_for_themselves_below_a_half():
    """Which is what [BBKN14, Lemma 5.2] needs of them."""
    C = explicit(Thresholds(1, 5, direction="below"))
    assert is_minimal(C, C, Fraction(49, 100))
    assert not is_minimal(C, C, Fraction(1, 2))


def test_sampled_audits_on_a_long_line():
    """A true claim is refuted with probability at most 1e-9; the twin names a cut that its neighbor never does."""
    sample = ((2**60, True),) * 9 + ((2**62, False),) * 9
    pair = (sample, (*sample[:-1], (2**61, True)))
    assert not audit(
        IntervalExponential(2**64, ONE, 0.1, 0.05), pair, claimed=ONE, runs=600, confidence=1 - 1e-9
    ).refuted
    assert audit(GroupsByName(2**64, ONE, 0.1, 0.05), pair, claimed=ONE, runs=600).refuted


@pytest.mark.filterwarnings("ignore:the theorem asks for N")
def test_what_runs_is_charged():
    ledger = Ledger(Budget(2))
    SwitchingLearner(noisy(8, "1/10"), 9, 0.5, 0.5).learn([1] * 9, [1] * 9, budget=ledger)
    assert ledger.spent == ONE
    assert [str(entry.mechanism) for entry in ledger.entries] == ["intervals from switching points"]


def test_unknown_constants_are_refused():
    with pytest.raises(ValueError, match="printed, tight"):
        SwitchingLearner(IntervalExponential(8, ONE, 0.1, 0.1), 3, 0.1, 0.1, "best")


def test_lines_that_cannot_be_listed_are_refused_before_anything_is_spent():
    ledger = Ledger(ONE)
    learner = SwitchingLearner(IntervalExponential(2**64, ONE, 0.1, 0.1), 3, 0.1, 0.1)
    with pytest.raises(ValueError, match="too many to list"):
        learner.learn([1], [1], budget=ledger)
    assert ledger.spent == Budget(0)


@pytest.mark.parametrize(("size", "beta", "epsilon"), [(1, 0.1, 1), (9, 0, 1), (9, 1, 1), (9, 0.1, 0)])
def test_bounds_of_nothing_are_refused(size, beta, epsilon):
    with pytest.raises(ValueError, match="size must be at least 2"):
        proper_needs(size, beta, epsilon)
