"""The error of a rule with more than two labels on new records, measured on records that learning did not see.

proof: docs/proofs/holding_out.md, docs/proofs/risks.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from privpac.classes.decision_trees.rules import Answer
from privpac.learners.errors.any_weights import LabelShares, whole_weights
from privpac.learners.errors.error_intervals import MeasuredShare, percent
from privpac.learners.errors.measured_error import MeasuredError
from privpac.learners.errors.region_counts import Kinds, LabelCounts, share
from privpac.requests.json_values import STORED

FEW = 8  # with more labels, only the three worst rates and the best one are listed


@dataclass(frozen=True)
class LabelErrors(MeasuredError):
    """How often a rule with several labels errs on new records, and how it treats the records of each label.

    ``low`` to ``high`` covers the error on new records with probability at least ``confidence``. For each label,
    ``shares`` has the share of all records that have it, ``right`` the share of these that the rule labels rightly, and
    ``seen`` whether there clearly are such records; if not, that share is unknown. ``confusions`` has a row for each
    label: the shares of all records that have it and get each label; it is empty if that took too many counts.
    ``constant`` is the error of the best constant, and ``better`` says whether the rule is clearly better than all
    constants.

    If records may be void, all of this is about records with a declared label; those that do not fit get the first
    label. ``unfit`` and ``undeclared`` are shares of all records.

    If errors cost differently, by ``weights`` for the labels in turn, ``costs`` has the average cost of a new record
    and the ends of its interval, and ``better`` and ``worse`` compare costs. ``cells`` are the released counts.

    >>> error = LabelErrors(0.06, 0.03, 0.11, Fraction(19, 20), (0.3, 0.3, 0.4), (1.0, 0.9, 0.93), (True,) * 3, (), 0.6,
    ...     better=True, held=200)
    >>> print(error.named("red", "green", "blue"))
    errs on about 6.0 % of new records (between 3.0 % and 11.0 % with 95 % confidence if records are independent); \
always answering blue would err on about 60.0 %
    >>> print(error.named("red", "green", "blue").rates)
    labels correctly about 100.0 % of red, about 90.0 % of green, about 93.0 % of blue
    """

    error: float
    low: float
    high: float
    confidence: Fraction
    shares: tuple[float, ...]
    right: tuple[float, ...]
    seen: tuple[bool, ...]
    confusions: tuple[tuple[float, ...], ...]
    constant: float
    better: bool
    held: int  # how many records were held out
    worse: bool = False
    unfit: MeasuredShare | None = None
    undeclared: MeasuredShare | None = None
    wider: tuple[str, ...] = ()  # a parameter of the class and its value, which allow more rules
    weights: tuple[int, ...] = ()  # what an error costs, for each label; empty if all errors cost the same
    costs: tuple[float, ...] = ()  # of a new record on average, and the ends of its interval
    cells: LabelCounts | None = None
    per_unit: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        K, all_shares = len(self.shares), (*self.shares, *self.right, self.constant, *sum(self.confusions, ()))
        if not (0 <= self.low <= self.error <= self.high <= 1 and all(0 <= share <= 1 for share in all_shares)):
            raise ValueError("error must lie within its interval, and all shares between 0 and 1")
        if not len(self.right) == len(self.seen) == K or any(len(row) != K for row in self.confusions):
            raise ValueError("there must be a share, a rate, and a row for each label")
        if self.weights and (len(self.weights) != K or min(self.weights) < 1):
            raise ValueError("weights are positive integers, one for each label")
        if self.costs and not (self.weights and 0 <= self.cost_low <= self.cost <= self.cost_high <= max(self.weights)):
            raise ValueError("a cost must lie within its interval, and the interval between 0 and the largest weight")
        if self.held < 0 or (self.better and self.worse) or (self.unfit is None) != (self.undeclared is None):
            raise ValueError("the measured error contradicts itself")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, by their numbers if nobody named them."""
        names: tuple[str, ...] = getattr(self, "_labels", ())
        return names if len(names) == len(self.shares) else tuple(f"label {i}" for i in range(len(self.shares)))

    @property
    def always(self) -> int | None:  # type: ignore[override]
        """The number of the label that a constant rule answers for records that fit; None for any other rule."""
        rule = self.cells.pruning.rule if self.cells is not None else None
        return int(rule.label) if isinstance(rule, Answer) else None  # type: ignore[call-overload]

    @property
    def constant_costs(self) -> tuple[float, ...]:
        """For each label in turn, the average cost of a record if that label is always the answer."""
        weights = self.weights if self.costs else (1,) * len(self.shares)
        costs = [weight * share for weight, share in zip(weights, self.shares, strict=True)]
        return tuple(sum(costs) - cost for cost in costs)  # always answering a label errs on all others

    def weighed(self, *weights: int) -> LabelErrors:
        """The same counts, if an error on each label in turn costs this much.

        The interval of the cost holds for all weights together, and so does what ``better`` and ``worse`` then say.
        """
        costs, shares = whole_weights(weights, self.labels), LabelShares.of(self.counts)
        compared = replace(self, better=shares.better(costs), worse=shares.worse(costs), weights=(), costs=())
        if set(costs) != {1}:
            compared = replace(compared, weights=costs, costs=shares.costs(costs))
        return compared.named(*self.labels)

    @property
    def rates(self) -> str:
        """How the rule treats the records of each label; of many labels, the best and the worst."""
        if self._constant:
            return f"labels correctly all of {self.labels[self.always or 0]}, and none of the others"
        known = zip(self.labels, self.right, self.seen, strict=True)
        rates = [f"{f'about {percent(rate)}' if seen else 'an unknown share'} of {name}" for name, rate, seen in known]
        if len(rates) > FEW:
            order = sorted((i for i, seen in enumerate(self.seen) if seen), key=lambda i: self.right[i])
            worst = [rates[i] for i in order[:3]]
            rates = [*worst, "…", rates[order[-1]]] if len(order) > 3 else worst
        return f"labels correctly {', '.join(rates) or 'an unknown share of each label'}"


STORED |= {"LabelErrors": LabelErrors}


@lru_cache(maxsize=256)  # audits read the same counts over and over
def read_label_counts(cells: LabelCounts, wider: tuple[str, ...] = (), weights: tuple[int, ...] = ()) -> LabelErrors:
    """The estimate from noisy counts that add up to about n, for the rule that pruning leaves."""
    labels, kinds, beta = range(cells.K), cells.kinds, cells.beta
    error, (unfit, undeclared) = cells.share_of(lambda kinds: kinds.errors, cells.error_beta), cells.misfits
    declared, records = cells.estimate(kinds.declared), [cells.estimate(kinds.having(k)) for k in labels]
    shares = tuple(share(number, declared) for number in records)
    costs = weights or (1,) * cells.K
    best = max(labels, key=lambda k: costs[k] * shares[k])
    return LabelErrors(
        error=error.value,
        low=error.low,
        high=error.high,
        confidence=cells.confidence,
        shares=shares,
        right=tuple(share(cells.estimate(kinds.at(k, k)), records[k]) for k in labels),
        seen=tuple(cells.clearly_occur(kinds.having(k)) for k in labels),
        confusions=tuple(
            tuple(share(cells.estimate(kinds.at(k, j)), declared) for j in labels) for k in labels if not cells.folded
        ),
        constant=1 - max(shares),
        better=all(_clearly(cells, k, costs, beta, cheaper=True) for k in labels),
        held=cells.held,
        worse=_clearly(cells, best, costs, beta / cells.K, cheaper=False),  # the counts tell which constant is best
        unfit=unfit,
        undeclared=undeclared,
        wider=wider,
        weights=weights,
        costs=_cost(cells, weights) if weights else (),
        cells=cells,
    )


def _layers(weights: Sequence[int]) -> Iterator[tuple[int, frozenset[int]]]:
    """Divide weights into layers: an amount, and the labels that pay it. The amounts of a label add up to its weight.

    >>> [(amount, sorted(labels)) for amount, labels in _layers((1, 5, 2))]
    [(1, [0, 1, 2]), (1, [1, 2]), (3, [1])]
    """
    below = 0
    for weight in sorted(set(weights)):
        yield weight - below, frozenset(k for k, own in enumerate(weights) if own >= weight)
        below = weight


def _cost(cells: LabelCounts, weights: Sequence[int]) -> tuple[float, ...]:
    """The average cost and its interval, from an interval for each layer's errors; all of these hold together."""
    layers = list(_layers(weights))

    def measured(labels: frozenset[int]) -> MeasuredShare:
        return cells.share_of(lambda kinds: _of_labels(kinds, kinds.errors, labels), cells.error_beta / len(layers))

    parts = [[amount * number for number in measured(labels).numbers] for amount, labels in layers]
    value, low, high = map(sum, zip(*parts, strict=True))
    return value, low, high


def _of_labels(kinds: Kinds, numbers: Sequence[int], labels: frozenset[int]) -> tuple[int, ...]:
    """The kinds among ``numbers`` that have one of the labels."""
    return tuple(i for i in numbers if kinds.labels[i] in labels)


def _clearly(cells: LabelCounts, k: int, weights: Sequence[int], beta: Fraction, *, cheaper: bool) -> bool:
    """Whether the rule clearly costs less than the constant k, or clearly more, with confidence 1 − β."""
    saves, pays = cells.kinds.against_constant(k)  # kinds where the rule saves an error of the constant, or adds one
    if len(set(weights)) == 1:
        return cells.clearly_exceed(saves, pays, beta) if cheaper else cells.clearly_exceed(pays, saves, beta)
    layers = [(amount, _of_labels(cells.kinds, saves, labels)) for amount, labels in _layers(weights)]
    sign, parts = 1 if cheaper else -1, [*layers, (-weights[k], pays)]
    if sign * sum(amount * cells.estimate(kinds) for amount, kinds in parts) <= 0:
        return False  # not even by the estimates
    part_beta = 2 * cells.beta_after_pruning(beta) / len(parts)  # an end of an interval at 2β fails with probability β
    intervals = [(sign * amount, cells.interval(kinds, part_beta)) for amount, kinds in parts if kinds]
    return sum(amount * (low if amount > 0 else high) for amount, (low, high) in intervals) > 0
