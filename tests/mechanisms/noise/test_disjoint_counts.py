"""Counts of disjoint kinds: noise of rate ε/2 on each; less noise, or kinds that share records, would show."""

from dataclasses import dataclass

from privpac.audit.claims.case import Case
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget
from tests.statistics import assert_matches


@dataclass(frozen=True)
class HalfTheNoise(DisjointCounts):
    """Noise for one count that changes by 1, where two do."""

    @property
    def rate(self):
        return self.cost.epsilon


def kinds(records):
    return [records.count(kind) for kind in "abc"]


def overlapping(records):
    """The last kind contains the others."""
    return [records.count("a"), records.count("b"), len(records) - records.count("c")]


def test_the_claim_is_tight_and_half_the_noise_is_refuted():
    cost = Budget(1)
    right = Case(DisjointCounts(cost, 2), kinds, "", "abcd", 2, cost).exact()
    assert not right.refuted and float(right.ratio) > 0.999
    assert Case(HalfTheNoise(cost, 2), kinds, "", "abcd", 2, cost).exact().refuted


def test_kinds_that_share_records_are_refuted():
    assert Case(DisjointCounts(Budget(1), 2), overlapping, "", "abc", 2, Budget(1)).exact().refuted is False
    assert Case(DisjointCounts(Budget(1), 2), lambda r: [*kinds(r), *kinds(r)], "", "abc", 2, Budget(1)).exact().refuted


def test_outputs_follow_the_law():
    mechanism = DisjointCounts(Budget(2), 3)
    one = DiscreteLaplace(Budget(1)).law(2)
    mutant = DiscreteLaplace(Budget(2)).law(2)
    assert_matches(lambda: mechanism.release((2, 1), SYSTEM)[0], one, must_reject=mutant)
