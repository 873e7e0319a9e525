"""Noisy counts of held-out records by region and label, and what follows from them: shares of errors, and pruning.

proof: docs/proofs/risks.md. Nothing here sees a record, except through the counts that a mechanism released.

Throughout this file
    m        the number of regions                n      the number of held-out records
    K        the number of labels: there are K·m counts, and K + 1 more if records may be void
    β        the probability that a claim is wrong
    cells    the noisy counts, also in files that import them: a cell is a region with a label
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil
from typing import NamedTuple, Self

from privpac.classes.decision_trees.rules import Split, simplified
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.regions import Answers, Bands, Leaves, Partition, Sides, finest, with_labels
from privpac.classes.typed_fields import fit_fields
from privpac.data.samples.sample import Sample
from privpac.learners.errors.error_intervals import (
    Floats,
    MeasuredShare,
    NoiseSum,
    clearly_more,
    declared_interval,
    error_interval,
    largest_share,
    nearest_counts,
)
from privpac.learners.errors.share_intervals import NoisyPair
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Records
from privpac.requests.json_values import STORED

OTHER = -1  # stands for any answer but the label of the record
FINENESS = 10**6  # certified errors are rounded up to multiples of 1/FINENESS
MOST_REGIONS = 32
RECORDS_PER_REGION = 50  # divided by ε, the fewest records per region, on average
MOST_SPREAD = Fraction(25, 16)  # the most that more regions may multiply the variance of the measured error by
SPREAD = Fraction(3, 25)  # about the variance of a single error if a rule errs on one record in seven: 1/7·6/7
PRUNED_SHARE = Fraction(1, 20)  # the share of β for the bounds on how many records pruned leaves hold
OTHER_RULES_SHARE = Fraction(1, 10)  # the share of β for comparing the rules that pruning may choose with a constant
MOST_WIDENED = Fraction(1, 4)  # the most that pruning may widen the error's interval on either side, relative to it


class Kinds(NamedTuple):
    """The kinds of records that are counted: by region, their label, and the answer that the rule gives them.

    Kinds are numbered in the order of the counts. Each property, such as ``errors``, gives the numbers of some kinds.

    >>> kinds = Kinds.of((1, 0), void=True)
    >>> kinds.labels, kinds.true_positive, kinds.false_negative, kinds.errors
    ((1, 0, 1, 0, 1, 0, 2), (0,), (2, 4), (1, 2, 4))
    >>> Kinds.folded(3, void=False).errors
    (3, 4, 5)
    """

    labels: tuple[int, ...]  # of each kind; K stands for no declared label
    answers: tuple[int, ...]  # for each kind; OTHER is any wrong one
    K: int = 2

    @staticmethod
    def of(answers: Sequence[int], void: bool, K: int = 2) -> Kinds:
        """The kinds if these are the answers in the regions; records that do not fit are answered 0."""
        labels = tuple(reversed(range(K))) * (len(answers) + void)
        of_regions = (*answers, 0) if void else tuple(answers)
        repeated = tuple(answer for answer in of_regions for _ in range(K))
        return Kinds(labels + (K,) * void, repeated + (OTHER,) * void, K)

    @staticmethod
    def folded(K: int, void: bool) -> Kinds:
        """The kinds if records are not counted by region: for each label, right answers first, then wrong ones."""
        wrong = Kinds.of((OTHER, OTHER), void, K)
        return wrong._replace(answers=wrong.labels[:K] + wrong.answers[K:])

    def at(self, label: int, answer: int) -> tuple[int, ...]:
        """The kinds with this label and this answer."""
        pairs = enumerate(zip(self.labels, self.answers, strict=True))
        return tuple(i for i, pair in pairs if pair == (label, answer))

    def having(self, label: int) -> tuple[int, ...]:
        """The kinds with this label."""
        return tuple(i for i, own in enumerate(self.labels) if own == label)

    @property
    def declared(self) -> tuple[int, ...]:
        return tuple(i for i, label in enumerate(self.labels) if label < self.K)

    @property
    def errors(self) -> tuple[int, ...]:
        return tuple(i for i in self.declared if self.labels[i] != self.answers[i])

    @property
    def right(self) -> tuple[int, ...]:
        return tuple(i for i in self.declared if self.labels[i] == self.answers[i])

    def against_constant(self, k: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The kinds where the rule is right and the constant k is not, and those where it is the other way round."""
        right = tuple(i for i in self.right if self.labels[i] != k)
        return right, tuple(i for i in self.errors if self.labels[i] == k)

    @property
    def true_positive(self) -> tuple[int, ...]:
        return self.at(1, 1)

    @property
    def false_positive(self) -> tuple[int, ...]:
        return self.at(0, 1)

    @property
    def false_negative(self) -> tuple[int, ...]:
        return self.at(1, 0)

    @property
    def true_negative(self) -> tuple[int, ...]:
        return self.at(0, 0)

    @property
    def positives(self) -> tuple[int, ...]:
        return self.having(1)

    @property
    def negatives(self) -> tuple[int, ...]:
        return self.having(0)

    @property
    def flagged(self) -> tuple[int, ...]:
        return self.true_positive + self.false_positive

    @property
    def unflagged(self) -> tuple[int, ...]:
        return self.false_negative + self.true_negative


Choice = Callable[[Kinds], tuple[int, ...]]  # chooses some of the kinds, such as the errors


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
    rate: Fraction  # of the noise of each count: ε/2
    beta: Fraction  # β for all statements about one rule together
    void: bool = False
    cuts: tuple[int, ...] = ()
    rules: int = 1  # how many rules the held-out records may have chosen this one from

    def __post_init__(self) -> None:
        fit_fields(self)
        if len(self.noisy) != len(self.measured_kinds.labels):
            raise ValueError(
                "there must be a count for each label in each region of the rule, and others for void records"
            )
        if self.held < 0 or self.rate <= 0 or self.rules < 1 or not 0 < self.rules * self.beta < 1:
            raise ValueError("the number of records must not be negative, and noise and confidence must be possible")

    @property
    def K(self) -> int:  # noqa: N802
        """How many labels there are."""
        return 2

    @cached_property
    def partition(self) -> Partition:
        """The regions."""
        if self.cuts and isinstance(self.rule, Scorecard):
            return Bands(self.rule, self.cuts)
        by_leaves = isinstance(self.rule, Split) and self._regions > 2
        return Leaves(self.rule) if by_leaves else Sides(self.rule)

    @property
    def _regions(self) -> int:
        """The number of regions, from the number of counts."""
        return (len(self.noisy) - self.void) // self.K - self.void

    @cached_property
    def pruning(self) -> Pruning:
        """The rule after leaves that hold hardly a record took the label of the leaf beside them."""
        return pruning_of(self)

    @cached_property
    def measured_kinds(self) -> Kinds:
        """The kinds, by the answers of the rule that was measured."""
        return Kinds.of(self.partition.labels, self.void, self.K)

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds, by the answers of the pruned rule."""
        return Kinds.of(self.pruning.labels, self.void, self.K) if self.pruning.mass else self.measured_kinds

    @property
    def confidence(self) -> Fraction:
        """The probability with which all statements hold, whichever rule was chosen."""
        return 1 - self.rules * self.beta

    def chosen_of(self, rules: int) -> Self:
        """The same counts if the held-out records may have chosen the rule from this many: each gets a share of β."""
        return replace(self, beta=self.beta / rules, rules=rules)

    @property
    def error_beta(self) -> Fraction:
        """The part of β for the interval of the error; bounds on the records of pruned leaves take the rest."""
        return self.beta * (1 - PRUNED_SHARE) if self.pruning.choices > 1 else self.beta

    def noise(self, counts: int) -> NoiseSum:
        """The noise of a sum of this number of counts."""
        return NoiseSum(self.rate, counts)

    @cached_property
    def nearest(self) -> Floats:
        """The numbers ≥ 0 that add up to n and are nearest to the noisy counts."""
        return nearest_counts(self.noisy, self.held)

    def estimate(self, kinds: Sequence[int]) -> float:
        """About how many records are of these kinds, by the nearest counts."""
        return float(self.nearest[list(kinds)].sum())

    def noisy_count(self, kinds: Sequence[int]) -> int:
        """The noisy number of records of these kinds."""
        return sum(self.noisy[kind] for kind in kinds)

    def doubled_count(self, kinds: Sequence[int]) -> int:
        """About twice the number of records of these kinds: their counts, plus n minus all others.

        This has the noise of all counts once, whichever kinds they are.
        """
        return 2 * self.noisy_count(kinds) + self.held - sum(self.noisy)

    def clearly_occur(self, kinds: Sequence[int]) -> bool:
        """Whether there clearly are such records: noise alone makes this count with probability at most β/2."""
        return float(self.noise(len(self.noisy)).tail(self.doubled_count(kinds))) <= float(self.beta) / 2

    def interval(self, kinds: Sequence[int], beta: Fraction) -> tuple[float, float]:
        """An interval for the share of these kinds among new records with a declared label."""
        y, noise = self.doubled_count(kinds), self.noise(len(self.noisy))
        if self.void:
            return declared_interval(y, self.held, self.noisy[-1], noise, beta)
        return error_interval(y, self.held, noise, beta)

    def share_of(self, choice: Choice, beta: Fraction) -> MeasuredShare:
        """The share of some kinds among new records with a declared label, for the pruned rule.

        The interval is that of the measured rule, wider by the bound on the records where the two rules differ.
        """
        low, high = self.interval(choice(self.measured_kinds), beta)
        low, high = max(low - self.pruning.mass, 0.0), min(high + self.pruning.mass, 1.0)
        value = share(self.estimate(choice(self.kinds)), self.estimate(self.kinds.declared))
        return MeasuredShare.within(value, low, high)

    @property
    def misfits(self) -> tuple[MeasuredShare, MeasuredShare] | tuple[None, None]:
        """The shares of records that do not fit, and of those among them without a declared label."""
        if not self.void:
            return None, None
        last = len(self.noisy)
        unfit, undeclared = self._of_all(range(last - self.K - 1, last)), self._of_all(range(last - 1, last))
        if unfit.value < undeclared.value:  # noise alone; records without a declared label do not fit
            unfit = MeasuredShare(undeclared.value, unfit.low, max(unfit.high, undeclared.value))
        return unfit, undeclared

    def _of_all(self, kinds: Sequence[int]) -> MeasuredShare:
        """The share of these kinds among all n records."""
        y, n = self.doubled_count(kinds), self.held
        interval = error_interval(y, n, self.noise(len(self.noisy)), self.beta)
        return MeasuredShare.within(y / (2 * max(n, 1)), *interval)

    def beta_after_pruning(self, beta: Fraction) -> Fraction:
        """The part of β for claims about the rule that pruning chose: most of it if pruning changed nothing."""
        other_choices = self.pruning.choices - 1
        if not other_choices:
            return beta
        return beta * OTHER_RULES_SHARE / other_choices if self.pruning.mass else beta * (1 - OTHER_RULES_SHARE)

    def clearly_exceed(
        self, first: Sequence[int], second: Sequence[int], beta: Fraction, share: Fraction = Fraction(1, 2)
    ) -> bool:
        """Whether clearly more than this share of the records of all these kinds are of the first ones.

        This is about the rule that pruning chose.
        """
        if not (first and second):
            return False
        beta = self.beta_after_pruning(beta)
        if share == Fraction(1, 2):
            return clearly_more(self.noisy, (first, second), self.held, self.rate, beta)
        return self.pair(first, second).exceeds(share, beta)

    def pair(self, first: Sequence[int], second: Sequence[int]) -> NoisyPair:
        """The noisy counts of two sets of kinds."""
        counts = self.noisy_count(first), self.noisy_count(second)
        return NoisyPair(counts, (len(first), len(second)), self.held, self.rate)

    def certified(self, utility: Utility) -> Utility:
        """The learned rule's certificate, for the pruned rule, which may err on a few records more."""
        if not (mass := self.pruning.mass):
            return utility
        alpha = min(utility.alpha + Fraction(ceil(mass * FINENESS), FINENESS), Fraction(1))
        beta = min(utility.beta + (1 - self.confidence) * PRUNED_SHARE, Fraction(1))
        return replace(utility, alpha=alpha, beta=beta, theorem=f"{utility.theorem}; risks, Theorem 5")


@dataclass(frozen=True)
class LabelCounts(RegionCounts):
    """Noisy counts for a rule that answers one of K > 2 labels, which are numbers; the last label comes first.

    The regions are the leaves of the tree or, if there are too many, one region for each label that it answers. If
    these are too many as well, the counts are ``folded``: for each label, the right answers and the wrong ones.
    """

    K: int = 3

    @cached_property
    def partition(self) -> Partition:
        leaves = Leaves(self.rule)
        return leaves if leaves.number == self._regions else Answers(self.rule)

    @property
    def folded(self) -> bool:
        """Whether only right and wrong answers were counted, by label."""
        return self._regions == 2 < self.partition.number

    @cached_property
    def measured_kinds(self) -> Kinds:
        return Kinds.folded(self.K, self.void) if self.folded else super().measured_kinds


def share(part: float, whole: float) -> float:
    """part/whole, at most 1; 1/2 if the whole is 0, because nothing is known then."""
    return min(part / whole, 1.0) if whole > 0 else 0.5


def most_regions(epsilon: Fraction, n: int, labels: int = 2, *, void: bool) -> int:
    """The most regions to count in n records at this ε; a function of public numbers.

    More than two are counted only if each has at least 50/ε records on average, and if the interval of the error is
    wider by a quarter at most.

    >>> [most_regions(Fraction(1), n, void=True) for n in (100, 200, 400, 2000)]
    [2, 4, 8, 32]
    >>> most_regions(Fraction(1, 10), 8000, void=True), most_regions(Fraction(1, 10), 8000, 10, void=True)
    (5, 4)
    """

    def spread(m: int) -> Fraction:
        """The variance of the measured number of errors with m regions: that of sampling plus that of noise."""
        return SPREAD * n + 2 * (labels * m + (labels + 1) * void) / epsilon**2

    m, widest = 2, MOST_SPREAD * spread(2)  # the width grows like the root of the variance: √(25/16) = 1 + 1/4
    while m < MOST_REGIONS and epsilon * n >= RECORDS_PER_REGION * (m + 1) and spread(m + 1) <= widest:
        m += 1
    return m


def count_regions(
    rule: Hypothesis,
    cost: Budget,
    beta: Fraction,
    held_out: Records,
    ask: Ask,
    *,
    void: bool,
    labels: int = 2,
    partition: Partition | None = None,
) -> RegionCounts:
    """Count held-out records by region and label, with noise, at this cost; by default in the public regions."""
    n = held_out.size
    most = most_regions(cost.epsilon, n, labels, void=void)
    regions = finest(rule, most) if partition is None else partition
    folded = partition is None and regions.number > most
    number = labels * (2 if folded else regions.number) + (labels + 1) * void
    mechanism, noisy = DisjointCounts(cost, n), (0,) * number

    def counts_of(sample: Sample) -> tuple[int, ...]:
        counts = region_cells(sample, regions, void=void, labels=labels)
        return folded_cells(counts, regions.labels, labels) if folded else counts

    if n:
        noisy = ask(mechanism, held_out.see(counts_of))
    if labels > 2:
        return LabelCounts(regions.rule, noisy, n, mechanism.rate, beta, void, K=labels)
    cuts = regions.cuts if isinstance(regions, Bands) else ()
    return RegionCounts(regions.rule, noisy, n, mechanism.rate, beta, void, cuts)


def region_cells(sample: Sample, partition: Partition, *, void: bool, labels: int = 2) -> tuple[int, ...]:
    """How many records lie in each region and have each label; then the void records by label, if there may be any."""
    counts = sample.cells(partition.places, partition.number, labels)
    return counts if void else counts[: -labels - 1]


def folded_cells(counts: Sequence[int], answers: Sequence[int], labels: int) -> tuple[int, ...]:
    """For each label, the last one first, how many records get it; how many get another one; then the void records.

    >>> folded_cells((1, 2, 3, 40, 50, 60, 700, 800, 900), (0, 1, 2), 3)
    (700, 50, 3, 41, 802, 960)
    """
    kinds = Kinds.of(answers, void=False, K=labels)
    right = [sum(counts[i] for i in kinds.at(label, label)) for label in reversed(range(labels))]
    total = [sum(counts[i] for i in kinds.having(label)) for label in reversed(range(labels))]
    wrong = [records - right_ones for records, right_ones in zip(total, right, strict=True)]
    return *right, *wrong, *counts[len(kinds.labels) :]


@dataclass(frozen=True)
class Pruning:
    """A tree in which some leaves took the label of their neighbors, and how often it differs from the measured rule.

    ``groups`` has a tuple of measured regions for each region that is left: leaves that were merged, or neighboring
    bands of a scorecard. ``choices`` is the number of rules that pruning could have led to.
    """

    tree: Hypothesis
    labels: tuple[int, ...]  # of the measured regions, after pruning
    groups: tuple[tuple[int, ...], ...]
    mass: float = 0.0  # at most this share of new records get another label than before
    choices: int = 1

    @cached_property
    def rule(self) -> Hypothesis:
        """The rule in its shortest form; without pruning, as it was measured."""
        return simplified(self.tree) if self.mass else self.tree

    def sentences(self, measured: Partition, *names: str) -> list[str]:
        """The groups in words; ``measured`` are the measured regions."""
        if isinstance(measured, Bands):
            return replace(measured, cuts=tuple(measured.cuts[group[-1]] for group in self.groups[:-1])).sentences()
        return Leaves(self.tree).sentences(*names) if self.mass else measured.sentences(*names)


def pruning_of(cells: RegionCounts) -> Pruning:
    """Prune leaves that hold hardly a record: they take the label of the other side of a split.

    Bounds on the share of records in these leaves, which hold for all leaves together, widen the error's interval.
    Leaves are pruned as long as it gets wider by at most a quarter on either side.
    """
    partition = cells.partition
    if isinstance(partition, Bands):
        return Pruning(partition.rule, partition.labels, _runs(cells, partition))
    unmerged = tuple((g,) for g in range(partition.number))
    if not isinstance(partition, Leaves) or not cells.held:
        return Pruning(partition.rule, partition.labels, unmerged)
    bounds = _bounds(cells, partition.number)
    low, high = cells.interval(cells.measured_kinds.errors, cells.beta * (1 - PRUNED_SHARE))
    pruner = _Pruner(bounds, float(MOST_WIDENED) * (high - low))
    tree = pruner.visit(partition.rule)
    return Pruning(tree.rule, tuple(tree.labels), tuple(tree.groups), pruner.mass, _choices(partition.rule))


def _bounds(cells: RegionCounts, regions: int) -> list[float]:
    """Upper bounds on the share of new records with a declared label in each region; all of them hold together."""
    beta, declared = cells.beta * PRUNED_SHARE / (1 + cells.void), cells.held
    if cells.void:  # half of β's part pays for a lower bound on how many records have a declared label
        declared = min(max(cells.held - cells.noisy[-1] - cells.noise(1).reach(float(beta)) + 1, 0), cells.held)
    noise = cells.noise(cells.K)
    return [largest_share(_noisy_records(cells, (g,)), declared, noise, beta / regions) for g in range(regions)]


def _runs(cells: RegionCounts, bands: Bands) -> tuple[tuple[int, ...], ...]:
    """Neighboring bands with one label, joined until each run holds about 50/ε records, if there are that many."""
    runs: list[tuple[int, ...]] = []
    enough = RECORDS_PER_REGION / (2 * cells.rate)  # ε is twice the rate
    for g, label in enumerate(bands.labels):
        if runs and bands.labels[runs[-1][0]] == label and _noisy_records(cells, runs[-1]) < enough:
            runs[-1] = (*runs[-1], g)
        else:
            runs.append((g,))
    for label in (1, 0):  # the last run with a label joins the one before it if it holds too few records
        own = [i for i, run in enumerate(runs) if bands.labels[run[0]] == label]
        if len(own) > 1 and _noisy_records(cells, runs[own[-1]]) < enough:
            runs[own[-2] : own[-1] + 1] = [runs[own[-2]] + runs[own[-1]]]
    return tuple(runs)


def _noisy_records(cells: RegionCounts, group: Sequence[int]) -> int:
    """The noisy number of records with a declared label in these regions."""
    return cells.noisy_count([cells.K * g + k for g in group for k in range(cells.K)])


@dataclass(frozen=True)
class _Branch:
    """A branch of a pruned tree, the regions that each of its leaves holds, and their labels."""

    rule: Hypothesis
    groups: list[tuple[int, ...]]
    labels: list[int]  # of the measured leaves


class _Pruner:
    """One walk through a tree, from its leaves to its root; ``mass`` adds up the bounds of all pruned leaves."""

    def __init__(self, bounds: Sequence[float], allowed: float) -> None:
        self.bounds, self.allowed, self.mass, self.next = bounds, allowed, 0.0, 0

    def visit(self, tree: Hypothesis) -> _Branch:
        """The pruned form of a branch."""
        if not isinstance(tree, Split):
            g, self.next = self.next, self.next + 1  # leaves are numbered from left to right
            return _Branch(tree, [(g,)], [int(tree.label)])  # type: ignore[attr-defined]
        yes, no = self.visit(tree.yes), self.visit(tree.no)
        if len({*yes.labels}) == len({*no.labels}) == 1 and yes.labels[0] != no.labels[0]:
            light, heavy = sorted((yes, no), key=self._bound)  # the light branch takes the label of the heavy one
            if self.mass + self._bound(light) <= self.allowed:
                self.mass += self._bound(light)
                labels = heavy.labels[:1] * len(light.labels)
                relabeled = _Branch(with_labels(light.rule, iter(labels)), light.groups, labels)
                yes, no = (relabeled, no) if light is yes else (yes, relabeled)
                if not isinstance(yes.rule, Split) and not isinstance(no.rule, Split):  # two leaves become one
                    whole = tuple(g for group in (*yes.groups, *no.groups) for g in group)
                    return _Branch(heavy.rule, [whole], yes.labels + no.labels)
        return _Branch(replace(tree, yes=yes.rule, no=no.rule), yes.groups + no.groups, yes.labels + no.labels)

    def _bound(self, branch: _Branch) -> float:
        """An upper bound on the share of new records in a branch."""
        return sum(self.bounds[g] for group in branch.groups for g in group)


@lru_cache(maxsize=64)
def _choices(tree: Hypothesis) -> int:
    """How many rules pruning can lead to: those with both branches, and a leaf with any one of their labels."""
    if not isinstance(tree, Split):
        return 1
    return _choices(tree.yes) * _choices(tree.no) + len({*Leaves(tree).labels})


STORED |= {"RegionCounts": RegionCounts, "LabelCounts": LabelCounts}
