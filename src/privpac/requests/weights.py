"""Weights of errors: what an error on a record of each label costs.

proof: docs/proofs/weights.md

Each record is replaced by C copies of itself; as many of them count as its label weighs, and the others are void. So
weights need no mechanism of their own: a promise per copy, C times, is a promise per record.

Throughout this file
    C      the largest weight; weights are whole numbers in lowest terms
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

import numpy as np

from privpac.data.samples.sample import Sample
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.budget import Number, as_rational
from privpac.privacy.ledger import Data, Records, View
from privpac.refusals.refusal import Refused, Setting
from privpac.requests.json_values import STORED
from privpac.requests.labels import Against, declared_number

LARGEST = 10_000  # the largest weight that may be declared
READABLE = (1, 2, 3, 5, 7)  # balanced weights are these times 1, 10, 100, …, or 15, 150, …


def example(labels: int) -> Setting:
    """An example of weights for this many labels, for advice.

    >>> print(example(3))
    class_weight=(1, 1, 9)
    """
    return Setting.to("class_weight", (*(1,) * (labels - 1), 9))


EXAMPLE = example(2)
INCOMPLETE = " needs a weight for each of the declared labels, like "
BALANCED = "balanced"


@dataclass(frozen=True)
class ErrorWeights:
    """What an error costs, for each declared label in turn.

    >>> ErrorWeights.of({"no": 1, "yes": 4.5}, ("no", "yes")), ErrorWeights.balanced(Fraction(8, 100))
    (ErrorWeights(by_label=(2, 9)), ErrorWeights(by_label=(1, 10)))
    """

    by_label: tuple[int, ...] = (1, 1)

    @property
    def most(self) -> int:
        """C, the largest weight."""
        return max(self.by_label)

    @property
    def even(self) -> bool:
        """Whether all errors cost the same."""
        return self.most == 1

    @staticmethod
    def of(class_weight: object, labels: Sequence[Hashable] | None) -> ErrorWeights:
        """The weights in a mapping from labels, or in a sequence in their order; None: all errors cost the same."""
        if class_weight is None:
            return EVEN
        if labels is None:
            raise Refused("classes", "weights belong to declared labels; name them, ", Setting.to("classes", (0, 1)))
        in_order = _in_order(class_weight, list(labels))
        try:
            costs = [as_rational(cost, "class_weight") for cost in in_order]
        except (ValueError, TypeError):  # not a number
            costs = []
        if min(costs, default=0) <= 0:
            raise Refused("class_weight", "every weight must be a positive number, like ", example(len(labels)))
        scale = lcm(*(cost.denominator for cost in costs))
        whole = [int(cost * scale) for cost in costs]
        lowest = tuple(weight // gcd(*whole) for weight in whole)
        if max(lowest) > LARGEST:
            too_large = f"weights must be whole numbers up to {LARGEST:,} in lowest terms; round them, like "
            raise Refused("class_weight", too_large, example(len(labels)))
        return ErrorWeights(lowest)

    @staticmethod
    def balanced(prevalence: Fraction) -> ErrorWeights:
        """Weights with which both constant rules cost about the same, if this share of the records is positive."""
        ratio = (1 - prevalence) / prevalence
        return ErrorWeights((1, _readable(ratio))) if ratio >= 1 else ErrorWeights((_readable(1 / ratio), 1))

    @staticmethod
    def counted(positives: int, size: int, most: int = LARGEST) -> ErrorWeights:
        """Balanced weights, none above ``most``, from a noisy count of positive records among ``size``.

        A count below 1 is taken as 1, and a count above ``size`` − 1 as ``size`` − 1.

        >>> ErrorWeights.counted(0, 1000), ErrorWeights.counted(0, 1000, most=20)
        (ErrorWeights(by_label=(1, 1000)), ErrorWeights(by_label=(1, 20)))
        """
        if size < 2:
            return EVEN
        negative, positive = ErrorWeights.balanced(Fraction(min(max(positives, 1), size - 1), size)).by_label
        return ErrorWeights((min(negative, most), min(positive, most)))

    @staticmethod
    def number(size: int, most: int = LARGEST) -> int:
        """An upper bound on how many different weights ``counted`` may return.

        >>> ErrorWeights.number(1000), ErrorWeights.number(1000, most=20)
        (35, 15)
        """
        largest = _readable(Fraction(max(size - 1, 1)))
        larger_weights = {min(number, most) for number in _readable_numbers() if number <= largest}
        return 2 * len(larger_weights) - 1  # either label may have the larger weight; 1 : 1 counts once

    def copies(self, sample: Sample) -> Sample:
        """The C copies of each record: as many as its label weighs, and void ones, which count only toward n.

        >>> two = Sample(np.array([3, 5]), np.array([False, True]), None, size=2)
        >>> ErrorWeights((1, 9)).copies(two).counts.tolist(), ErrorWeights((1, 9)).copies(two).size
        ([1, 9], 18)
        """
        weights = np.array(self.by_label, dtype=np.int64)[sample.labels.astype(np.intp)]
        counts = weights if sample.counts is None else weights * sample.counts
        return replace(sample, counts=counts, size=self.most * sample.size)


EVEN = ErrorWeights()
STORED["Weights"] = ErrorWeights


class Copies(NamedTuple):
    """Records as an algorithm counts them: C copies of each.

    A mechanism that is asked about the copies is charged for C copies of a record; ``ask_once`` asks mechanisms about
    the records themselves.
    """

    records: Records
    weights: ErrorWeights
    ask_once: Ask

    @property
    def size(self) -> int:
        """The number of copies, which is public."""
        return self.weights.most * self.records.size

    def see(self, view: View) -> Data:
        """The ``view`` of the copies."""
        return self.records.see(lambda sample: view(self.weights.copies(sample)))


def once(records: Records, ask: Ask) -> tuple[Records, Ask]:
    """The records themselves, and the function that asks about them, for questions in which weights do not matter."""
    return (records.records, records.ask_once) if isinstance(records, Copies) else (records, ask)


def declared_weights(
    class_weight: object, prevalence: Number | None, classes: Sequence[Hashable] | Against | None
) -> ErrorWeights:
    """The weights that a caller declares; even ones if a noisy count will balance them."""
    is_balanced = isinstance(class_weight, str) and class_weight == BALANCED
    if prevalence is not None and not is_balanced:
        raise Refused("prevalence", Setting("prevalence"), " goes with ", Setting.to("class_weight", BALANCED))
    if isinstance(classes, Against):
        if class_weight is None:
            return EVEN
        raise Refused("class_weight", "one rule for each label takes no weights; learn one tree for all labels instead")
    if not is_balanced:
        return ErrorWeights.of(class_weight, classes)
    if classes is not None and declared_number(classes) > 2:
        for_two = "balanced weights are for two labels; name a weight for each label instead, like "
        raise Refused("class_weight", for_two, example(declared_number(classes)))
    return EVEN if prevalence is None else ErrorWeights.balanced(as_prevalence(prevalence))


def as_prevalence(value: Number) -> Fraction:
    """A declared share of positive records."""
    share = as_rational(value, "prevalence")
    if not Fraction(1, LARGEST + 1) <= share <= 1 - Fraction(1, LARGEST + 1):
        bounds = f"be the share of positive records, between 1/{LARGEST + 1:,} and 1 − 1/{LARGEST + 1:,}, like 0.08"
        raise Refused.must("prevalence", bounds)
    return share


def _in_order(class_weight: object, labels: list[Hashable]) -> list[Any]:
    """The weights in the order of the labels."""
    if isinstance(class_weight, Mapping):
        missing = [label for label in labels if label not in class_weight]
        if missing or len(class_weight) != len(labels):
            raise Refused("class_weight", Setting("class_weight"), INCOMPLETE, example(len(labels)))
        return [class_weight[label] for label in labels]
    if isinstance(class_weight, str | Set) or not isinstance(class_weight, Iterable):  # a set has no order
        must = f" must be {BALANCED!r}, or name a weight for each label, like "
        raise Refused("class_weight", Setting("class_weight"), must, example(len(labels)))
    weights = list(class_weight)
    if len(weights) != len(labels):
        number = f"{len(weights)} weight{'s' * (len(weights) != 1)}"
        differ = f"there are {len(labels)} labels and {number}; name one for each, like "
        raise Refused("class_weight", differ, example(len(labels)))
    return weights


def _readable(ratio: Fraction) -> int:
    """The readable number that differs from a ratio of 1 or more by the smallest factor.

    >>> [_readable(Fraction(ratio)) for ratio in (1, 6, 11, 13, 400)]
    [1, 7, 10, 15, 500]
    """
    return min(_readable_numbers(), key=lambda number: max(ratio / number, number / ratio))


def _readable_numbers() -> list[int]:
    """1, 2, 3, 5, 7, 10, 15, 20, …, up to LARGEST."""
    multiples = {10**power * digit for power in range(4) for digit in READABLE}
    return sorted(multiples | {15, 150, 1500, LARGEST})
