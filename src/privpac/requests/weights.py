"""Weights of errors: what an error on a record of each label costs.

proof: docs/proofs/weights.md

A record counts as often as its label weighs, up to C times. So weights need no mechanism of their own: a
record is C copies of itself, some of them void, and every promise per copy is one for C of them together.

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

LARGEST = 10_000
READABLE = (1, 2, 3, 5, 7)  # weights are these times 1, 10, 100, …, or 15, 150, …


def example(labels: int) -> Setting:
    """Weights of this many labels, to type.

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
    def of(asked: object, labels: Sequence[Hashable] | None) -> ErrorWeights:
        """The weights in a mapping from labels, or in a sequence in their order; None: all errors cost the same."""
        if asked is None:
            return EVEN
        if labels is None:
            raise Refused("classes", "weights belong to declared labels; name them, ", Setting.to("classes", (0, 1)))
        like, in_order = example(len(labels)), _in_order(asked, list(labels))
        try:
            costs = [as_rational(each, "class_weight") for each in in_order]
        except (ValueError, TypeError):  # not a number
            costs = []
        if min(costs, default=0) <= 0:
            raise Refused("class_weight", "every weight must be a positive number, like ", like)
        scale = lcm(*(each.denominator for each in costs))
        whole = [int(each * scale) for each in costs]
        lowest = tuple(each // gcd(*whole) for each in whole)
        if max(lowest) > LARGEST:
            few = f"weights must be whole numbers up to {LARGEST:,} in lowest terms; round them, like "
            raise Refused("class_weight", few, like)
        return ErrorWeights(lowest)

    @staticmethod
    def balanced(prevalence: Fraction) -> ErrorWeights:
        """Weights that make both constant rules cost about the same, if this share of the records is positive."""
        ratio = (1 - prevalence) / prevalence
        return ErrorWeights((1, _readable(ratio))) if ratio >= 1 else ErrorWeights((_readable(1 / ratio), 1))

    @staticmethod
    def counted(positives: int, size: int, most: int = LARGEST) -> ErrorWeights:
        """Balanced weights, none above ``most``, by a noisy count of positive records among ``size``.

        If noise brings the count below 1 or above ``size`` − 1, these take its place.

        >>> ErrorWeights.counted(0, 1000), ErrorWeights.counted(0, 1000, most=20)
        (ErrorWeights(by_label=(1, 1000)), ErrorWeights(by_label=(1, 20)))
        """
        if size < 2:
            return EVEN
        negative, positive = ErrorWeights.balanced(Fraction(min(max(positives, 1), size - 1), size)).by_label
        return ErrorWeights((min(negative, most), min(positive, most)))

    @staticmethod
    def number(size: int, most: int = LARGEST) -> int:
        """At least as many as the weights that ``counted`` may lead to.

        >>> ErrorWeights.number(1000), ErrorWeights.number(1000, most=20)
        (35, 15)
        """
        found = {min(each, most) for each in _readable_numbers() if each <= _readable(Fraction(max(size - 1, 1)))}
        return 2 * len(found) - 1  # an error on either label may cost more; 1 : 1 is one of them

    def copies(self, sample: Sample) -> Sample:
        """Each record as often as its label weighs. The others of its C copies are void, and count only toward n.

        >>> two = Sample(np.array([3, 5]), np.array([False, True]), None, size=2)
        >>> ErrorWeights((1, 9)).copies(two).counts.tolist(), ErrorWeights((1, 9)).copies(two).size
        ([1, 9], 18)
        """
        each = np.array(self.by_label, dtype=np.int64)[sample.labels.astype(np.intp)]
        counts = each if sample.counts is None else each * sample.counts
        return replace(sample, counts=counts, size=self.most * sample.size)


EVEN = ErrorWeights()
STORED["Weights"] = ErrorWeights


class Copies(NamedTuple):
    """Records as an algorithm counts them: C copies of each.

    ``ask_once`` asks about the records themselves. What is asked about copies is charged for C of them.
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
    """The records themselves and how to ask about them: for questions where neither labels nor weights matter."""
    return (records.records, records.ask_once) if isinstance(records, Copies) else (records, ask)


def declared_weights(
    asked: object, prevalence: Number | None, classes: Sequence[Hashable] | Against | None
) -> ErrorWeights:
    """The weights that a caller declares; even ones if a noisy count will balance them."""
    balanced = isinstance(asked, str) and asked == BALANCED
    if prevalence is not None and not balanced:
        raise Refused("prevalence", Setting("prevalence"), " goes with ", Setting.to("class_weight", BALANCED))
    if isinstance(classes, Against):
        if asked is None:
            return EVEN
        raise Refused("class_weight", "one rule for each label takes no weights; learn one tree for all labels instead")
    if not balanced:
        return ErrorWeights.of(asked, classes)
    if classes is not None and declared_number(classes) > 2:
        two = "balanced weights are for two labels; name a weight for each label instead, like "
        raise Refused("class_weight", two, example(declared_number(classes)))
    return EVEN if prevalence is None else ErrorWeights.balanced(as_prevalence(prevalence))


def as_prevalence(value: Number) -> Fraction:
    """A declared share of positive records."""
    share = as_rational(value, "prevalence")
    if not Fraction(1, LARGEST + 1) <= share <= 1 - Fraction(1, LARGEST + 1):
        rare = f"be the share of positive records, between 1/{LARGEST + 1:,} and 1 − 1/{LARGEST + 1:,}, like 0.08"
        raise Refused.must("prevalence", rare)
    return share


def _in_order(asked: object, labels: list[Hashable]) -> list[Any]:
    """The weights in the order of the labels."""
    if isinstance(asked, Mapping):
        missing = [label for label in labels if label not in asked]
        if missing or len(asked) != len(labels):
            raise Refused("class_weight", Setting("class_weight"), INCOMPLETE, example(len(labels)))
        return [asked[label] for label in labels]
    if isinstance(asked, str | Set) or not isinstance(asked, Iterable):  # a set has no order
        must = f" must be {BALANCED!r}, or name a weight for each label, like "
        raise Refused("class_weight", Setting("class_weight"), must, example(len(labels)))
    listed = list(asked)
    if len(listed) != len(labels):
        weights = f"{len(listed)} weight{'s' * (len(listed) != 1)}"
        few = f"there are {len(labels)} labels and {weights}; name one for each, like "
        raise Refused("class_weight", few, example(len(labels)))
    return listed


def _readable(ratio: Fraction) -> int:
    """The readable number that is nearest to a ratio of 1 or more.

    >>> [_readable(Fraction(each)) for each in (1, 6, 11, 13, 400)]
    [1, 7, 10, 15, 500]
    """
    return min(_readable_numbers(), key=lambda each: max(ratio / each, each / ratio))


def _readable_numbers() -> list[int]:
    tens = [10**power * each for power in range(4) for each in (*READABLE, *([1.5] if power else []))]
    return sorted({int(each) for each in tens} | {LARGEST})
