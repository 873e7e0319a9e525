"""The error of a rule with more than two labels on new records, measured on records that learning did not see.

proof: docs/proofs/holding_out.md

Given the rule, each held-out record has one of K declared labels, and gets one of them: K × K disjoint kinds, which are
counted with noise at one price. If that is too many for the number of records, 2·K kinds are counted: records of each
label that are labeled rightly, or wrongly. If records may be void, there are K + 1 kinds more: those of each label that
do not fit, which get the first label, as in predictions, and those without a declared label.

Throughout this file
    K      the number of labels                m      the number of held-out records
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.data.samples.sample import Sample
from privpac.learners.errors.error_estimate import MeasuredShare
from privpac.learners.errors.error_intervals import (
    Floats,
    NoiseSum,
    clearly_more,
    declared_interval,
    error_interval,
    nearest_counts,
)
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Records
from privpac.privacy.printed_bounds import certainty, no_less, no_more
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import in_python
from privpac.requests.json_values import STORED

ENOUGH = 50  # ε·m/K from which on all K × K kinds are counted
FEW = 8  # labels whose rates are all told


@dataclass(frozen=True)
class LabelErrors:
    """How often a rule with several labels errs on new records, and how it treats the records of each label.

    ``low`` to ``high`` covers the error on new records with probability at least ``confidence``. For each label,
    ``shares`` has the share of all records that have it, ``right`` the share of these that the rule labels rightly, and
    ``seen`` whether there clearly are such records; if not, that share is unknown. ``confusions`` has a row for each
    label: the share of all records that have it and get each label; it is empty if these were too many counts.
    ``constant`` is the error of the best constant, and ``better`` says whether the rule is clearly better than all
    constants.

    If records may be void, all of this is about records with a declared label; those that do not fit get the first
    label. ``unfit`` and ``undeclared`` are shares of all records.

    >>> found = LabelErrors(0.06, 0.03, 0.11, Fraction(19, 20), (0.3, 0.3, 0.4), (1.0, 0.9, 0.93), (True,) * 3, (), 0.6,
    ...     better=True, held=200)
    >>> print(found.named("red", "green", "blue"))
    errs on about 6.0 % of new records (between 3.0 % and 11.0 % with 95 % confidence if records are independent); \
always answering blue would err on about 60.0 %
    >>> print(found.named("red", "green", "blue").rates)
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
    weights: tuple[int, ...] = ()  # what errors cost, by which the rule was chosen, if not the same; not measured
    per_unit: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        K, every = len(self.shares), (*self.shares, *self.right, self.constant, *_flat(self.confusions))
        if not (0 <= self.low <= self.error <= self.high <= 1 and all(0 <= share <= 1 for share in every)):
            raise ValueError("error must lie within its interval, and all shares between 0 and 1")
        if not len(self.right) == len(self.seen) == K or any(len(row) != K for row in self.confusions):
            raise ValueError("there must be a share, a rate, and a row for each label")
        if self.weights and (len(self.weights) != K or min(self.weights) < 1):
            raise ValueError("weights are positive integers, one for each label")
        if self.held < 0 or (self.better and self.worse) or (self.unfit is None) != (self.undeclared is None):
            raise ValueError("the measured error contradicts itself")

    def named(self, *labels: str) -> Self:
        """The same estimate, which knows the labels when it is printed."""
        other = copy(self)
        object.__setattr__(other, "_labels", labels)
        return other

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, by their numbers if nobody named them."""
        found: tuple[str, ...] = getattr(self, "_labels", ())
        return found if len(found) == len(self.shares) else tuple(f"label {i}" for i in range(len(self.shares)))

    def certified(self, utility: Utility | None) -> Utility | None:
        """What a certificate of the drawn rule says of this one: the same, since nothing was pruned."""
        return utility

    def probabilities(self, answers: NDArray[Any], labels: Sequence[Any]) -> Floats:
        """For each record, by the label that the rule answers, the probability of each label; never 0 or 1.

        To the counts of held-out records with this answer, one record is added that has each label with equal chances.

        >>> errors = (0.3, 0.0, 0.0), (0.0, 0.3, 0.1), (0.0, 0.0, 0.3)
        >>> found = LabelErrors(0.1, 0.05, 0.2, Fraction(19, 20), (0.3, 0.4, 0.3), (1.0, 0.75, 1.0), (True,) * 3,
        ...     errors, 0.6, better=True, held=100)
        >>> found.probabilities(np.array(["b", "c"]), ("a", "b", "c")).round(2).tolist()
        [[0.01, 0.98, 0.01], [0.01, 0.25, 0.74]]
        """
        if not self.confusions:
            few = (
                "too few records were held out to count which labels are taken for which; use predict, or more records"
            )
            raise Refused("report_error", few)
        counts = self.held * np.array(self.confusions).T + 1 / len(self.shares)
        chances = counts / counts.sum(axis=1, keepdims=True)
        number = np.zeros(len(answers), dtype=np.intp)
        for k, label in enumerate(labels):
            number[answers == label] = k
        return np.asarray(chances[number])

    @property
    def headline(self) -> str | None:
        """What stands in the rule's place if clearly more than half of the records do not fit; None otherwise."""
        if self.unfit is None or self.undeclared is None or self.unfit.low <= 1 / 2:
            return None
        labels = f"; about {self.undeclared} have no declared label" if self.undeclared.seen else ""
        return f"About {self.unfit} of the records{self._one_of_each} do not fit what you declared{labels}"

    @property
    def in_words(self) -> str:
        """The error with its interval."""
        many = "units" if self.per_unit else "records"
        if not self.held:
            return f"errs on an unknown share of new records, because there were too few {many} to hold any out"
        if self.unfit is not None and self.high - self.low == 1:
            return f"errs on an unknown share of {self._counted}, because the held-out records tell nothing about it"
        sure = f"{self._between(self)} if {many} are independent"
        return f"errs on about {_percent(self.error)} of {self._counted} ({sure})"

    def sentence(self, spelled: Callable[..., str] = in_python) -> str:
        """What people should know first; ``spelled`` writes a parameter and its value as the caller does."""
        if self.headline is not None:
            learned = "The rule was learned from the others" if self.better else "Nothing useful was learned"
            return f"{self.headline}. {learned}."
        always = f"always answering {self.labels[self.shares.index(max(self.shares))]}"
        costs = "; this counts each error once, although the rule was chosen by their costs" * bool(self.weights)
        if self.better:
            return f"{self.in_words}; {always} would err on about {_percent(self.constant)}{costs}"
        told = f"This rule is {'clearly worse' if self.worse else 'not clearly better'} than {always}"
        if self.weights:  # it may cost less even so
            told = f"This rule {'clearly errs more' if self.worse else 'does not clearly err less'} often than {always}"
        if self.held:
            told += f", which would err on about {_percent(self.constant)} of {self._counted}"
        more = f" {spelled(*self.wider)} allows more rules." if self.wider else ""
        return f"{told}. It {self.in_words}{costs}.{more}"

    @property
    def rates(self) -> str:
        """How the rule treats the records of each label; of many labels, the best and the worst."""
        known = zip(self.labels, self.right, self.seen, strict=True)
        told = [f"{f'about {_percent(rate)}' if seen else 'an unknown share'} of {name}" for name, rate, seen in known]
        if len(told) > FEW:
            order = sorted((i for i, seen in enumerate(self.seen) if seen), key=lambda i: self.right[i])
            told = [*(told[i] for i in order[:3]), "…", told[order[-1]]] if len(order) > 3 else [told[i] for i in order]
        return f"labels correctly {', '.join(told) or 'an unknown share of each label'}"

    def misfits(self) -> str:
        """How many records do not fit, and what the rule answers for them; nothing if that was not measured."""
        if self.unfit is None or self.undeclared is None or not self.held:
            return ""
        share, without = self.unfit, self.undeclared
        some = f"About {share}" if share.seen else f"At most {_percent(no_more(share.high, 3))}"
        between = f" ({self._between(share)})" if share.seen else ""
        told = f"{some} of the records{self._one_of_each} do not fit what you declared{between}"
        if without.seen:
            told += f"; about {without} have no declared label, and the error leaves them out"
        return f"{told}; where values are missing or do not fit, the rule answers {self.labels[0]}"

    @property
    def _counted(self) -> str:
        new = "new records" if self.unfit is None else "new records that have a declared label"
        return f"{new}{self._one_of_each.rstrip(',')}"

    @property
    def _one_of_each(self) -> str:
        return ", one of each unit," if self.per_unit else ""

    def _between(self, found: LabelErrors | MeasuredShare) -> str:
        low, high = _percent(no_less(found.low, 3)), _percent(no_more(found.high, 3))
        return f"between {low} and {high} with {certainty(1 - self.confidence, percent=True)} confidence"

    def __str__(self) -> str:
        more = "" if self.headline else self.misfits()
        return f"{self.sentence().removesuffix('.')}. {more}." if more else self.sentence()


STORED |= {"LabelErrors": LabelErrors}


class Kinds(NamedTuple):
    """The kinds of records that are counted: each has a label, and is labeled rightly or wrongly.

    >>> Kinds.of(3, folded=True, void=False).right
    (0, 2, 4)
    """

    K: int
    labels: tuple[int, ...]  # of each kind; K: none
    right: tuple[int, ...]  # the kinds that are labeled rightly
    unfit: tuple[int, ...]  # the kinds that do not fit, the last of which has no declared label
    folded: bool

    @staticmethod
    def of(K: int, *, folded: bool, void: bool) -> Kinds:
        """2·K kinds if they are ``folded``, otherwise K × K; if records may be void, K + 1 more."""
        each = 2 if folded else K
        fitting = K * each
        right = tuple(k * each if folded else k * each + k for k in range(K))
        labels = tuple(kind // each for kind in range(fitting))
        if not void:
            return Kinds(K, labels, right, (), folded)
        unfit = tuple(range(fitting, fitting + K + 1))
        return Kinds(K, (*labels, *range(K + 1)), (*right, fitting), unfit, folded)

    def counts(self, confusions: Sequence[int]) -> tuple[int, ...]:
        """The number of records of each kind, from the table of K × K with void records after it."""
        K, rows = self.K, [confusions[i * self.K : (i + 1) * self.K] for i in range(self.K)]
        if self.folded:
            rows = [[row[k], sum(row) - row[k]] for k, row in enumerate(rows)]
        return *_flat(rows), *(confusions[K * K :] if self.unfit else ())

    @property
    def wrong(self) -> tuple[int, ...]:
        """The kinds that have a declared label and get another one."""
        return tuple(kind for kind, label in enumerate(self.labels) if label < self.K and kind not in self.right)

    def of_label(self, k: int) -> tuple[int, ...]:
        """The kinds with label k."""
        return tuple(kind for kind, label in enumerate(self.labels) if label == k)

    def than_constant(self, k: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The kinds where the rule is right and the constant k is not, and those where it is the other way round."""
        own = self.of_label(k)
        return tuple(kind for kind in self.right if kind not in own), tuple(kind for kind in own if kind in self.wrong)


def label_errors(  # noqa: PLR0917  (the same as error_estimate, and the number of labels)
    rule: Hypothesis,
    K: int,
    cost: Budget,
    beta: Fraction,
    held: Records,
    ask: Ask,
    *,
    void: bool,
    wider: tuple[str, ...],
) -> LabelErrors:
    """The estimate, with confidence 1 − β; the counts are released at this cost. ``rule`` answers numbers of labels."""
    m, mechanism = held.size, DisjointCounts(cost, held.size)
    kinds = Kinds.of(K, folded=cost.epsilon * m < ENOUGH * K, void=void)

    def seen(sample: Sample) -> tuple[int, ...]:
        return kinds.counts(sample.confusions(rule))

    noisy = ask(mechanism, held.see(seen)) if m else (0,) * len(kinds.labels)
    return read_label_counts(kinds, noisy, m, mechanism.rate, beta, wider)


@lru_cache(maxsize=256)  # audits read the same counts over and over
def read_label_counts(  # noqa: PLR0917
    kinds: Kinds, noisy: tuple[int, ...], m: int, rate: Fraction, beta: Fraction, wider: tuple[str, ...] = ()
) -> LabelErrors:
    """The estimate from noisy counts that add up to about m."""
    K, counts, noise = kinds.K, nearest_counts(noisy, m), NoiseSum(rate, len(noisy))

    def about(some: Iterable[int]) -> float:
        return float(sum(counts[kind] for kind in some))

    def twice(some: Iterable[int]) -> int:
        """Twice the number of records of these kinds, as all counts tell it."""
        return 2 * sum(noisy[kind] for kind in some) + m - sum(noisy)

    def measured(some: tuple[int, ...]) -> MeasuredShare:
        low, high = error_interval(twice(some), m, noise, beta)
        return MeasuredShare(min(max(twice(some) / (2 * max(m, 1)), low), high), low, high)

    def clearly(first: tuple[int, ...], second: tuple[int, ...], β: Fraction = beta) -> bool:
        return clearly_more(noisy, (first, second), m, rate, β)

    own = [kinds.of_label(k) for k in range(K)]
    declared = about(kind for some in own for kind in some)
    shares = tuple(_share(about(some), declared) for some in own)
    y = twice(kinds.wrong)
    if kinds.unfit:
        low, high = declared_interval(y, m, noisy[-1], noise, beta)
    else:
        low, high = error_interval(y, m, noise, beta)
    unfit, undeclared = (measured(kinds.unfit), measured(kinds.unfit[-1:])) if kinds.unfit else (None, None)
    if unfit and undeclared and unfit.value < undeclared.value:  # the latter are some of the former
        unfit = MeasuredShare(undeclared.value, unfit.low, max(unfit.high, undeclared.value))
    right, wrong = kinds.than_constant(shares.index(max(shares)))
    rows = [] if kinds.folded else [counts[K * k : K * (k + 1)] for k in range(K)]
    return LabelErrors(
        error=min(max(_share(about(kinds.wrong), declared), low), high),
        low=low,
        high=high,
        confidence=1 - beta,
        shares=shares,
        right=tuple(_share(about(set(some) & set(kinds.right)), about(some)) for some in own),
        seen=tuple(bool(noise.tail(twice(some)) <= float(beta) / 2) for some in own),
        confusions=tuple(tuple(_share(each, declared) for each in row) for row in rows),
        constant=1 - max(shares),
        better=all(clearly(*kinds.than_constant(k)) for k in range(K)),
        held=m,
        worse=clearly(wrong, right, beta / K),  # which of the K constants is the best one is read from the counts
        unfit=unfit,
        undeclared=undeclared,
        wider=wider,
    )


def _share(part: float, whole: float) -> float:
    """A share; 1/2 if nothing is known about it."""
    return min(float(part) / whole, 1.0) if whole > 0 else 0.5


def _flat(rows: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(each for row in rows for each in row)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
