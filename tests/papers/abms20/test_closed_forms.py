"""Patterns without a table: the same patterns and errors as listed, and Algorithm 4 at its own N on long lines."""

import numpy as np
import pytest

import privpac as pp
from privpac.mechanisms.algorithm import law_of
from privpac.papers.abms20 import PrivateAgnostic, RelabelAndLearn, relabel, relabeling
from privpac.papers.abms20.closed_forms import has_closed_form, scored_patterns
from privpac.papers.abms20.patterns import Patterns
from privpac.papers.bbkn14 import IntervalExponential
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

LINES = [
    *(pp.Thresholds(0, 9, direction=direction) for direction in ("above", "below", "either")),
    pp.Thresholds(-3, 2**70, direction="either"),
    pp.Thresholds(kind="float64", direction="above"),
    pp.Points(10),
    pp.Points(),
]


def samples(H, times):
    rng = np.random.default_rng(7)
    for _ in range(times):
        n = int(rng.integers(1, 9))
        points = rng.integers(0, 10, n).tolist()
        points = [x / 4 for x in points] if H.domain.columns[0] == pp.Thresholds(kind="float64").domain else points
        examples = tuple(zip(points, (rng.random(n) < 0.5).tolist(), strict=True))
        yield examples, int(rng.integers(0, n + 1))


@over("H", LINES)
def test_the_same_patterns_and_errors_as_in_the_table(H):
    assert has_closed_form(H)
    for S, d in samples(H, 60):
        points, D = [x for x, _ in S], S[:d]
        listed, found = Patterns.on(H, points), scored_patterns(H, points, D)
        errors = relabeling.pattern_errors(listed.rows[:, listed.column[:d]], D).tolist()
        table = sorted((tuple(listed.labels(row).tolist()), errors[row]) for row in range(len(listed.rows)))
        assert sorted((tuple(found.labels(i).tolist()), e) for i, e in enumerate(found.errors.tolist())) == table


def by_table(rows, D):
    """The same score under another name, for which the closed form is not used."""
    return relabeling.pattern_errors(rows, D)


@over("H", LINES[:3])
def test_relabeling_has_the_same_law_either_way(H):
    for S, d in samples(H, 5):
        laws = [
            law_of(lambda ask, q=q, S=S, d=d: relabel(H, Budget(1).epsilon, S[:d], S[d:], ask, q=q))
            for q in (relabeling.pattern_errors, by_table)
        ]
        assert laws[0].keys() == laws[1].keys()
        assert all(abs(float(laws[0][key] - laws[1][key])) < 1e-12 for key in laws[0])


@over("bits", [14, 16])
def test_algorithm_4_runs_at_its_own_n(bits):
    cuts, T = pp.Thresholds(1, 2**bits, direction="below"), 2**bits
    learner = PrivateAgnostic(IntervalExponential(T, Budget(1), 0.05, 0.01), cuts, 0.1, 0.05, "tight")
    rng = np.random.default_rng(bits)
    x = rng.integers(1, T + 1, learner.N)
    y = (x < T // 3) ^ (rng.random(len(x)) < 0.2)
    h = learner.learn(x.tolist(), y.tolist(), rng=bits)
    assert (h(x) != (x < T // 3)).mean() < 0.1


def test_other_scores_and_coarse_steps_still_need_a_table():
    assert not has_closed_form(pp.Thresholds(0, 150, step=5))
    assert not has_closed_form(pp.Intervals(0, 9))
    cuts = pp.Thresholds(1, 2**16, direction="below")
    base = IntervalExponential(2**16, Budget(1), 0.05, 0.01)
    many = [(1, True)] * 30_000
    assert len(RelabelAndLearn(base, cuts).check(many)) == 30_000
    with pytest.raises(ValueError, match="too many to list"):
        RelabelAndLearn(base, cuts, q=relabeling.pattern_errors).check(many)
