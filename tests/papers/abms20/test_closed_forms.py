"""Patterns without a table: the same patterns and errors as listed, and Algorithm 4 at its own N on long lines."""

from math import exp, log

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.compositions.compose import Compose
from privpac.classes.finite.boolean_functions import gate
from privpac.mechanisms.algorithm import law_of
from privpac.papers.abms20 import Library, PrivateAgnostic, RelabelAndLearn, relabel
from privpac.papers.abms20.pattern_rows import CornerRows, has_rows, pattern_rows
from privpac.papers.abms20.patterns import Patterns
from privpac.papers.abms20.relabeling import relabeling_price
from privpac.papers.abms20.scores import CompletionErrors, has_closed_form, pattern_errors, scored_patterns, signs
from privpac.papers.bbkn14 import IntervalExponential
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

ABOVE, BELOW = (pp.Thresholds(0, 9, direction=direction) for direction in ("above", "below"))
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
        errors = pattern_errors(listed.rows[:, listed.column[:d]], D).tolist()
        table = sorted((tuple(listed.labels(row).tolist()), errors[row]) for row in range(len(listed.rows)))
        assert sorted((tuple(found.labels(i).tolist()), e) for i, e in enumerate(found.errors.tolist())) == table


ROWS = [
    pp.Intervals(0, 9),
    pp.Intervals(0, 9, step=2),
    pp.And(ABOVE.on(0), ABOVE.on(1)),
    pp.And(ABOVE.on(0), BELOW.on(1)),
    pp.Or(ABOVE.on(0), ABOVE.on(1)),
    pp.Or(BELOW.on(0), ABOVE.on(1)),
    pp.And(ABOVE, BELOW),
    pp.Or(BELOW.on(1), ABOVE.on(1)),
]


def tables(H, times, largest=9):
    """Random samples for a class on one column or on two, and how many of them are D."""
    rng = np.random.default_rng(8)
    for _ in range(times):
        n = int(rng.integers(1, largest))
        points = rng.integers(0, rng.choice([3, 10]), (n, 2)).tolist()
        points = [tuple(x) if H.domain.column_names else x[0] for x in points]
        yield tuple(zip(points, (rng.random(n) < 0.5).tolist(), strict=True)), int(rng.integers(0, n + 1))


@over("H", ROWS)
def test_rows_have_the_patterns_and_errors_of_the_table(H):
    """Each pattern once, counted by its errors, and found again by its number."""
    assert has_rows(H)
    for S, d in tables(H, 60):
        points, D = [x for x, _ in S], S[:d]
        listed, rows = Patterns.on(H, points), pattern_rows(H, points, *signs(D))
        errors = pattern_errors(listed.rows[:, listed.column[:d]], D)
        table = sorted((e, *listed.labels(row).tolist()) for row, e in enumerate(errors.tolist()))
        counts = rows.counts(d)
        found = [(e, *rows.member(e, i).tolist()) for e in range(d + 1) for i in range(counts[e])]
        assert sorted(found) == table
        with pytest.raises(IndexError):
            rows.member(0, int(counts[0]))


@over("H", [ROWS[0], ROWS[2], ROWS[4]])
def test_rows_have_the_law_of_the_table(H):
    for S, d in tables(H, 5, largest=6):
        laws = [
            law_of(lambda ask, q=q, S=S, d=d: relabel(H, Budget(1).epsilon, S[:d], S[d:], ask, q=q))
            for q in (pattern_errors, by_table)
        ]
        assert laws[0].keys() == laws[1].keys()
        assert all(abs(float(laws[0][key] - laws[1][key])) < 1e-12 for key in laws[0])


@over("G", ["and", "or", "xor", lambda a, b: a and not b])
@over(
    "parts",
    [
        (ABOVE, BELOW),
        (pp.Thresholds(0, 9), pp.Points(10)),
        (ABOVE.on(0), BELOW.on(1)),
        (pp.Points().on(1), ABOVE.on(0)),
    ],
)
def test_completions_have_the_scores_of_the_table(G, parts):
    G, (first, second) = gate(G, 2), parts
    for S, d in tables(Compose(G, *parts), 25):
        points, D = [x for x, _ in S], S[:d]
        h = Patterns.on(first, points).concept(0)
        for q, H in ((CompletionErrors(G, (), (second,)), first), (CompletionErrors(G, (h,), ()), second)):
            assert q.has_closed_form(H)
            listed, found = Patterns.on(H, points), q.scored(H, points, D)
            scores = q(listed.rows[:, listed.column[:d]], D).tolist() if d else [0] * len(listed.rows)
            table = sorted((tuple(listed.labels(row).tolist()), scores[row]) for row in range(len(scores)))
            assert sorted((tuple(found.labels(i).tolist()), e) for i, e in enumerate(found.errors.tolist())) == table


def by_table(rows, D):
    """The same score under another name, for which the closed form is not used."""
    return pattern_errors(rows, D)


@over("H", LINES[:3])
def test_relabeling_has_the_same_law_either_way(H):
    for S, d in samples(H, 5):
        laws = [
            law_of(lambda ask, q=q, S=S, d=d: relabel(H, Budget(1).epsilon, S[:d], S[d:], ask, q=q))
            for q in (pattern_errors, by_table)
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
    for H in (
        pp.Xor(ABOVE.on(0), BELOW.on(1)),
        pp.And(pp.Intervals(0, 9).on(0), ABOVE.on(1)),
        pp.And(ABOVE, ABOVE, ABOVE),
    ):
        assert not has_rows(H)
    cuts = pp.Thresholds(1, 2**16, direction="below")
    base = IntervalExponential(2**16, Budget(1), 0.05, 0.01)
    many = [(1, True)] * 30_000
    assert len(RelabelAndLearn(base, cuts).check(many)) == 30_000
    with pytest.raises(ValueError, match="too many to list"):
        RelabelAndLearn(base, cuts, q=by_table).check(many)


# privacy


@over(
    "H",
    [
        pp.Intervals(0, 2),
        pp.And(pp.Thresholds(0, 1, direction="above").on(0), pp.Thresholds(0, 1, direction="below").on(1)),
    ],
)
def test_algorithm_4_by_rows_is_private_on_all_samples(H):
    clf = pp.PrivateClassifier(H, epsilon=1, delta=0, alpha=0.05, beta=0.01, regime="realizable")
    learner = PrivateAgnostic(Library(clf.fitting(1).learner), H, 0.1, 0.05, "tight", redraw=False)
    points = [(0, 0), (1, 0), (1, 1)] if H.domain.column_names else range(3)
    assert not worst_divergence(learner.law, labeled(points)[1:5], 3, learner.cost, ordered=True).refuted


class EveryPair(CornerRows):
    """Broken: a row has every pair of cuts, so that a record between the cuts of others makes some patterns many."""

    def __iter__(self):
        for i in range(int(self.a.max()) + 2):
            inside = [(self.a >= i) & (self.b >= j) for j in range(int(self.b.max()) + 2)]
            yield np.array([self.base + int(self.sign[each].sum()) for each in inside])

    def labels(self, row, i):
        return (self.a >= row) & (self.b >= i)


def chance(rows, g):
    """How likely the pattern drawn gives the labels g to the records after the first, at ε_R = 1."""
    weights = {(row, i): exp(-e / 2) for row, errors in enumerate(rows) for i, e in enumerate(errors.tolist())}
    shown = sum(weight for key, weight in weights.items() if rows.labels(*key)[1:].tolist() == g)
    return shown / sum(weights.values())


@over("kind", [CornerRows, EveryPair])
def test_patterns_that_count_by_their_cuts_cost_more(kind):
    """40 cuts of each column, all shown by public records. The private one is between two cuts, or at one of them."""
    k, cut = 40, pp.Thresholds(0, 100, direction="above")
    H = pp.And(cut.on(0), cut.on(1))
    V = [place for t in range(0, 2 * k, 2) for place in ((t, 2 * k), (2 * k, t))]
    g = [min(place) >= 2 * k - 2 for place in V]
    between, on_a_point = (((2 * k - 3,) * 2, False), ((2 * k - 4,) * 2, True))
    ratio = 1.0
    for x, y in (between, on_a_point):
        ratio = chance(kind.on(H, [x, *V], *signs(((x, y),))), g) / ratio
    price = float(relabeling_price(Budget(1), counts_errors=True).epsilon) - 1
    assert (abs(log(ratio)) > price + 0.1) is (kind is EveryPair)
