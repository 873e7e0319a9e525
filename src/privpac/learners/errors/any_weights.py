"""Compare the cost of a measured rule with constant rules, for all weights of errors at once, even if chosen later.

proof: docs/proofs/risks.md, Theorem 4. Nothing here sees a record.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.data.values.whole_numbers import is_whole
from privpac.learners.errors.error_intervals import SIZE_SHARE, MeasuredShare
from privpac.learners.errors.measured_error import FEW_WEIGHTS
from privpac.learners.errors.region_counts import Kinds, RegionCounts
from privpac.refusals.refusal import Refused
from privpac.requests.weights import LARGEST


@dataclass(frozen=True)
class LabelShares:
    """For each of several labels, the share of new records that have it and are labeled wrongly, and rightly.

    All ends of the intervals in ``wrong`` hold together with the confidence of the measured error. So do the ends that
    ``better`` reads, and those that ``worse`` reads.
    """

    wrong: tuple[MeasuredShare, ...]
    right: tuple[MeasuredShare, ...]

    @staticmethod
    @lru_cache(maxsize=64)
    def of(cells: RegionCounts) -> LabelShares:
        """The shares that follow from noisy counts, for the rule that pruning leaves."""

        def measured(part: str, label: int) -> MeasuredShare:
            def of_label(kinds: Kinds) -> tuple[int, ...]:
                return tuple(i for i in getattr(kinds, part) if kinds.labels[i] == label)

            return cells.share_of(of_label, cells.error_beta / cells.K)

        wrong, right = (tuple(measured(part, k) for k in range(cells.K)) for part in ("errors", "right"))
        return LabelShares(wrong, right)

    def costs(self, weights: Sequence[int]) -> tuple[float, float, float]:
        """The average cost of a new record, and the ends of its interval."""
        value, low, high = (
            sum(weight * number for weight, number in zip(weights, numbers, strict=True))
            for numbers in zip(*(measured.numbers for measured in self.wrong), strict=True)
        )
        most = float(max(weights))  # the sum of separate intervals may lie beyond the largest possible cost
        return min(value, most), min(low, most), min(high, most)

    def better(self, weights: Sequence[int]) -> bool:
        """Whether the rule clearly costs less than every constant."""
        return all(
            self._saved(weights, k, [share.low for share in self.right]) > weights[k] * self.wrong[k].high
            for k in range(len(weights))
        )

    def worse(self, weights: Sequence[int]) -> bool:
        """Whether the rule clearly costs more than some constant, so more than the best one."""
        return any(
            self._saved(weights, k, [share.high for share in self.right]) < weights[k] * self.wrong[k].low
            for k in range(len(weights))
        )

    @staticmethod
    def _saved(weights: Sequence[int], constant: int, right: Sequence[float]) -> float:
        """What a constant rule pays where the measured rule is right."""
        return sum(weights[k] * right[k] for k in range(len(weights)) if k != constant)


@dataclass(frozen=True)
class AnswerShares:
    """For two labels, how often the negative answer and the positive one are right: an interval for each.

    Both lower ends hold together with the confidence of the measured error; so do both upper ends.
    """

    intervals: tuple[tuple[float, float], tuple[float, float]]

    @staticmethod
    @lru_cache(maxsize=64)
    def of(cells: RegionCounts) -> AnswerShares:
        """The intervals that follow from noisy counts, for the rule that pruning leaves."""
        # Each end of an interval at β is wrong with probability at most (1 + 1/10)·β/2.
        beta = cells.beta_after_pruning(cells.beta) / (1 + SIZE_SHARE)

        def measured(right: tuple[int, ...], wrong: tuple[int, ...]) -> tuple[float, float]:
            return cells.pair(right, wrong).interval(beta) if right and wrong else (0.0, 1.0)

        kinds = cells.kinds
        negative = measured(kinds.true_negative, kinds.false_negative)
        return AnswerShares((negative, measured(kinds.true_positive, kinds.false_positive)))

    def better(self, weights: Sequence[int]) -> bool:
        """Whether the rule clearly costs less than both constants."""
        return all(low > self._break_even(weights, k) for k, (low, _) in enumerate(self.intervals))

    def worse(self, weights: Sequence[int]) -> bool:
        """Whether the rule clearly costs more than some constant, so more than the best one."""
        return any(high < self._break_even(weights, k) for k, (_, high) in enumerate(self.intervals))

    @staticmethod
    def _break_even(weights: Sequence[int], k: int) -> Fraction:
        """The share at which answering k costs as much as answering the other label."""
        return Fraction(weights[1 - k], sum(weights))


def whole_weights(weights: Sequence[int], labels: Sequence[str]) -> tuple[int, ...]:
    """What an error on each label costs, checked.

    >>> whole_weights((1, 2.5), "AB")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: weights: name a whole number from 1 to 10,000 for each of A, B, like weighed(1, 9)
    """
    whole = all(is_whole(weight) and 1 <= weight <= LARGEST for weight in weights)
    if len(weights) != len(labels) or not whole:
        like = ", ".join(["1"] * (len(labels) - 1) + ["9"])
        labeled = f"each of {', '.join(labels)}" if len(labels) <= FEW_WEIGHTS else f"each of the {len(labels)} labels"
        needed = f"name a whole number from 1 to {LARGEST:,} for {labeled}"
        raise Refused("weights", f"weights: {needed}, like weighed({like})")
    return tuple(map(operator.index, weights))
