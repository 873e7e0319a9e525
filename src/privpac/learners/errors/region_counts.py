"""Noisy counts of held-out records by region and label, and what follows from them: kinds of errors, and pruning.

proof: docs/proofs/risks.md. Nothing here sees a record, except through the counts that a mechanism released.

Throughout this file
    m        the number of regions                n      the number of held-out records
    K        the number of counts: 2·m, and three more if records may be void
    β        the probability that a claim is wrong
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from privpac.classes.decision_trees.rules import Split, simplified
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.regions import Bands, Leaves, Partition, Sides, finest
from privpac.classes.typed_fields import fit
from privpac.data.samples.sample import Sample
from privpac.learners.errors.error_intervals import NoiseSum, declared_interval, error_interval, largest_share
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.requests.json_values import STORED

VOID = 3  # counts of void records: positive, negative, undeclared
MOST = 32  # regions
FEWEST = 50  # of ε times records for each region
WIDER = Fraction(25, 16)  # the most that more regions may multiply the variance of the measured error by
SPREAD = Fraction(3, 25)  # the variance of an error that happens for one record in seven
MASSES = Fraction(1, 20)  # of β, for how many records the pruned leaves hold
OTHERS = Fraction(1, 10)  # of β, for the comparison of pruned rules with a constant
ALLOWED = Fraction(1, 4)  # of the width of the error's interval, which pruning may add on either side


@dataclass(frozen=True)
class Kinds:
    """The places of the counts, by what the rule says of the records: right or wrong, positive or negative.

    >>> Kinds.of((1, 0), void=True)
    Kinds(true_positive=(0,), false_positive=(1,), false_negative=(2, 4), true_negative=(3, 5), undeclared=(6,))
    """

    true_positive: tuple[int, ...]
    false_positive: tuple[int, ...]
    false_negative: tuple[int, ...]
    true_negative: tuple[int, ...]
    undeclared: tuple[int, ...]

    @staticmethod
    def of(labels: Sequence[int], void: bool) -> Kinds:
        """The kinds if these are the labels of the regions; records that do not fit get the negative label."""
        every = (*labels, 0) if void else tuple(labels)
        flagged, others = ([g for g, label in enumerate(every) if bool(label) == side] for side in (True, False))
        positive, negative = ([tuple(2 * g + k for g in some) for some in (flagged, others)] for k in (0, 1))
        return Kinds(positive[0], negative[0], positive[1], negative[1], (2 * len(every),) if void else ())

    @property
    def positives(self) -> tuple[int, ...]:
        return self.true_positive + self.false_negative

    @property
    def negatives(self) -> tuple[int, ...]:
        return self.false_positive + self.true_negative

    @property
    def flagged(self) -> tuple[int, ...]:
        return self.true_positive + self.false_positive

    @property
    def left(self) -> tuple[int, ...]:
        return self.false_negative + self.true_negative

    @property
    def errors(self) -> tuple[int, ...]:
        return self.false_positive + self.false_negative


@dataclass(frozen=True)
class RegionCounts:
    """How many held-out records lie in each region of ``rule`` and have each label, with noise.

    ``noisy`` goes region by region, positive records first; if records may be ``void``, those that do not fit follow
    (positive, negative), and those without a declared label. The regions are the bands between ``cuts`` of a scorecard,
    the leaves of a tree that has more than two, or the two sides of the rule.
    """

    rule: Hypothesis
    noisy: tuple[int, ...]
    held: int  # n
    rate: Fraction  # of the noise of each count
    beta: Fraction
    void: bool = False
    cuts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        fit(self)
        if len(self.noisy) != 2 * self.partition.number + VOID * self.void:
            raise ValueError("there must be two counts for each region of the rule, and three more for void records")
        if self.held < 0 or self.rate <= 0 or not 0 < self.beta < 1:
            raise ValueError("the number of records must not be negative, and noise and confidence must be possible")

    @cached_property
    def partition(self) -> Partition:
        """The regions."""
        if self.cuts and isinstance(self.rule, Scorecard):
            return Bands(self.rule, self.cuts)
        by_leaves = isinstance(self.rule, Split) and len(self.noisy) - VOID * self.void > 4
        return Leaves(self.rule) if by_leaves else Sides(self.rule)  # type: ignore[arg-type]

    @cached_property
    def pruning(self) -> Pruning:
        """What is left of the rule once leaves that hold hardly a record give their label away."""
        return pruned(self)

    def noise(self, counts: int) -> NoiseSum:
        """The noise of a sum of so many counts."""
        return NoiseSum(self.rate, counts)

    def sum(self, kinds: Sequence[int]) -> int:
        """The noisy number of records of these kinds."""
        return sum(self.noisy[kind] for kind in kinds)

    def twice(self, kinds: Sequence[int]) -> int:
        """Twice the number of records of these kinds, as all counts tell it."""
        return 2 * self.sum(kinds) + self.held - sum(self.noisy)

    def interval(self, kinds: Sequence[int], beta: Fraction) -> tuple[float, float]:
        """An interval for the share of these kinds among new records with a declared label."""
        y, noise = self.twice(kinds), self.noise(len(self.noisy))
        if self.void:
            return declared_interval(y, self.held, self.noisy[-1], noise, beta)
        return error_interval(y, self.held, noise, beta)


def most_regions(epsilon: Fraction, n: int, *, void: bool) -> int:
    """How many regions are counted at most, of n records at this ε: public.

    Each region has 50/ε records on average, and the interval of the error is wider by a quarter at most.

    >>> [most_regions(Fraction(1), n, void=True) for n in (100, 200, 400, 2000)]
    [2, 4, 8, 32]
    >>> most_regions(Fraction(1, 10), 8000, void=True)
    5
    """
    m, widest = 2, WIDER * _spread(epsilon, n, 2, void)
    while m < MOST and epsilon * n >= FEWEST * (m + 1) and _spread(epsilon, n, m + 1, void) <= widest:
        m += 1
    return m


def _spread(epsilon: Fraction, n: int, m: int, void: bool) -> Fraction:
    """The variance of the number of errors as it is measured with m regions: of sampling, and of noise."""
    return SPREAD * n + 2 * (2 * m + VOID * void) / epsilon**2


def public_partition(rule: Hypothesis, epsilon: Fraction, n: int, *, void: bool) -> Partition:
    """The regions to count for a released rule."""
    return finest(rule, most_regions(epsilon, n, void=void))


def count_regions(
    rule: Hypothesis,
    cost: Budget,
    beta: Fraction,
    held: Records,
    ask: Ask,
    *,
    void: bool,
    partition: Partition | None = None,
) -> RegionCounts:
    """Count held-out records by region and label, with noise, at this cost; by default in the public regions."""
    n = held.size
    regions = public_partition(rule, cost.epsilon, n, void=void) if partition is None else partition
    mechanism, noisy = DisjointCounts(cost, n), (0,) * (2 * regions.number + VOID * void)
    if n:
        noisy = ask(mechanism, held.see(lambda sample: region_cells(sample, regions, void=void)))
    cuts = regions.cuts if isinstance(regions, Bands) else ()
    return RegionCounts(regions.rule, noisy, n, mechanism.rate, beta, void, cuts)


def region_cells(sample: Sample, partition: Partition, *, void: bool, labels: int = 2) -> tuple[int, ...]:
    """How many records lie in each region and have each label; and void records, if there may be any."""
    counts = sample.cells(partition.places, partition.number, labels)
    return counts if void else counts[:-VOID]


@dataclass(frozen=True)
class Pruning:
    """A tree in which some leaves have given their label away, and how often its rule may differ from the measured one.

    ``groups`` are the measured regions that each region now holds: leaves that are one, or neighboring bands of a
    scorecard. ``choices`` is the number of rules that pruning could have led to.
    """

    tree: Hypothesis
    labels: tuple[int, ...]  # of the measured regions
    groups: tuple[tuple[int, ...], ...]
    mass: float = 0.0
    choices: int = 1

    @cached_property
    def rule(self) -> Hypothesis:
        """The rule in its shortest form; without pruning, as it was measured."""
        return simplified(self.tree) if self.mass else self.tree

    def sentences(self, measured: Partition, *names: str) -> list[str]:
        """The groups in words, if these are the measured regions."""
        if isinstance(measured, Bands):
            return replace(measured, cuts=tuple(measured.cuts[group[-1]] for group in self.groups[:-1])).sentences()
        if not self.mass:
            return measured.sentences(*names)
        return Leaves(self.tree).sentences(*names) if isinstance(self.tree, Split) else ["every record"]


def pruned(cells: RegionCounts) -> Pruning:
    """Leaves whose label decides hardly a record take that of the other side; the rule may differ on ``mass`` at most.

    A side of a split gives its label away if the bounds on its records, which hold for all leaves together, add less
    than a quarter to the width of the error's interval, on either side.
    """
    partition = cells.partition
    if isinstance(partition, Bands):
        return Pruning(partition.rule, partition.labels, _runs(cells, partition))
    each = tuple((g,) for g in range(partition.number))
    if not isinstance(partition, Leaves) or not cells.held:
        return Pruning(partition.rule, partition.labels, each)
    bounds = _bounds(cells, partition.number)
    low, high = cells.interval(Kinds.of(partition.labels, cells.void).errors, cells.beta * (1 - MASSES))
    pruner = _Pruner(bounds, float(ALLOWED) * (high - low))
    tree = pruner.visit(partition.rule)
    return Pruning(tree.rule, tuple(tree.labels), tuple(tree.groups), pruner.mass, _choices(partition.rule))


def _bounds(cells: RegionCounts, regions: int) -> list[float]:
    """How many of the records with a declared label each region holds at most, for all regions together."""
    beta, declared = cells.beta * MASSES / (1 + cells.void), cells.held
    if cells.void:  # how many have one is bounded at half of β's part
        declared = min(max(cells.held - cells.noisy[-1] - cells.noise(1).reach(float(beta)) + 1, 0), cells.held)
    return [largest_share(_records(cells, (g,)), declared, cells.noise(2), beta / regions) for g in range(regions)]


def _runs(cells: RegionCounts, bands: Bands) -> tuple[tuple[int, ...], ...]:
    """Neighboring bands with one label, joined until each run holds about 50/ε records; the last of a label may not."""
    runs: list[tuple[int, ...]] = []
    few = FEWEST / (2 * cells.rate)  # ε is twice the rate
    for g, label in enumerate(bands.labels):
        if runs and bands.labels[runs[-1][0]] == label and _records(cells, runs[-1]) < few:
            runs[-1] = (*runs[-1], g)
        else:
            runs.append((g,))
    for label in (1, 0):  # a last run that holds too few joins the one before it
        own = [i for i, run in enumerate(runs) if bands.labels[run[0]] == label]
        if len(own) > 1 and _records(cells, runs[own[-1]]) < few:
            runs[own[-2] : own[-1] + 1] = [runs[own[-2]] + runs[own[-1]]]
    return tuple(runs)


def _records(cells: RegionCounts, group: Sequence[int]) -> int:
    return cells.sum([2 * g + k for g in group for k in (0, 1)])


@dataclass(frozen=True)
class _Branch:
    rule: Hypothesis
    groups: list[tuple[int, ...]]
    labels: list[int]  # of the measured leaves


class _Pruner:
    """One walk through a tree, from its leaves to its root."""

    def __init__(self, bounds: Sequence[float], allowed: float) -> None:
        self.bounds, self.allowed, self.mass, self.next = bounds, allowed, 0.0, 0

    def visit(self, tree: Hypothesis) -> _Branch:
        """The pruned form of a branch."""
        if not isinstance(tree, Split):
            g, self.next = self.next, self.next + 1
            return _Branch(tree, [(g,)], [int(tree.constant is True)])
        yes, no = self.visit(tree.yes), self.visit(tree.no)
        if len({*yes.labels}) == len({*no.labels}) == 1 and yes.labels[0] != no.labels[0]:
            light, heavy = sorted((yes, no), key=self._bound)
            if self.mass + self._bound(light) <= self.allowed:
                self.mass += self._bound(light)
                given = _Branch(
                    _constant(light.rule, heavy.labels[0]), light.groups, heavy.labels[:1] * len(light.labels)
                )
                yes, no = (given, no) if light is yes else (yes, given)
                if isinstance(yes.rule, Constant) and isinstance(no.rule, Constant):
                    whole = tuple(g for group in (*yes.groups, *no.groups) for g in group)
                    return _Branch(heavy.rule, [whole], yes.labels + no.labels)
        return _Branch(Split(tree.test, yes.rule, no.rule), yes.groups + no.groups, yes.labels + no.labels)

    def _bound(self, branch: _Branch) -> float:
        return sum(self.bounds[g] for group in branch.groups for g in group)


def _constant(tree: Hypothesis, label: int) -> Hypothesis:
    """The same tests with this label at all leaves."""
    if not isinstance(tree, Split):
        return Constant(bool(label))
    return Split(tree.test, _constant(tree.yes, label), _constant(tree.no, label))


@lru_cache(maxsize=64)
def _choices(tree: Hypothesis) -> int:
    """How many rules pruning can lead to: both branches are pruned, or one label is left."""
    return _choices(tree.yes) * _choices(tree.no) + 2 if isinstance(tree, Split) else 1


STORED |= {"RegionCounts": RegionCounts}
