"""Conjunctions of equalities over columns of any values: "carrier = EV and origin = JFK".

proof: docs/proofs/equality_learner.md

Throughout this file
    r       e^(ε/2)
    level   a choice of columns; a record satisfies one conjunction on each level
    κ       the number of levels: choices of 1 to j of the columns
    never   the rule that answers 0 everywhere; always answers 1
    a, T    δ/((1 − δ)·κ), and 1 + ln(1/a)/ln r: a conjunction weighs as much as never if it makes T errors fewer
    code    a number for a value of a column, or for a combination of values; its size means nothing
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.equalities import Equalities
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.values.points import missed_point
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import log_at_least
from privpac.mechanisms.selection.public_stable import DiscountedExponential, Stable
from privpac.privacy.ledger import Records

NEVER, ALWAYS = Constant(False), Constant(True)
Codes = NDArray[np.intp]
Equality = tuple[Hashable, Any]  # a column and a value
PAIRS = Equalities(0, 1, at_most=2)
ROWS = (("a", "b"), (1, "c"), (True, "d"))  # the last two share a value, since 1 == True
MOSTLY_ZERO = Trial(1, 1e-6, 1, 30), Trial(0.2, 0.3, 2, 70), Trial(6, 0.3, 2, 3)


@dataclass(frozen=True)
class ConjunctionExponential(DiscountedExponential):
    """The selection among never, always, and the conjunctions of positive records."""

    theorem: ClassVar[str] = "equality learner, Theorem 1"


class EqualityLearner(Learner):
    """Learn which values, in at most j of the columns, make a record positive; the values need not be declared.

    *Never* stands for all conjunctions that no positive record satisfies, so the learner is not proper.

    Privacy   (ε, δ) for all inputs: equality learner, Theorem 1
    Utility   noisy labels or not: equality learner, Theorem 2
    Time      κ sorts of the records, whatever the values

    >>> from privpac import PrivateClassifier
    >>> flights = {"carrier": ["EV", "UA", "B6"] * 400, "origin": ["JFK", "LGA"] * 600, "day": list(range(1200))}
    >>> late = [carrier == "EV" and origin == "JFK" for carrier, origin in zip(flights["carrier"], flights["origin"])]
    >>> rules = Equalities("carrier", "origin", "day", at_most=2)
    >>> print(PrivateClassifier(rules, epsilon=1, delta=1e-6).fit(flights, late).hypothesis_)
    carrier = EV and origin = JFK
    """

    concept_class: Equalities
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Equalities,)
    title: ClassVar[str] = "discounted exponential mechanism over the conjunctions seen"
    theorem: ClassVar[str] = "equality learner, Theorem 2"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        # Among negative records, always hardly competes, and one positive record brings κ conjunctions.
        Universe(PAIRS, "2 columns, mostly 0", ROWS, MOSTLY_ZERO, crowd_label=0),
        Universe(PAIRS, "2 columns", ROWS, (Trial(1, 1e-6, 1, 14), Trial(6, 0.3, 3, 0))),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class

        def candidates(sample: Sample) -> Any:
            return constants_and_seen(SeenConjunctions.of(sample, H.columns, H.at_most))

        chosen = ask(ConjunctionExponential(self.cost, levels=H.levels), records.see(candidates))
        return chosen if isinstance(chosen, Constant) else H.hypothesis(dict(chosen))

    def failure(self, n: int, alpha: float) -> float:
        κ, δ = self.concept_class.levels, self.cost.delta
        T = 1 + log_at_least(κ * (1 - δ) / δ) / self.log_r
        realizable = self.terms.regime == "realizable"
        seen = self.chance(log(κ * max(n, 1)), n, alpha, max(0.0, -T), determined_by=1)
        if realizable:  # if both constants are bad, one of them errs on half of the records or more
            constants = sum(missed_point(n, error, max(0.0, T), self.log_r) for error in (alpha, max(alpha, 0.5)))
        else:
            constants = self.chance(log(2), n, alpha, max(0.0, T))
        return min(1.0, seen + constants)


class LevelCounts(NamedTuple):
    """The conjunctions of a level that some positive record satisfies; ``columns`` are the level."""

    columns: tuple[int, ...]
    entries: Codes  # for each conjunction, an entry of the sample that satisfies it
    zeros: Ints  # how many records with label 0 satisfy it
    ones: Ints


@dataclass(frozen=True, eq=False)
class SeenConjunctions:
    """The conjunctions of at most ``at_most`` equalities that at least one positive record satisfies, level by level.

    >>> rows = np.array([["EV", "JFK"], ["EV", "LGA"], ["UA", "JFK"]], dtype=object)
    >>> seen = SeenConjunctions.of(Sample(rows, np.array([True, False, False]), None, 3), ("carrier", "origin"), 2)
    >>> [(seen.named(level, 0), int(level.zeros[0])) for level in seen]
    [((('carrier', 'EV'),), 1), ((('carrier', 'EV'), ('origin', 'JFK')), 0), ((('origin', 'JFK'),), 1)]
    """

    names: tuple[Hashable, ...]
    at_most: int
    codes: tuple[Codes, ...]  # the codes of each column
    values: tuple[list[Any], ...]  # the values of each column, by their codes
    sample: Sample

    @staticmethod
    def of(sample: Sample, names: tuple[Hashable, ...], at_most: int) -> SeenConjunctions:
        """The values of each column, numbered; Python decides which of them are equal."""
        columns = [sample.points[:, i].tolist() for i in range(len(names))]
        numbers = [{value: i for i, value in enumerate(dict.fromkeys(column))} for column in columns]
        codes = [
            np.fromiter(map(number.__getitem__, column), dtype=np.intp, count=len(column))
            for number, column in zip(numbers, columns, strict=True)
        ]
        return SeenConjunctions(names, at_most, tuple(codes), tuple(map(list, numbers)), sample)

    def __iter__(self) -> Iterator[LevelCounts]:
        entries = np.arange(len(self.sample.labels))
        return self._extended((), np.zeros(len(entries), dtype=np.intp), entries)

    def _extended(self, columns: tuple[int, ...], code: Codes, entries: Codes) -> Iterator[LevelCounts]:
        """The levels that begin with ``columns`` and have more of them.

        ``entries`` share their values in ``columns`` with some positive record; ``code`` numbers these values.
        """
        for column in range(columns[-1] + 1 if columns else 0, len(self.codes)):
            # both numbers are below the number of entries, so the product is exact
            pairs = code * len(self.values[column]) + self.codes[column][entries]
            _, first, combination = np.unique(pairs, return_index=True, return_inverse=True)
            zeros, ones = (self._totals(entries, combination, len(first), label) for label in (False, True))
            positive = ones > 0
            level = (*columns, column)
            yield LevelCounts(level, entries[first[positive]], zeros[positive], ones[positive])
            if len(level) < self.at_most:
                with_positive = positive[combination]
                yield from self._extended(level, combination[with_positive], entries[with_positive])

    def _totals(self, entries: Codes, combination: Codes, size: int, label: bool) -> Ints:
        """How many records with this label each combination of values has."""
        chosen = self.sample.labels[entries] == label
        counts = self.sample.counts
        if counts is None:
            return np.bincount(combination[chosen], minlength=size)
        totals = np.zeros(size, dtype=np.int64)
        np.add.at(totals, combination[chosen], counts[entries[chosen]])
        return totals

    def errors(self, level: LevelCounts) -> Ints:
        """The errors of each conjunction: positives that it misses, and negatives that satisfy it."""
        return self.sample.positives - level.ones + level.zeros

    def named(self, level: LevelCounts, place: int) -> tuple[Equality, ...]:
        """A conjunction as its columns and values."""
        entry = level.entries[place]
        return tuple((self.names[i], self.values[i][self.codes[i][entry]]) for i in level.columns)


@dataclass(frozen=True, eq=False)
class WithErrors(Sequence[tuple[Equality, ...]]):
    """The conjunctions with this number of errors. They are counted anew whenever one of them is looked up."""

    seen: SeenConjunctions
    errors: int
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, member: Any) -> Any:
        for level in self.seen:
            places = np.flatnonzero(self.seen.errors(level) == self.errors)
            if member < len(places):
                return self.seen.named(level, int(places[member]))
            member -= len(places)
        raise IndexError(member)


def constants_and_seen(seen: SeenConjunctions) -> tuple[dict[Hypothesis, int], Stable]:
    """Never and always with their errors, and the conjunctions seen, an entry for each number of errors.

    A conjunction that errs on g records fewer than never has a support of at least g. That bound replaces the support.
    """
    P, N = seen.sample.positives, seen.sample.negatives
    grouped = [np.unique(seen.errors(level), return_counts=True) for level in seen]
    errors, where = np.unique(np.concatenate([errors for errors, _ in grouped]), return_inverse=True)
    counts = np.zeros(len(errors), dtype=np.int64)
    np.add.at(counts, where, np.concatenate([conjunctions for _, conjunctions in grouped]))
    names = [WithErrors(seen, e, size) for e, size in zip(errors.tolist(), counts.tolist(), strict=True)]
    return {NEVER: P, ALWAYS: N}, Stable(names, errors * 0, np.maximum(P - errors, 1), errors, counts)
