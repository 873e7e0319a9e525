"""How many records have each value, or each combination of values of several columns: histograms and crosstabs.

proof: docs/proofs/stability.md, Theorem 3, and docs/proofs/holding_out.md, Theorem 2

Throughout this file
    key    the values of a record in all columns, as a tuple: ("EV",) or ("clerk", "f")
    m      the largest noise of a count, where keys are not declared: keys of at most m records may stay hidden
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import And, OnColumn
from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.boolean_functions import name_of
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.points import Categories, OneOf, Points, SparseSets
from privpac.data.counting.keys import KeysOfEngine, ManyKeys
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.ledger import Records
from privpac.release.charts import Chart, crosstab, key_bars
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import RECORDS, Answers, Bounds, Frame, Sanitizer, headings, unanswered

Key = tuple[Hashable, ...]
MOST_CELLS = 10**6  # declared keys; each gets a noisy count


@dataclass(frozen=True)
class KeyCounts(Answers):
    """Keys with their counts, largest first. Other keys count 0.

    >>> from privpac.data.domains.anything import Anything
    >>> shown = KeyCounts(1000, Anything(), (("EV",), ("UA",)), (300, 200), most=27)
    >>> shown.count(OneOf(frozenset(["EV"]))), shown.bound(OneOf(frozenset(["B6"])))
    (300, 54)
    """

    n: int
    domain: Domain
    keys: tuple[Key, ...]
    numbers: tuple[int, ...]
    most: int | None = None  # m; None if all keys are declared
    values: int = 1  # the most keys that a query is about

    def __post_init__(self) -> None:
        if len(self.keys) != len(self.numbers) or len(set(self.keys)) < len(self.keys):
            raise ValueError("give every key once, with its count")
        width = len(self.columns) or 1
        if not set(map(type, self.keys)) <= {tuple} or not set(map(len, self.keys)) <= {width}:
            raise ValueError("give every key as a tuple with one value for each column")
        if self.values < 1 or min(self.most or 0, min(self.numbers, default=0)) < 0:
            raise ValueError("counts and bounds must not be negative")
        if max(self.numbers, default=0) > self.n + (self.most or 0):
            raise ValueError("no count may exceed n by more than noise does")

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The names of the columns; () if X is the column itself."""
        return self.domain.column_names

    @cached_property
    def _count_of(self) -> dict[Key, int]:
        return dict(zip(self.keys, self.numbers, strict=True))

    def count(self, query: Hypothesis) -> int:
        return sum(self._count_of.get(key, 0) for key in self._keys(query))

    @property
    def certain(self) -> Bounds | None:
        return None if self.most is None else Bounds(self.most, 2 * self.most)

    def bound(self, query: Hypothesis) -> int | None:
        keys = self._keys(query)
        if self.most is None:
            return None
        return sum(self.most if key in self._count_of else 2 * self.most for key in keys)

    @property
    def fitting(self) -> tuple[int, int] | None:
        return None if self.most is not None else (sum(self.numbers), len(self.keys))

    def gap(self, sample: Sample) -> int:
        """The largest error of a query: the errors of its keys add up, at worst the largest ones of one sign."""
        true = key_counts(sample, self.domain)
        errors = [self._count_of.get(key, 0) - true.get(key, 0) for key in {**self._count_of, **true}]
        return max(sum(nlargest(self.values, (sign * e for e in errors if sign * e > 0))) for sign in (1, -1))

    def counts(self) -> Frame:
        names = headings(self.columns or ["value"], RECORDS)
        keys = {name: [key[i] for key in self.keys] for i, name in enumerate(names)}
        return keys | {RECORDS: list(self.numbers)}

    @property
    def subject(self) -> str:
        columns = " and ".join(map(str, self.columns)) or "value"
        return f"How many records have each {'combination of ' * (len(self.columns) > 1)}{columns}"

    def drawing(self) -> tuple[Chart, ...]:
        names, unlisted = tuple(map(str, self.columns)), self.most is not None
        pairs = crosstab(names, self._count_of, unlisted=unlisted) if len(names) == 2 else None
        return (pairs or key_bars(" · ".join(names), self.keys, self.numbers, unlisted=unlisted),)

    def rows(self, size: int, coins: Entropy) -> Frame:
        chosen = [self.keys[i] for i in spread(self.numbers, size, coins).tolist()]
        names = headings(self.columns or ["value"])
        return {name: [key[i] for key in chosen] for i, name in enumerate(names)}

    def _keys(self, query: Hypothesis) -> tuple[Key, ...]:
        """The keys that a query is about; Refused if it is not a query of the class."""
        keys = _keys_of(query, self.columns)
        if keys is None or len(keys) > self.values:
            columns = " and ".join(map(str, self.columns))
            one = f"one value of {columns}" if self.columns else "one value"
            values = one if self.values == 1 else f"at most {self.values} values"
            raise unanswered(values)
        return keys


def _keys_of(query: Hypothesis, columns: tuple[Hashable, ...]) -> tuple[Key, ...] | None:
    """The keys that a query names; None if it is not about values of these columns."""
    match query:
        case Constant(False):
            return ()
        case OneOf(values) if not columns:
            return tuple((value,) for value in values)
        case ColumnRule(OneOf(values), column) if columns == (column,):
            return tuple((value,) for value in values)
        case Composed(_, table, parts) if name_of(table) == "and":
            values_of: dict[Hashable, frozenset[Hashable]] = {
                part.column: part.part.values
                for part in parts
                if isinstance(part, ColumnRule) and isinstance(part.part, OneOf)
            }
            if len(parts) == len(values_of) and set(values_of) == set(columns):
                return tuple(product(*(values_of[column] for column in columns)))
    return None


def key_counts(sample: Sample, domain: Domain) -> dict[Key, int]:
    """How many records have each key."""
    points, _, counts = sample.tally()
    columns = [_values(*pair) for pair in zip(domain.columns, np.atleast_2d(points.T), strict=True)]
    return dict(zip(zip(*columns, strict=True), counts.tolist(), strict=True))


def _values(domain: Domain, codes: NDArray[Any]) -> list[Hashable]:
    """The values that stand for codes of a column."""
    if not domain.numbered:
        return list(codes.tolist())
    values = domain.listed()
    return [values[code] for code in codes.tolist()]


def parts_of_keys(concept_class: ConceptClass) -> tuple[ConceptClass, ...]:
    """The class on each column; () if some rules of the class are not about values of columns."""
    parts = concept_class.parts if isinstance(concept_class, And) else (concept_class,)
    inner = tuple(part.concept_class if isinstance(part, OnColumn) else part for part in parts)
    columns = [part.column for part in parts if isinstance(part, OnColumn)]
    if len(parts) > 1 and len(set(columns)) < len(parts):
        return ()
    allowed = Points | Categories if len(parts) > 1 else Points | Categories | SparseSets
    return inner if all(isinstance(part, allowed) for part in inner) else ()


@dataclass(frozen=True)
class PointSanitizer(Sanitizer):
    """Counts of values that nobody declared, of one column or of several together.

    Privacy   (ε, δ) for all inputs: stability, Theorem 3
    Utility   with certainty, a count that is shown is off by at most m, and one that is not shown is at most 2m
    Time      O(n); memory O(distinct keys)

    >>> from privpac.release.private_release import PrivateRelease
    >>> release = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(["EV"] * 300 + ["UA"] * 700 + ["B6"] * 3)
    >>> list(release.counts()["value"]), release.guarantee_.certain
    (['UA', 'EV'], Bounds(shown=27, unseen=54))
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Points, SparseSets, OnColumn, And)
    title: ClassVar[str] = "truncated histogram of the values seen"
    theorem: ClassVar[str] = "stability, Theorem 3"
    certain: ClassVar[bool] = True

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return bool(parts_of_keys(concept_class))

    def run(self, records: Records, ask: Ask) -> KeyCounts:
        histogram = TruncatedHistogram(self.cost)
        shown = dict(ask(histogram, records.see(self._counted)))
        return KeyCounts(
            records.size, self.domain, tuple(shown), tuple(shown.values()), histogram.most, self._keys_per_query
        )

    @property
    def records_in_engine(self) -> type[KeysOfEngine]:
        return KeysOfEngine

    def _counted(self, sample: Sample | KeysOfEngine) -> dict[Key, int] | ManyKeys:
        return sample.keys if isinstance(sample, KeysOfEngine) else key_counts(sample, self.domain)

    @property
    def _keys_per_query(self) -> int:
        """The most keys that a query is about."""
        return int(getattr(parts_of_keys(self.concept_class)[0], "k", 1))

    def known_gap(self, n: int) -> int:
        """2m for each key of a query, with certainty."""
        return min(n, 2 * TruncatedHistogram(self.cost).most * self._keys_per_query)


@dataclass(frozen=True)
class CategorySanitizer(Sanitizer):
    """Counts of declared values, of one column or of several together; every combination gets a count.

    Privacy   ε, for all inputs: holding out, Theorem 2
    Time      O(n + combinations)

    >>> from privpac.release.private_release import PrivateRelease
    >>> jobs = Points().on("job", values=("clerk", "nurse"))
    >>> release = PrivateRelease(jobs, epsilon=1).fit({"job": ["clerk"] * 300 + ["nurse"] * 700})
    >>> abs(release.answer(jobs.hypothesis("nurse")) - 0.7) < 0.1
    True
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Categories, OnColumn, And)
    title: ClassVar[str] = "noisy counts of all declared values"
    theorem: ClassVar[str] = "holding out, Theorem 2"
    pure: ClassVar[bool] = True

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        parts = parts_of_keys(concept_class)
        return all(isinstance(part, Categories) for part in parts) and 0 < _combinations(parts) <= MOST_CELLS

    def run(self, records: Records, ask: Ask) -> KeyCounts:
        keys = list(product(*(part.all_points for part in parts_of_keys(self.concept_class))))  # type: ignore[attr-defined]

        def counts(sample: Sample) -> list[int]:
            true = key_counts(sample, self.domain)
            return [true.get(key, 0) for key in keys]

        noisy = ask(DisjointCounts(self.cost, records.size), records.see(counts))
        numbers = tuple(min(max(count, 0), records.size) for count in noisy)
        return KeyCounts(records.size, self.domain, tuple(keys), numbers)

    def known_gap(self, n: int) -> int:
        """The largest of the noises of all cells: measured certificate, Theorem 2."""
        cells = _combinations(parts_of_keys(self.concept_class))
        return min(n, DisjointCounts(self.cost, n).largest_noise(int(cells), self.terms.beta))


def _combinations(parts: tuple[ConceptClass, ...]) -> int | float:
    """How many combinations of declared values there are; 0 without columns."""
    return prod(part.size for part in parts) if parts else 0
