"""Selections of a cut: their laws by definition, shortened lists, and all neighbors of small samples."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from privpac.audit.claims.case import Case, labeled
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.exact.exponential_weights import Weights, probabilities
from privpac.learners.lines.threshold_bounds import NoisyCuts
from privpac.mechanisms.lines import ordered_cuts
from privpac.mechanisms.lines.cuts import CutExponential, CutStable
from privpac.mechanisms.lines.dyadic_trie import MIDDLE, Proposal, bits
from privpac.mechanisms.lines.ordered_cuts import ordered
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import log_at_least
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.slow

WAYS = ((True,), (False,), (True, False))
COST = Budget(1, Fraction(1, 20))
FINER = (MIDDLE, Proposal(2, 2))


def of(records, size=4):
    """The view: records are (point, label), or None if void."""
    here = [record for record in records if record is not None]
    points = np.array([x for x, _ in here], dtype=np.uint64)
    return ordered(Sample(points, np.array([y for _, y in here], dtype=bool), None, len(records)), size)


def law_by_definition(mechanism, records, size):
    """The law of public-stable selection, or of the exponential mechanism, written out rule by rule."""
    here = [record for record in records if record is not None]
    err = Counter()
    for t in range(size + 1):
        for above in mechanism.directions:
            err[t, above] = sum(((x >= t) == above) != y for x, y in here)
    one = mechanism.directions[0]
    weights = Counter()
    r = arb(mechanism.cost.epsilon.numerator) / mechanism.cost.epsilon.denominator / 2
    if isinstance(mechanism, CutExponential):
        rules = [(0, one), (size, one), *((t, above) for t in range(1, size) for above in mechanism.directions)]
        for rule in rules:
            weights[rule] += (r * -err[rule]).exp()
    else:
        C, b = mechanism.cap, bits(size)
        for t in (0, size):
            weights[t, one] += (r * max(0, C - err[t, one])).exp()
        levels = len(mechanism.directions) * sum((2**k - 1) * max(b - k + 1, 0) for k, _ in mechanism.proposals)
        discount = (arb(-log_at_least((1 - COST.delta) * levels / (2 * COST.delta)))).exp()
        for above in mechanism.directions:
            for t in range(1, size):
                weights[t, above] += (r * (C - err[t, above])).exp() / (size * len(mechanism.directions))
            for k, crowd in mechanism.proposals:
                for width in (2**z for z in range(k, b + 1)):
                    for low in range(0, 2**b, width):
                        q = sum(low <= x < low + width for x, _ in here)
                        for t in range(low + width // 2**k, low + width, width // 2**k):
                            rule = min(t, size), above
                            if q >= crowd:
                                supported, capped = discount * (r * (q - crowd)).exp(), (r * (C - err[rule])).exp()
                                weights[rule] += supported if supported < capped else capped
    total = sum(weights.values(), arb(0))
    return {rule: weight / total for rule, weight in weights.items()}


@pytest.mark.audit
@over("ways", WAYS)
@over("size", [1, 2, 5, 8])
def test_laws_equal_the_definition(size, ways):
    rng = np.random.default_rng(size)
    for trial in range(6):
        n = int(rng.integers(0, 60))
        here = [(int(x), bool(y)) for x, y in zip(rng.integers(0, size, n), rng.random(n) < trial / 6, strict=True)]
        records = [*here, None, None]
        pure = CutExponential(Budget(1), size, ways)
        stable = [CutStable(COST, size, ways, cap, each) for cap in (0, 12) for each in ((MIDDLE,), FINER)]
        for mechanism in (pure, *stable):
            if size == 1 and mechanism is not pure:
                continue  # a single value has no cuts; the definition above would take the logarithm of 0
            law, expected = mechanism.law(of(records, size)), law_by_definition(mechanism, records, size)
            assert law.keys() == expected.keys()
            assert all(abs(float(law[rule] - expected[rule])) < 1e-13 for rule in law)


@pytest.mark.parametrize("ways", WAYS)
@pytest.mark.parametrize("wide", [False, True])
def test_short_lists_are_beginnings_of_all_and_leave_out_almost_nothing(ways, wide, monkeypatch):
    monkeypatch.setattr(ordered_cuts, "MARKS", 20)
    rng = np.random.default_rng(3)
    size = 2**90 if wide else 2**40
    points = np.array(
        [int(x) << (50 if wide else 0) for x in rng.integers(0, 2**40, 4000)], dtype=object if wide else np.uint64
    )
    labels = np.asarray(points > size // 3, dtype=bool) ^ (rng.random(4000) < 0.05) ^ (not ways[0])
    data = ordered(Sample(points, labels, None, 4000), size)
    least = data.least(ways)
    stable = [
        CutStable(Budget(5, 1e-6), size, ways, least + 20, each) for each in ((MIDDLE,), (MIDDLE, Proposal(5, 16)))
    ]
    for mechanism in (CutExponential(Budget(5), size, ways), *stable):
        weights, outcome = mechanism.menu(data)
        full = weights.complete()
        k = len(weights.scores)
        assert k < len(full.scores) / 4
        assert (full.scores[:k] == weights.scores).all()
        assert (full.counts[:k] == weights.counts).all()
        if isinstance(mechanism, CutExponential):
            assert sum(int(count) for count in full.counts) == (2 * size if len(ways) == 2 else size + 1)
        with ctx.workprec(256):
            parts = probabilities(full, 256)
            assert sum(parts[k:], arb(0)) < arb(2) ** -64
        t, _ = outcome(len(full.scores) - 1, 0)
        assert 0 <= t <= size
        assert abs(mechanism.release(data, SYSTEM)[0] - size // 3) < size // 10


FEW = [None, (0, 1), (100, 0), (100, 1), (255, 0)]  # of 256 values: a public cut weighs little beside a node
TIGHT = -8  # caps nodes only just above what one record gives them, and leaves the constants their floor


def few(records):
    return of(records, 256)


@pytest.mark.audit
@over("cap", [-1, 0, 1, 2, 6, 20])
@pytest.mark.parametrize("ways", WAYS)
def test_no_neighbors_refute_public_stable_cuts(ways, cap):
    for proposals in ((MIDDLE,), FINER, (Proposal(2, 2),)):
        mechanism = CutStable(COST, 4, ways, cap, proposals)
        worst = Case(mechanism, of, "cuts of four values", [None, *labeled(range(4))], 2, COST).exact()
        assert not worst.refuted, worst


@pytest.mark.audit
@over("ways", WAYS)
@over("proposals", [(MIDDLE,), (MIDDLE, Proposal(2, 1)), (Proposal(3, 2),)])
def test_the_promise_is_almost_used_up(ways, proposals):
    worst = Case(CutStable(COST, 256, ways, TIGHT, proposals), few, "cuts of 256 values", FEW, 2, COST).exact()
    assert not worst.refuted, worst
    assert worst.value > 0.9 * COST.delta


@over("cap", [TIGHT, 4])
@pytest.mark.parametrize("ways", WAYS)
def test_no_neighbors_refute_a_node_that_becomes_crowded(ways, cap):
    """Of eight records, as many as the learner's finer cuts ask for, some are in one place and some are void."""
    mechanism = CutStable(COST, 64, ways, cap, NoisyCuts.proposals)
    assert max(proposal.crowd for proposal in NoisyCuts.proposals) == 8
    worst = Case(mechanism, lambda records: of(records, 64), "a crowd", [None, (21, 0), (21, 1)], 8, COST).exact()
    assert not worst.refuted, worst


@pytest.mark.parametrize("ways", WAYS)
def test_no_neighbors_refute_three_records_on_five_values(ways):
    universe = [None, (0, 0), (0, 1), (2, 1), (4, 0), (4, 1)]
    for proposals in ((MIDDLE,), FINER, (Proposal(2, 3),)):
        mechanism = CutStable(COST, 5, ways, 2, proposals)
        assert not Case(mechanism, lambda records: of(records, 5), "five values", universe, 3, COST).exact().refuted


@pytest.mark.parametrize("ways", WAYS)
def test_no_neighbors_refute_exponential_cuts(ways):
    case = Case(CutExponential(Budget(1), 4, ways), of, "cuts of four values", [None, *labeled(range(4))], 2, Budget(1))
    worst = case.exact()
    assert not worst.refuted, worst
    spends_less = replace(case, claimed=Budget(Fraction(1, 2)))
    assert spends_less.exact().refuted


@pytest.mark.audit
@pytest.mark.parametrize("ways", WAYS)
def test_no_neighbors_refute_the_noisy_errors_of_the_best_cut(ways):
    case = Case(
        DiscreteLaplace(Budget(1)),
        lambda records: of(records).least(ways),
        "errors of the best cut",
        [None, *labeled(range(4))],
        3,
        Budget(1),
    )
    assert not case.exact().refuted


@dataclass(frozen=True)
class RootForgotten(CutStable):
    """Broken: void records may leave the root empty, and its level is not counted."""

    @property
    def levels(self):
        return (bits(self.size) - 1) * len(self.directions)


@dataclass(frozen=True)
class OneDirectionCounted(CutStable):
    """Broken: a node proposes two rules, its level is counted once."""

    @property
    def levels(self):
        return bits(self.size)


@dataclass(frozen=True)
class NodesCounted(CutStable):
    """Broken: a node proposes three cuts, its level is counted once."""

    proposals: tuple = (Proposal(2, 1),)

    @property
    def levels(self):
        return bits(self.size) * len(self.directions)


@dataclass(frozen=True)
class CrowdOnly(CutStable):
    """Broken: a node proposes when a second record comes, and both of them support it at once."""

    proposals: tuple = (Proposal(2, 2),)

    def weights(self, constants, nodes, cuts):
        return super().weights(constants, nodes._replace(support=nodes.support + 1), cuts)


@dataclass(frozen=True)
class AnotherBase(CutStable):
    """Broken: the support at which a node weighs 1 is computed for the base e^(ε/2), the draw has a smaller one."""

    def weights(self, constants, nodes, cuts):
        honest = super().weights(constants, nodes, cuts)
        half = Fraction(1, 2)
        return Weights(honest.scores, honest.rate * half, honest.counts, honest.log_prior * float(half))


@pytest.mark.parametrize("broken", [RootForgotten, OneDirectionCounted, NodesCounted, CrowdOnly, AnotherBase])
def test_broken_twins_are_refuted(broken):
    mechanism = broken(COST, 256, (True, False), TIGHT)
    assert Case(mechanism, few, "a broken twin", FEW, 2, COST).exact().refuted
