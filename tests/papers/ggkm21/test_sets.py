"""PolyPriLearn on sets and flats of any domain: the law of the listed class, exact privacy, success at certified n."""

import pickle
import warnings
from fractions import Fraction
from itertools import permutations, product
from math import exp, inf

import numpy as np
import pytest
from scipy.stats import binom

from privpac.classes.values.points import OneOf, Points, SparseSets
from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.dimensions.closure_oracle import FlatOracle, SetOracle
from privpac.dimensions.oracle import ListedOracle
from privpac.dimensions.point_oracle import PointOracle, PointSet
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.proper import PolyPriPropLearn
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sizes import PolyPriPlan, Shape, closure_plan
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.grid import over
from tests.papers.ggkm21.audits import audited

pytestmark = pytest.mark.papers

COST, ROUGH, β = Budget(1, 1e-6), Budget(1, "0.02"), 0.05
EXACT = closure_plan(Shape(2, 2, inf, inf), Fraction(1, 4), β, COST, 3).levels  # as sets and flats are planned
PAIRS, LINES = SparseSets(2), AffineSubspaces(2, 2, 1)
WORDS = ("EV", "ÜA", "B6")
CORNERS = tuple(product((0, 1), repeat=2))


def plan(m, n0):
    return PolyPriPlan(m, n0, EXACT, 1)


def different(kind):
    """The samples of three records on which the law is not that of the listed class."""
    found, twelve = [], SparseSets(2, 9)
    both = [PolyPriLearn(twelve, ROUGH, plan=plan(1, 3), oracle=each) for each in (ListedOracle(twelve), kind(twelve))]
    for S in product(product(range(3), (False, True)), repeat=3):
        one, other = (learner.law(S) for learner in both)
        labels = [{tuple(rule(range(9)).tolist()): p for rule, p in law.items()} for law in (one, other)]
        same = labels[0].keys() == labels[1].keys()
        if not same or not all(p.overlaps(labels[1][key]) for key, p in labels[0].items()):
            found.append(S)
    return found


def test_the_law_is_that_of_the_listed_class():
    assert different(SetOracle) == []


class NoZeros(SetOracle):
    """Broken: records with label 0 bar nothing."""

    def version_space(self, ones, zeros):
        return super().version_space(ones, ())


class First(SetOracle):
    """Broken: a set of the first value alone."""

    def hull(self, points):
        return super().hull(points[:1])


@pytest.mark.parametrize("kind", [NoZeros, First])
def test_a_broken_oracle_has_another_law(kind):
    assert different(kind)


class Twice(PolyPriLearn):
    """Broken: every hypothesis of a subset counts twice."""

    def votes_of(self, T_j):
        return [h for h in super().votes_of(T_j) for _ in range(2)]


class EachPart(PolyPriLearn):
    """Broken: a subset votes for every value of its set as well."""

    def votes_of(self, T_j):
        voted = [h.values for h in super().votes_of(T_j)]
        return {OneOf(part) for values in voted for part in (values, *(frozenset([v]) for v in values))}


@pytest.mark.parametrize(
    ("kind", "H", "points", "refuted"),
    [
        (PolyPriLearn, SetOracle(PAIRS), WORDS, False),
        (PolyPriLearn, SetOracle(SparseSets(2, 3)), (0, 1, 2), False),
        (PolyPriLearn, FlatOracle(LINES), CORNERS[:3], False),
        (Twice, SetOracle(PAIRS), WORDS, True),
        (EachPart, SetOracle(PAIRS), WORDS, True),
    ],
)
def test_private_on_all_ordered_samples(kind, H, points, refuted):
    found = audited(kind(H.concept_class, ROUGH, plan=plan(2, 2), oracle=H), points, 4)
    assert found.refuted is refuted
    assert refuted or float(found.ratio) == pytest.approx(1, abs=0.01)


@over("α", ["0.25", "0.1"])
@over("parts", [1, 3, 7, 11])
def test_a_plan_keeps_its_promise(α, parts):
    """Each inequality of Theorem 2, part 3, from scratch."""
    m, n0, levels, votes = closure_plan(Shape(2, 2, inf, inf), Fraction(α), β, COST, parts)
    assert (levels.alpha(1), levels.alpha(2), levels.back, levels.k(1), votes) == (1, 0, 0, 0, 1)
    γ, r, δ = parts * (1 - float(α)) ** n0, exp(float(COST.epsilon) / 2), float(COST.delta)
    right = [-(-(m - b) // parts) for b in range(m)]
    fails = [binom.sf(b, m, γ) + (r * (1 - δ) / δ + b * r**b) / r ** right[b] for b in range(m)]
    assert min(fails) <= β


def spread(inside, weights, outside, mass):
    """Draws n records: a share ``mass`` in the target, divided by ``weights``, and the rest outside."""

    def drawn(rng, n):
        ones = rng.random(n) < mass
        which = rng.choice(len(inside), n, p=weights)
        others = outside(rng, n)
        return [inside[i] if one else other for i, one, other in zip(which, ones, others, strict=True)], ones

    return drawn


def numbers(rng, n):
    return rng.integers(10, 2**63, n).tolist()


def same(rng, n):
    return [11] * n


WIDE = AffineSubspaces(3, 8, 1)
LINE = [(a,) + (0,) * 7 for a in range(3)]


def vectors(rng, n):
    """Random points outside the line."""
    return [(*row[:-1], 1) for row in rng.integers(0, 3, (n, 8)).tolist()]


def beside(rng, n):
    return [(0,) * 7 + (1,)] * n


HOSTILE = [
    (H, spread(inside, np.array(weights) / sum(weights), others, mass))
    for H, inside, several, outside in (
        (SparseSets(2, 2**64), [3, 5], [(1, 1), (9, 1), (1, 0)], (numbers, same)),
        (SparseSets(3), [3, 5, 7], [(1, 1, 1), (9, 1, 1), (9, 9, 1)], (numbers,)),
        (WIDE, LINE, [(1, 1, 1), (9, 1, 1), (0, 1, 1)], (vectors, beside)),
    )
    for weights in several
    for others in outside
    for mass in (0.2625, 0.55, 1.0)
]


def failures(learner, drawn, runs, n=None, seed=7):
    rng, failed = np.random.default_rng(seed), 0
    for _ in range(runs):
        values, labels = drawn(rng, n or learner.N)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rule = learner.learn(values, labels)
        fresh, truth = drawn(rng, 2000)
        failed += (rule(fresh) != truth).mean() > float(learner.alpha) + 0.02
    return failed


@pytest.mark.parametrize("case", range(len(HOSTILE)))
def test_right_at_its_certified_n(case):
    """Of 6 runs 3 fail with a probability of .2 % if each fails with a probability of β = .05."""
    H, drawn = HOSTILE[case]
    assert failures(PolyPriLearn(H, COST, 0.25, β, "tight"), drawn, 6) < 3


def test_too_few_records_are_seen():
    learner = PolyPriLearn(PAIRS, COST, 0.25, β, "tight")
    few = PolyPriLearn(PAIRS, COST, 0.25, β, plan=learner.numbers._replace(m=20), oracle=SetOracle(PAIRS))
    assert failures(few, HOSTILE[1][1], 20) > 10


def test_the_size_of_the_domain_does_not_matter():
    sizes = {PolyPriLearn(SparseSets(2, size), COST, 0.1, β, "tight").N for size in (5, 40, 2**64, None)}
    assert sizes == {4128}
    assert {PolyPriLearn(AffineSubspaces(2, n, 1), COST, 0.1, β, "tight").N for n in (2, 300)} == {4128}
    assert PolyPriLearn(SparseSets(1), COST, 0.1, β, "tight").N == PolyPriLearn(Points(), COST, 0.1, β, "tight").N


def test_only_tight_constants_without_a_plan_leave_the_list():
    tight = PolyPriLearn(SparseSets(2, 9), COST, 0.25, β, "tight")
    listed = [
        PolyPriLearn(SparseSets(2, 9), COST, 0.25, β),
        PolyPriLearn(SparseSets(2, 9), COST, 0.25, β, plan=tight.numbers),
        PolyPriLearn(SparseSets(0, 9), COST, 0.25, β, "tight"),
        PolyPriPropLearn(SparseSets(2, 9), COST, 0.25, β, "tight").whole,
    ]
    assert [isinstance(learner.F, ListedOracle) for learner in (tight, *listed)] == [False, *[True] * 4]


@over("size", [3, 4])
def test_no_more_outputs_than_it_says(size):
    H = SparseSets(2, size)
    learner = PolyPriLearn(H, ROUGH, plan=plan(1, 3), oracle=SetOracle(H))
    found = {rule for S in product(product(range(size), (False, True)), repeat=3) for rule in learner.law(S)}
    assert len(found) == H.size <= learner.outputs


def test_what_is_refused_before_anything_is_spent():
    ledger = Ledger(COST)
    levels = Levels.tight(2, Fraction(1, 8), 3)
    with pytest.raises(ValueError, match="use tight constants"):
        PolyPriLearn(PAIRS, COST, plan=PolyPriPlan(9, 9, levels, 10**6), oracle=SetOracle(PAIRS))
    for H in (SparseSets(41), SparseSets(5000), AffineSubspaces(2**61 - 1, 3, 1)):
        with pytest.raises(ValueError, match="choose a class with a smaller k, dim, or p"):
            PolyPriLearn(H, COST, 0.25, β, "tight")
    with pytest.raises(ValueError, match="too large to list"):
        PolyPriLearn(PAIRS, COST)
    with pytest.raises(ValueError, match="one column for each coordinate"):
        PolyPriLearn(WIDE, COST, 0.25, β, "tight").learn([(0, 7)], [1], budget=ledger)
    assert ledger.spent == Budget(0)


def test_equal_votes_are_alike_in_all_that_can_be_seen():
    """In a small set of 0 and 8, what was put in first comes first, unless sets are filled in order."""
    learner = PolyPriLearn(PAIRS, ROUGH, plan=plan(1, 2), oracle=SetOracle(PAIRS))
    points, seen = PointOracle(Points()), {}
    for pair in permutations([0, 8, 16], 2):
        votes = *learner.votes_of(learner.F.part([(x, True) for x in pair])), points.soa(PointSet(frozenset(pair)))
        for hypothesis in votes:
            seen.setdefault(hypothesis, set()).add((repr(hypothesis), pickle.dumps(hypothesis), *hypothesis.values))
    assert len(seen) == 3 and all(len(forms) == 1 for forms in seen.values())
