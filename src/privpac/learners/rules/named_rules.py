"""Rules on several columns, one of which contains names: "delay ≥ 37 and carrier = EV".

proof: docs/proofs/rule_learner.md

Even if there are a million names, most of them have few records, and many have equally many of each label in the same
cells. Such names are alike: every rule errs as often with one of them as with another, so errors are counted once.

Throughout this file
    h        one of the m rules of the parts that have a public grid
    v        a value of the column of names: a candidate only if some record has it
    G        the boolean function of the composition: (h, v) stands for G(h, x = v), and h alone for G(h, never)
    name     in ``alike_rows`` and ``by_copies``: the number of a value, counted from 0
    entry    a name, a cell in which it has records, and their number: negative minus positive ones
    W        the numbers of all entries by cell, for some names at a time. With P positive records in all, a rule errs
             on P plus the sum of W over the cells that it labels 1 (Lemma 1)
    T        how many errors fewer than h alone make (h, v) as likely as h
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import And, Compose
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import OneOf, Points
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import ALONE, EQUAL, Trial, Universe
from privpac.learners.grids.grids import ColumnPart, GridRules, negative_excess, positive_sums, rules_of
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.blockwise_exponential import VariantExponential
from privpac.privacy.ledger import Records

FEW = 8  # a name with more entries is not compared with others, but treated as unlike all of them
RULES_BESIDE_NAMES = 4096  # the most rules h; the grid is as fine as this permits
ERRORS_AT_ONCE = 10**6  # errors in a block


class NamedRuleLearner(Learner):
    """Learn a composition (And, Or, any boolean function) in which one part is a single value of a column of names.

    The learner is not proper: it may release a rule without a name, which is not in the class.

    Privacy   (ε, δ) for all inputs: rule learner, Theorem 3
    Utility   noisy labels or not, against the best rule with cuts on the grid: rule learner, Theorem 4
    Time      O(n log n + RULES_BESIDE_NAMES · names whose records differ from those of all other names)

    >>> from privpac import PrivateClassifier
    >>> flights = {"delay": list(range(100)) * 24, "carrier": ["EV", "UA", "B6"] * 800}
    >>> late = [delay >= 37 and carrier == "EV" for delay, carrier in zip(flights["delay"], flights["carrier"])]
    >>> rules = And(Thresholds(0, 99).on("delay"), Points().on("carrier"))
    >>> clf = PrivateClassifier(rules, method="NamedRuleLearner", epsilon=6)
    >>> print(clf.fit(flights, late).hypothesis_)
    delay ≥ 37 and carrier = EV
    """

    concept_class: Compose
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Compose,)
    title: ClassVar[str] = "discounted exponential mechanism over a grid and the names seen"
    theorem: ClassVar[str] = "rule learner, Theorem 4"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        # At the end of a long line, almost all cuts label the record of a new name 1, so its rules weigh the most.
        Universe(
            And(Thresholds(0, 19, direction="above").on(0), Points().on(1)),
            "a column of names",
            [(19, v) for v in EQUAL],
            (*ALONE[:2], Trial(6, 0.3, 1, 0), ALONE[3]),
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return NamesApart.of(concept_class) is not None

    @property
    def _split(self) -> NamesApart:
        return cast("NamesApart", NamesApart.of(self.concept_class))

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, split = self.concept_class, self._split

        def errors(sample: Sample) -> Variants:
            return Variants.of(split.rules, split.table, split.names.codes(sample, H.domain), sample)

        code, place = ask(VariantExponential(self.cost), records.see(errors))
        parts = list(split.rules.combination(place))
        parts.insert(split.at, split.rule(code))
        return H.of_leaves(parts)

    def failure(self, n: int, alpha: float) -> float:
        m = self._split.rules.size
        T = -VariantExponential(self.cost).log_priors[1] / self.log_r
        public = self.chance(log(m), n, alpha, max(T, 0))
        from_records = self.chance(log(m * max(n, 1)), n, alpha, max(-T, 0), determined_by=1)
        return min(1.0, public + from_records)

    @property
    def reference_rules(self) -> tuple[str, ...]:
        return self._split.rules.reference_rules


@dataclass(frozen=True)
class NamesApart:
    """A composition, split into the part of single points, which is number ``at``, and the rules of all other parts.

    >>> split = NamesApart.of(And(Points().on("carrier"), Thresholds(0, 99, direction="above").on("delay")))
    >>> split.at, split.rules.size, str(split.rule("EV")), split.table
    (0, 101, 'carrier = EV', (False, False, False, True))
    """

    at: int
    names: ColumnPart
    rules: GridRules
    table: tuple[bool, ...]  # the values of G, with the bit x = v after all others
    domain: Domain

    @staticmethod
    @lru_cache(maxsize=64)
    def of(concept_class: ConceptClass) -> NamesApart | None:
        """The split; None unless exactly one part is of single points and all other parts have a grid."""
        if not isinstance(concept_class, Compose):
            return None
        parts = [ColumnPart.of(part) for part in concept_class.leaves]
        points = [i for i, part in enumerate(parts) if isinstance(part.concept_class, Points)]
        on_grid = tuple(part for i, part in enumerate(parts) if i not in points)
        rules = rules_of(on_grid, concept_class.domain, RULES_BESIDE_NAMES)
        if len(points) != 1 or rules is None:
            return None
        (at,) = points
        values = np.moveaxis(np.reshape(concept_class.table, (2,) * len(parts)), at, -1)
        return NamesApart(at, parts[at], rules, tuple(values.ravel().tolist()), parts[at].domain(concept_class.domain))

    def rule(self, code: object) -> Hypothesis:
        """x = v for the value with this code; never if the code is None."""
        value = Constant(False) if code is None else OneOf(frozenset([self.domain.decode(code)]))
        return self.names.table_rule(value)


@dataclass(frozen=True, eq=False)
class Variants:
    """Errors in blocks. The first block has the errors of all h alone.

    Each further block is about some values v: it has a row for each of them, with the errors of all (h, v).
    """

    rules: GridRules
    table: tuple[bool, ...]  # the values of G; its last bit is x = v
    values: list[Any]  # the v among the records
    value_of: NDArray[np.intp]  # for each entry of the sample, the position of its v in ``values``
    sample: Sample

    @staticmethod
    def of(rules: GridRules, table: tuple[bool, ...], names: NDArray[Any], sample: Sample) -> Variants:
        """The variants by the values in a column of names."""
        number: dict[Any, int] = {}
        value_of = [number.setdefault(name, len(number)) for name in names.tolist()]
        return Variants(rules, table, list(number), np.array(value_of, dtype=np.intp), sample)

    def __iter__(self) -> Iterator[Ints]:
        parts, without, with_v = self.rules.parts, self.table[::2], self.table[1::2]  # G if x = v is false, or true
        excess = positive_sums(self._negative_excess(slice(None)), parts, without)
        yield (public := self.sample.positives + np.broadcast_to(excess, self.rules.shape))  # the errors of h alone
        order = np.argsort(self.value_of, kind="stable")
        ends = np.cumsum(np.bincount(self.value_of, minlength=len(self.values)))
        for alike in self.blocks:
            copies, rows = alike.shape  # errors are counted for the first value of each column, and repeated
            sizes = np.diff(ends, prepend=0)[alike[0]]  # the number of entries of each value
            row = np.repeat(np.arange(rows), sizes)  # of each entry of these values
            places = np.arange(len(row)) + np.repeat(ends[alike[0]] - np.cumsum(sizes), sizes)  # in ``order``
            W = self._negative_excess(order[places], row, rows)
            gain = positive_sums(W, parts, with_v) - positive_sums(W, parts, without)
            block = np.broadcast_to(public + gain, (rows, *self.rules.shape))
            yield block if copies == 1 else np.broadcast_to(block, (copies, *block.shape))

    def _negative_excess(self, entries: Any, row: NDArray[np.intp] | None = None, rows: int = 0) -> Ints:
        """Negative minus positive records of these entries, by combination of cells and, with ``row``, by value."""
        cells, excess = [cell[entries] for cell in self._cells], negative_excess(self.sample)[entries]
        if row is None:
            return self.rules.cell_totals(cells, excess)
        return self.rules.cell_totals([*cells, row], excess, rows)

    @cached_property
    def blocks(self) -> list[NDArray[np.intp]]:
        """The numbers of all values, in arrays; a column of an array holds values that are alike."""
        shape = [part.cells for part in self.rules.parts]
        cells = np.ravel_multi_index(self._cells, shape) if shape else np.zeros(len(self.value_of), dtype=np.intp)
        arrays = by_copies(alike_rows(cells, self.value_of, negative_excess(self.sample), len(self.values)))
        step = max(ERRORS_AT_ONCE // self.rules.size, 1)  # the most rows of errors at a time
        return [alike[:, i : i + step] for alike in arrays for i in range(0, alike.shape[1], step)]

    @cached_property
    def _cells(self) -> tuple[NDArray[np.intp], ...]:
        return self.rules.cells(self.sample)

    def candidate(self, block: int, place: int) -> tuple[Any, int]:
        """(v, the number of h); None for v if it is h alone."""
        row, rule = divmod(place, self.rules.size)
        return (self.values[self.blocks[block - 1].flat[row]], rule) if block else (None, rule)


def alike_rows(cells: NDArray[np.intp], names: NDArray[np.intp], numbers: Ints, count: int) -> NDArray[np.intp]:
    """For each of ``count`` names, the smallest name that is alike: the same numbers in the same cells.

    The three arrays hold entries, which need not be sorted or distinct.

    >>> alike_rows(np.array([5, 5, 6, 5]), np.array([0, 1, 1, 2]), np.array([1, 1, -1, 1]), 3).tolist()
    [0, 1, 0]
    """
    order = np.lexsort((cells, names))
    cells, names, numbers = cells[order], names[order], numbers[order]
    differs = (names[1:] != names[:-1]) | (cells[1:] != cells[:-1])  # from the entry before
    first = np.flatnonzero(np.append(True, differs))[: len(names)]
    cells, names, numbers = cells[first], names[first], np.add.reduceat(numbers, first) if len(first) else numbers
    sizes = np.bincount(names, minlength=count)
    starts, alike = np.cumsum(sizes) - sizes, np.arange(count)
    for size in range(1, FEW + 1):
        names_of_size = np.flatnonzero(sizes == size)
        places = starts[names_of_size][:, None] + np.arange(size)
        profiles = np.concatenate([cells[places], numbers[places]], axis=1)
        _, leader, which = np.unique(profiles, axis=0, return_index=True, return_inverse=True)
        alike[names_of_size] = names_of_size[leader][which.reshape(-1)]
    return alike


def by_copies(alike: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """All names, in arrays: a column holds the names that are alike, and columns of the same length share an array.

    >>> [names.tolist() for names in by_copies(np.array([0, 1, 0, 3, 3]))]
    [[[1]], [[0, 3], [2, 4]]]
    """
    order = np.argsort(alike, kind="stable")
    copies = np.bincount(alike, minlength=len(alike))
    set_size = copies[alike[order]]  # for each name in order, how many names are alike
    return [order[set_size == size].reshape(-1, size).T for size in np.unique(copies[copies > 0]).tolist()]
