"""What a table's release sees: it stays within its cost, and its cells fit the records."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from privpac.audit.claims.releases import table_sample
from privpac.audit.exact_divergence import worst_divergence
from privpac.data.counting.crosstabs import crosstabs
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.mechanisms.noise.gaussian import GaussianCounts, GaussianShare
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import SharedCost
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.release.tables import measuring as table_counts
from privpac.release.tables.cells import OTHER, KeyCells, LineCells
from privpac.release.tables.measuring import Leaf, TableCounts, merged
from tests.audit.mutants import Mutant, planted
from tests.audit.release_mutants import ADD_OR_REMOVE

COST = Budget(1, "1e-6")
KINDS = Listing(("a", "b"))
MIXED = Columns(("age", "job", "city", "pay"), (Line(0, 120), KINDS, Anything(), Line(0, 2**40)))
RNG = np.random.default_rng(17)


def mixed(n):
    """Half of all people are 40; two cities have most of them; pay is log-normal."""
    ages = np.where(RNG.random(n) < 0.5, 40, RNG.integers(0, 121, n))
    cities = np.where(RNG.random(n) < 0.9, np.where(ages > 40, "Oslo", "Rome"), [f"town {i}" for i in range(n)])
    pay = np.minimum(np.exp(RNG.normal(10, 1, n)), 2**40).astype(np.int64)
    jobs = np.where(RNG.random(n) < 0.3, "a", "b")
    return table_sample(MIXED, list(zip(ages.tolist(), jobs.tolist(), cities.tolist(), pay.tolist(), strict=True)))


def asked(counting, sample):
    """The mechanisms of one run, and what each saw."""
    found = []

    def ask(mechanism, seen):
        found.append((mechanism, mechanism.check(seen)))
        return mechanism.release(mechanism.check(seen), SYSTEM)

    counting.run(sample, ask)
    return found


def spent(found):
    """What they cost in zCDP."""
    costs = (
        Concentrated(each.squared_sensitivity / (2 * each.variance))
        if isinstance(each, GaussianShare)
        else Concentrated.of(each.cost)
        for each, _ in found
    )
    return sum(costs, Concentrated(0))


def together(found):
    """The δ at ε = 1 of all of them, from what was asked: counts by their noise, and histograms."""
    gaussians = [each for each, _ in found if isinstance(each, GaussianShare)]
    histograms = [each.cost for each, _ in found if isinstance(each, TruncatedHistogram)]
    assert len(gaussians) + len(histograms) == len(found)
    σ2 = gaussians[-1].variance
    kinds = tuple((each.squared_sensitivity, σ2 / each.variance) for each in gaussians)
    return SharedCost(kinds, histograms[0], len(histograms)).delta(Fraction(1), σ2)


@dataclass(frozen=True)
class FreeCells(TableCounts):
    """A broken twin: the pairs get all of the cost, as if cells cost nothing."""

    @property
    def noise(self):
        return GaussianShare(self.cost, 12, 6 / GaussianCounts(self.cost, 12).variance)


def test_all_releases_together_stay_within_the_cost():
    counting, sample = TableCounts(COST, MIXED), mixed(20_000)
    found = asked(counting, sample)
    assert len(found) > 20  # many rounds of halving
    assert COST.delta / 2 < together(found) <= COST.delta
    assert together(asked(FreeCells(COST, MIXED), sample)) > COST.delta


def test_a_certificate_beside_the_tables_is_paid_for():
    """One more number with noise of the variance σ²/κ: within the cost if it is declared, and beyond it otherwise."""
    sample, κ = mixed(20_000), Fraction(3, 2)
    for beside, kept in ((κ, True), (Fraction(0), False)):
        counting = TableCounts(COST, MIXED, extra_weight=beside)
        found = asked(counting, sample)
        beyond = together([(GaussianShare(COST, 1, κ / (2 * counting.noise.variance)), None), *found])
        assert (beyond <= COST.delta) == kept


def replayed(counting, sample, steps):
    """Each mechanism of a run with recorded answers, what it saw there, and what it sees here."""
    given, seen_here = iter(steps), []

    def ask(mechanism, seen):
        recorded, seen_there, answer = next(given)
        assert recorded == mechanism
        seen_here.append((mechanism, seen_there, mechanism.check(seen)))
        return answer

    counting.run(sample, ask)
    return seen_here


def test_each_release_changes_by_what_it_claims():
    """On neighbors, given the same answers so far, counts change by no more than the sensitivity."""
    sample, other, steps = mixed(3000), mixed(3000), []
    counting = TableCounts(Budget(5, "1e-3"), MIXED)

    def record(mechanism, seen):
        steps.append((mechanism, mechanism.check(seen), mechanism.release(mechanism.check(seen), SYSTEM)))
        return steps[-1][-1]

    counting.run(sample, record)
    for row in range(0, 3000, 500):
        points = sample.points.copy()
        points[row] = other.points[row]
        for mechanism, there, here in replayed(counting, Sample(points, sample.labels, None, 3000), steps):
            if isinstance(mechanism, GaussianShare):
                assert ((there - here) ** 2).sum() <= mechanism.squared_sensitivity
            else:
                assert sum(abs(there.get(key, 0) - here.get(key, 0)) for key in {**there, **here}) <= 2


@dataclass(frozen=True)
class OnlyLeaves(TableCounts):
    """The leaves of the first column."""

    def run(self, data, ask):
        return tuple(self._leaves(self.columns.domains[0], (data.points[:, 0].astype(np.int64), 1), data.size, ask))


@pytest.mark.audit
def test_leaves_cost_what_they_are_charged_over_all_neighbors(monkeypatch):
    monkeypatch.setattr(table_counts, "SURE", 0)  # a line with one record is halved too
    columns = Columns(("x",), (Line(0, 1),))
    whole = Budget(6, "0.9")
    monkeypatch.setattr(table_counts, "FEW", 1)
    leaves = OnlyLeaves(whole, columns)
    share = 2 / (2 * leaves.price.leaf_noise(1).variance)
    claimed = Concentrated(share).at_delta(Fraction(1, 100))
    for n in (1, 2):
        worst = worst_divergence(lambda rows: leaves.law(table_sample(columns, rows)), ((0,), (1,)), n, claimed)
        assert not worst.refuted
        assert worst.share > 0.6
        less = Budget(claimed.epsilon / 2, claimed.delta)
        assert worst_divergence(lambda rows: leaves.law(table_sample(columns, rows)), ((0,), (1,)), n, less).refuted


def loss_beyond(variance, changes, epsilon):
    """δ(ε) of discrete Gaussian noise on this many counts that change by 1: their losses are linear in the noise.

    With Z the sum of the noises, the loss is (2Z + changes)/(2σ²), and Z is a sum of independent discrete Gaussians.
    """
    reach = int(40 * np.sqrt(variance)) + 2
    z = np.arange(-reach, reach + 1)
    one = np.exp(-(z**2) / (2 * variance))
    law = np.array([1.0])
    for _ in range(changes):
        law = np.convolve(law, one / one.sum())
    total = np.arange(len(law)) - (len(law) - 1) // 2
    loss = (2 * total + changes) / (2 * variance)
    over = loss > epsilon
    return float((law[over] * -np.expm1(epsilon - loss[over])).sum())


@pytest.mark.parametrize("cost", [Budget(1, "1e-6"), Budget(6, "1e-3")], ids=str)
def test_ten_pairs_cost_what_is_claimed_and_noise_for_adding_a_record_does_not(cost):
    columns = Columns(tuple("vwxyz"), (KINDS,) * 5)
    ε, δ = float(cost.epsilon), float(cost.delta)
    good = float(TableCounts(cost, columns).noise.variance)
    with planted(Mutant("cells and combinations of cells", *ADD_OR_REMOVE)):
        broken = float(TableCounts(cost, columns).noise.variance)
    reached = loss_beyond(good, 20, ε)
    assert δ / 2 < reached <= δ
    assert loss_beyond(broken, 20, ε) > 10 * δ
    assert loss_beyond(1.0, 1, 0.0) == pytest.approx(1 / np.sqrt(2 * np.pi))  # Pr[0], up to 10^-8


def test_cells_follow_the_records():
    counting, sample = TableCounts(COST, MIXED), mixed(20_000)
    (ages, jobs, cities, pay), counts = counting.release(sample, SYSTEM)
    assert isinstance(ages, LineCells)
    assert {40, 41} <= set(ages.starts)  # an atom is a cell of its own
    assert isinstance(jobs, KeyCells)
    assert jobs.names == ["a", "b"]
    assert cities.names == [*sorted(["Oslo", "Rome"], key=cities.names.index), OTHER]
    cells = (ages, jobs, cities, pay)
    assert 8 <= len(pay.starts) <= 40
    heaviest = crosstabs(sample, cells, [(3,)])[0].max()
    assert heaviest < 20_000 / 4  # a leaf of more than 6σ is halved, σ = 290, unless noise is beyond 7σ
    true = np.concatenate([table.ravel() for table in crosstabs(sample, cells, counting.sets)])
    assert np.abs(counts - true).max() < 7 * np.sqrt(float(counting.noise.variance))  # false alarms: 10^-9


def test_a_key_that_is_called_other_is_one_of_the_others():
    columns = Columns(("city",), (Anything(),))
    sample = table_sample(columns, [(OTHER,)] * 5000 + [("Oslo",)] * 5000)
    (cells,), _ = TableCounts(COST, columns).release(sample, SYSTEM)
    assert cells.keys == ("Oslo",)
    assert cells.numbers_of(sample.points[:2, 0]).tolist() == [1, 1]


def test_a_column_has_no_more_cells_than_there_is_room_for(monkeypatch):
    """The largest of the values that are shown, and all others together."""
    monkeypatch.setattr(table_counts, "MOST_CELLS", 4)
    columns = Columns(("city",), (Anything(),))
    sample = table_sample(columns, [(f"city {i}",) for i in range(6) for _ in range(1000 * (i + 1))])
    (cells,), counts = TableCounts(COST, columns).release(sample, SYSTEM)
    assert cells.names == ["city 5", "city 4", "city 3", OTHER]
    assert len(counts) == 4


def test_many_declared_values_are_searched_and_few_are_all_cells():
    many = Listing(tuple(range(5000)))
    counting = TableCounts(COST, Columns(("few", "many", "short", "long"), (KINDS, many, Line(0, 7), Line(0, 8))))
    assert counting.searched == (1, 3)


def test_small_leaves_are_merged_and_never_too_many_are_left():
    leaves = [Leaf(i, i + 1, 10) for i in range(100)]
    assert merged(leaves, 25, 99) == tuple(range(0, 100, 2))
    assert len(merged(leaves, 1, 7)) <= 7
    assert merged([Leaf(0, 9, -3)], 5, 2) == (0,)


def test_tables_with_too_many_counts_are_refused_with_how_many_are_few_enough():
    def measured(width, asked=()):
        return TableCounts(Budget(1, 1e-6), Columns(tuple(range(width)), (KINDS,) * width), asked)

    with pytest.raises(Refused, match="declare at most 1448 columns"):
        measured(1449)
    assert measured(1448).most == 2

    eights = tuple(combinations(range(20), 8))
    with pytest.raises(Refused, match="ask for at most 16384 marginals of 8 columns"):
        measured(20, eights[:16385])
    assert measured(20, eights[:16384]).most == 2


def test_lines_of_any_width_are_halved():
    line = Line(0, 2**300)
    columns = Columns(("x",), (line,))
    sample = table_sample(columns, [(2**299 + i % 3,) for i in range(5000)])
    (cells,), counts = TableCounts(COST, columns).release(sample, SYSTEM)
    assert isinstance(cells, LineCells)
    noise = TableCounts(COST, columns).noise
    assert abs(counts.sum() - 5000) < 7 * np.sqrt(float(noise.variance) * len(counts))


@pytest.mark.parametrize("bits", [3, 128, 129])
def test_a_line_is_halved_as_often_as_is_paid_for(monkeypatch, bits):
    """Even if all records have one value, which is alone in its leaf only after all bits."""
    monkeypatch.setattr(table_counts, "FEW", 1)
    columns = Columns(("x",), (Line(0, 2**bits - 1),))
    counting = TableCounts(Budget(50, "1e-6"), columns)
    rounds = asked(counting, table_sample(columns, [(2**bits // 3,)] * 2000))[:-1]
    assert len(rounds) == min(bits, table_counts.DEEPEST) == counting.price.lines[0]


@dataclass(frozen=True)
class FreeCellsBeforeLaplace(TableCounts):
    """A broken twin: the tables get all of ε, as if cells cost nothing."""

    @property
    def noise(self):
        return replace(self.price.laplace, cost=Budget(self.cost.epsilon))


@pytest.mark.parametrize("asked_for", [((0, 3),), ((0,), (1, 2))], ids=str)
def test_few_marginals_get_laplace_noise_and_cells_are_paid_for(asked_for):
    """Cells and tables together: zCDP for the cells, plain addition for the rest."""
    sample = mixed(5000)
    for kind in (TableCounts, FreeCellsBeforeLaplace):
        counting = kind(COST, MIXED, asked_for)
        *cells, (tables, _) = asked(counting, sample)
        assert isinstance(tables, DiscreteLaplaces)
        assert tables.sensitivity == 2 * len(asked_for)
        assert len(cells) > 5
        whole = spent(cells).at_delta(COST.delta) + tables.cost
        assert (whole <= COST) == (kind is TableCounts)
        assert float(tables.variance) < float(
            GaussianShare(COST, tables.sensitivity, Concentrated.within(COST).rho).variance
        )


def test_many_marginals_get_gaussian_noise():
    counting = TableCounts(COST, MIXED)
    assert counting.price.laplace is None
    assert isinstance(counting.noise, GaussianShare)


def test_a_record_changes_two_counts_of_each_set():
    sample = mixed(300)
    counting = TableCounts(Budget(5, "1e-3"), MIXED, ((0, 1, 2), (1, 3)))
    cells = counting.release(sample, SYSTEM).cells
    points = sample.points.copy()
    points[7, 1] = 1 - points[7, 1]  # another job, which both sets have
    both = (crosstabs(each, cells, counting.sets) for each in (sample, Sample(points, sample.labels, None, 300)))
    changed = [int(np.abs(one - another).sum()) for one, another in zip(*both, strict=True)]
    assert changed == [2, 2]
