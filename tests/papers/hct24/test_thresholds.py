"""A_Thr is private and accurate for its own examples: what fails later is not its fault."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from privpac.audit.exact_divergence import worst, worst_divergence
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.hct24 import PaperLine, ThrLearner
from privpac.privacy.budget import Budget

pytestmark = pytest.mark.papers

EXAMPLES = [*product(range(3), (-1, 1))]


def law(learner, records):
    line = PaperLine(3, 0, tuple((place, y, 1) for place, y in records))
    return law_of(lambda ask: learner(line, Fraction(1), ask))


@pytest.mark.parametrize("learner", [ThrLearner(), ThrLearner(4, 1), ThrLearner(1, 3)])
def test_private_for_all_neighbors(learner):
    """ε for another example, and ε for one more."""
    assert not worst_divergence(lambda records: law(learner, records), EXAMPLES, 2, Budget(1)).refuted
    small = [S for n in (0, 1, 2) for S in combinations_with_replacement(EXAMPLES, n)]
    pairs = [(S, (*S, example)) for S in small for example in EXAMPLES]
    assert not worst(lambda records: law(learner, records), pairs, Budget(1)).refuted


def test_a_sensitivity_that_forgets_depth_is_seen():
    class Broken(ThrLearner):
        def __call__(self, S_Thr, epsilon, ask):
            return ask(Exponential(Budget(epsilon / self.a)), [self.score(S_Thr, u) for u in range(S_Thr.m)])

    assert worst_divergence(lambda records: law(Broken(1, 3), records), EXAMPLES, 2, Budget(1)).refuted


@pytest.mark.parametrize(("learner", "α"), [(ThrLearner(), 0.1), (ThrLearner(4, 1), 0.3)])
@pytest.mark.parametrize("shape", [(1, 0, 0, 0, 0), (1, 0, 1, 0, 0), (0, 2, 0, 1, 0), (0, 1, 1, 1, 1), (5, 2, 0, 0, 0)])
def test_accurate_with_n_thr(learner, α, shape):
    """Exact: error ≤ α with probability ≥ 1 − β for each threshold, at n_Thr examples at these places."""
    n = learner.n_thr(5, 1, α, 0.05)
    for threshold in range(5):
        line = PaperLine(
            5, 0, tuple((p, 1 if p <= threshold else -1, n * part) for p, part in enumerate(shape) if part)
        )
        wrong = [sum(c for p, y, c in line.examples if (p <= u) != (y == 1)) for u in range(5)]
        found = law_of(lambda ask, line=line: learner(line, Fraction(1), ask))
        assert sum(p for u, p in found.items() if wrong[u] <= α * n * sum(shape)) > 0.95


def test_depth_outweighs_errors_below_its_share():
    """a = 4 and b = 1: of 20 examples beside 80, all may be wrong."""
    line = PaperLine(3, 0, ((0, 1, 8000), (1, 1, 2000)))
    learner = ThrLearner(4, 1)
    assert learner.score(line, 0) == 0 < learner.score(line, 1) == 2000
    assert ThrLearner(3, 1).score(line, 0) == 2000


def test_scores():
    line = PaperLine(3, 0, ((0, 1, 5), (2, -1, 4)))
    assert [ThrLearner().score(line, u) for u in range(3)] == [0, 0, -4]
    assert [ThrLearner(2, 1).score(line, u) for u in range(3)] == [5, 4, -4]


def test_depth_must_not_outweigh_errors():
    with pytest.raises(ValueError, match="alpha must exceed"):
        ThrLearner(4, 1).n_thr(13, 1, 0.25, 0.1)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (-1, 2), (1, -1)])
def test_weights_are_not_negative(a, b):
    """Or a + b would be less than what one example changes."""
    with pytest.raises(ValueError, match="must be at least 1"):
        ThrLearner(a, b)


@pytest.mark.parametrize("given", [(13, 0, 0.3, 0.1), (13, 1, 0, 0.1), (13, 1, 0.3, 1), (0, 1, 0.3, 0.1)])
def test_bad_goals(given):
    with pytest.raises(ValueError, match=r"positive|strictly between 0 and 1|m must be at least 1"):
        ThrLearner().n_thr(*given)
