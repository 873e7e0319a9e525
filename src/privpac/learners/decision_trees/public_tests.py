"""The public tests of decision trees: cuts of lines, declared prefixes, and all concepts on a few declared values.

proof: docs/proofs/tree_draw.md

Throughout this file
    T      the number of tests, limited by the depth of the trees, since a draw looks at all T^depth regions
    part   a class of tests on one column
    cell   values that all tests of a part treat alike
    block  the tests of a part, or of a few small parts: a row for each test, and a column for each cell
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import OnColumn, patterns_of
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import StartsWith
from privpac.classes.values.declared_values import Candidates
from privpac.classes.values.points import Points
from privpac.data.domains.domain import Domain
from privpac.data.domains.with_missing import WithMissing
from privpac.data.samples.sample import Sample
from privpac.learners.decision_trees.round_cuts import round_cuts
from privpac.learners.grids.grids import ColumnPart, negative_excess
from privpac.mechanisms.decision_trees.counts import Block, CellRecords, Places, PublicTests
from privpac.refusals.refusal import Part, Refused, Setting

CUTS = (48, 40, 32, 24, 20, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1)  # how many cuts of a line to try, in this order
MOST_TESTS = {1: 2**12, 2: 2**10, 3: 2**8}  # by depth
LARGEST_LISTED = 2**12  # the most values of a domain to list
FAR = 2**10  # a line is long if it has more values than this for each cut: all records may lie between two cuts
MOST_SHARED = 32  # the most cells of a block that several parts share, and the most parts that share one


@dataclass(frozen=True, eq=False)
class PartTests:
    """Tests of one part: ``rules[i]`` holds in the cells where ``block[i]`` is 1."""

    source: ColumnPart
    domain: Domain
    rules: tuple[Hypothesis, ...]
    block: Block
    cells: Callable[[NDArray[Any]], Places]  # the cell of each record, by its code alone
    cuts: tuple[int, ...] = ()  # the codes at which its tests cut a line

    @staticmethod
    def on_line(source: ColumnPart, domain: Domain, most: int) -> PartTests:
        """About ``most`` round cuts of a line.

        >>> part = PartTests.on_line(ColumnPart.of(Thresholds(0, 3).on("age")), Thresholds(0, 3).domain, 3)
        >>> [str(rule) for rule in part.rules], part.cells(np.array([3, 0, 2])).tolist()
        (['age ≥ 1', 'age ≥ 2', 'age ≥ 3'], [3, 0, 2])
        """
        return PartTests.cut_at(source, domain, round_cuts(cast(Thresholds, source.concept_class).domain, most))

    @staticmethod
    def cut_at(source: ColumnPart, domain: Domain, cuts: Sequence[int]) -> PartTests:
        """A test for each of these cuts of a line."""
        kind = cast(Thresholds, source.concept_class)
        rules = tuple(source.table_rule(kind.at(t, kind.direction != "below")) for t in cuts)
        block = np.arange(len(cuts) + 1) > np.arange(len(cuts))[:, None]
        if kind.direction == "below":
            block = ~block
        starts = np.array([0, *cuts], dtype=object if kind.domain.size > 2**64 else np.uint64)

        def cells(codes: NDArray[Any]) -> Places:
            return np.searchsorted(starts, codes.astype(starts.dtype), side="right") - 1

        return PartTests(source, domain, rules, block, cells, tuple(cuts))

    @staticmethod
    def listed(source: ColumnPart, domain: Domain) -> PartTests:
        """Every concept that is not constant on the values, once; a concept and its negation are the same test."""
        labels, rules = patterns_of(source.concept_class, domain.listed())
        distinct = _first_of_each(labels ^ labels[:, :1])  # 0 on the first value, so that negations are equal
        tests = [i for i in distinct if labels[i].any() and not labels[i].all()]
        block, cell_of = np.unique(labels[tests], axis=1, return_inverse=True)

        def cells(codes: NDArray[Any]) -> Places:
            return np.asarray(cell_of.reshape(-1)[domain.numbers(codes)], dtype=np.intp)

        return PartTests(source, domain, tuple(source.table_rule(rules[i]) for i in tests), block, cells)

    @staticmethod
    def with_missing(tests: PartTests, domain: WithMissing, *, below: bool) -> PartTests:
        """The same tests, which a missing entry never passes, and the test whether the entry is missing.

        With ``below``, if cuts have both directions, x < t is also a test: if x is missing, it fails like x ≥ t.

        >>> from privpac.data.domains.line import Line
        >>> ages = PartTests.on_line(ColumnPart.of(Thresholds(0, 2).on("age")), Line(0, 2), 3)
        >>> part = PartTests.with_missing(ages, WithMissing(Line(0, 2)), below=True)
        >>> [str(rule) for rule in part.rules], part.cells(np.array([2, 3, 0])).tolist()
        (['age ≥ 1', 'age ≥ 2', 'age < 1', 'age < 2', 'age is missing'], [2, 3, 0])
        """
        last = tests.block.shape[1]  # the cell of missing entries
        absence = OnColumn(tests.source.concept_class, tests.source.column or 0, missing=True, na=domain.na).absence
        present_rules, present_block = cast(tuple[ColumnRule, ...], tests.rules), tests.block
        if below and _both_ways(tests.source):
            present_rules += tuple(cast(ColumnRule, rule.opposite) for rule in present_rules)
            present_block = np.concatenate([present_block, ~present_block])
        rules = (*(replace(rule, missing=True) for rule in present_rules), absence)

        def cells(codes: NDArray[Any]) -> Places:
            absent = domain.absent(codes)
            cell = np.full(len(codes), last, dtype=np.intp)
            cell[~absent] = tests.cells(codes[~absent])
            return cell

        block = np.zeros((len(rules), last + 1), dtype=bool)
        block[:-1, :-1], block[-1, -1] = present_block, True
        return PartTests(tests.source, domain, rules, block, cells, tests.cuts)

    @staticmethod
    def prefixes(source: ColumnPart, domain: Domain) -> PartTests:
        """Whether a text starts with a declared prefix; the cell of a text is its longest declared prefix."""
        kind = cast(Candidates, source.concept_class)
        nodes = [node for node in kind.domain.encode(kind.values).tolist() if node]  # everything starts with the root
        number = {node: i for i, node in enumerate(nodes, 1)}
        lengths = sorted({len(node) for node in nodes}, reverse=True)

        def cells(codes: NDArray[Any]) -> Places:
            cell = (next((number[code[:l]] for l in lengths if code[:l] in number), 0) for code in codes.tolist())
            return np.fromiter(cell, np.intp, len(codes))

        block = [[False, *(longest[: len(node)] == node for longest in nodes)] for node in nodes]
        rules = tuple(source.table_rule(kind.concept_class.hypothesis(node)) for node in nodes)
        return PartTests(
            source, domain, rules, np.array(block, dtype=bool).reshape(len(nodes), -1 if nodes else 1), cells
        )


def _first_of_each(rows: Block) -> list[int]:
    """For each distinct row, the number of its first occurrence; rows are in the order of their last occurrences."""
    return list({row.tobytes(): i for i, row in reversed(list(enumerate(rows)))}.values())[::-1]


@dataclass(frozen=True, eq=False)
class TreeTests:
    """The tests of all parts, part by part.

    >>> from privpac.data.domains.named_columns import common
    >>> parts = Thresholds(0, 99).on("age"), Thresholds(0, 1).on("member")
    >>> tests = tree_tests(tuple(map(ColumnPart.of, parts)), common([part.domain for part in parts]), 2)
    >>> tests.public.number, [str(rule) for rule in tests.rules[-3:]], tests.coarse
    (22, ['age ≥ 90', 'age ≥ 95', 'member ≥ 1'], True)
    """

    parts: tuple[PartTests, ...]
    domain: Domain

    @property
    def rules(self) -> tuple[Hypothesis, ...]:
        """Each test as a rule."""
        return tuple(rule for part in self.parts for rule in part.rules)

    @property
    def long(self) -> tuple[PartTests, ...]:
        """The lines without missing entries that are far longer than their cuts can resolve."""
        # Private cuts need a place on the line for every record.
        lines = (part for part in self.parts if _is_line(part.source) and not part.domain.optional)
        return tuple(part for part in lines if part.domain.size > FAR * (_cut_count(part) + 1))

    def cut_at(self, cuts: Mapping[str | int | None, Sequence[int]]) -> TreeTests:
        """The same tests, but with these cuts of some lines, by their columns."""

        def recut(part: PartTests) -> PartTests:
            own = cuts.get(part.source.column) if _is_line(part.source) else None
            return part if own is None else PartTests.cut_at(part.source, part.domain, own)

        return TreeTests(tuple(map(recut, self.parts)), self.domain)

    @property
    def coarse(self) -> bool:
        """Whether some cut of a line is not a test."""
        return any(_is_line(part.source) and _cut_count(part) < part.domain.present.size - 1 for part in self.parts)

    @property
    def first_codes(self) -> tuple[tuple[int, ...], ...]:
        """For each column, the first codes of the cells between its cuts; () if no two codes share a cell."""
        by_column: dict[Hashable, list[PartTests]] = {name: [] for name in self.domain.column_names or (None,)}
        for part in self.parts:
            by_column[part.source.column].append(part)
        return tuple(map(_first_codes, by_column.values()))

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """What a certificate compares with if some cut of a line is not a test; otherwise, all trees of the class."""
        lines = [part for part in self.parts if _is_line(part.source)]
        cuts = max(map(_cut_count, lines), default=0)
        text = f"the best rule means the best tree with cuts on a public grid of at most {cuts} per column"
        return (text,) if self.coarse else ()

    @cached_property
    def groups(self) -> list[list[PartTests]]:
        """The parts, in groups that share a block: neighbors, as long as they have few combinations of cells."""
        groups: list[list[PartTests]] = []
        for part in self.parts:
            shared = [*groups[-1], part] if groups else []
            if 0 < len(shared) <= MOST_SHARED and prod(part.block.shape[1] for part in shared) <= MOST_SHARED:
                groups[-1] = shared
            else:
                groups.append([part])
        return groups

    @cached_property
    def public(self) -> PublicTests:
        """The tests as a draw takes them."""
        return PublicTests(tuple(map(_shared_block, self.groups)))

    def cells(self, sample: Sample) -> list[Places]:
        """For each block, the cell of each record, which depends on that record alone."""
        return [
            _shared_cells(group, [part.cells(part.source.codes(sample, self.domain)) for part in group])
            for group in self.groups
        ]

    def view(self, sample: Sample) -> CellRecords:
        """The records by their cells, as a draw of trees takes them."""
        if sample.K > 2:
            return self.labeled(sample)
        return CellRecords.of(self.cells(sample), -negative_excess(sample), sample.size)

    def labeled(self, sample: Sample) -> CellRecords:
        """The records by their cells and labels, as boosting takes them."""
        return CellRecords.by_label(self.cells(sample), sample.labels, sample.counts, sample.K, sample.size)


def _shared_block(group: Sequence[PartTests]) -> Block:
    """The tests of several parts on the combinations of their cells; the cell of the last part changes fastest."""
    widths = [part.block.shape[1] for part in group]
    cells_of_parts = np.unravel_index(np.arange(prod(widths)), widths)
    return np.concatenate([part.block[:, cells] for part, cells in zip(group, cells_of_parts, strict=True)])


def _shared_cells(group: Sequence[PartTests], cells: list[Places]) -> Places:
    """The cell of each record in the block of a group, from its cells in the parts."""
    return np.ravel_multi_index(cells, [part.block.shape[1] for part in group])


@lru_cache(maxsize=64)
def tree_tests(
    parts: tuple[ColumnPart, ...],
    domain: Domain,
    depth: int,
    *,
    below: bool = True,
    rules: str = "",
    otherwise: tuple[Part, ...] | None = None,
) -> TreeTests | None:
    """The tests of parts that read ``domain``, as many as trees of this depth may choose from.

    None if some part is neither cut nor listed. With ``below``, x < t is a test besides x ≥ t where entries may be
    missing. A refusal names trees of this depth, or ``rules``, and ends with the advice ``otherwise``; by default, this
    is a smaller depth that allows enough tests.
    """
    room, columns = MOST_TESTS[depth], [(part, part.domain(domain)) for part in parts]
    if not all(_is_line_or_listable(part, column, room) for part, column in columns):
        return None
    listed = {i: _listed(part, column.present) for i, (part, column) in enumerate(columns) if not _is_line(part)}
    lines = [  # each line, and how many tests a cut of it makes: two where x < t and x ≥ t may both fail
        (part.concept_class.domain, 1 + (below and column.optional and _both_ways(part)))
        for part, column in columns
        if _is_line(part)
    ]
    left = room - sum(len(part.rules) for part in listed.values()) - sum(column.optional for _, column in columns)

    def tests_of_lines(most: int) -> list[int]:
        """How many tests each line has, with about ``most`` cuts."""
        return [len(round_cuts(line, most)) * per_cut for line, per_cut in lines]

    most = next((most for most in CUTS if sum(tests_of_lines(most)) <= left), None)
    if most is None:
        fewest = iter(tests_of_lines(CUTS[-1]))
        needed = [
            (len(listed[i].rules) if i in listed else next(fewest)) + column.optional
            for i, (_, column) in enumerate(columns)
        ]
        fitting = sum(total <= room for total in accumulate(needed))
        fewer = f"fewer columns (the first {fitting} have few enough)" if fitting else "fewer values"
        shallower = next((d for d in range(depth - 1, 0, -1) if sum(needed) <= MOST_TESTS[d]), None)
        if otherwise is None and shallower:
            otherwise = ", or learn trees with ", Setting.to("depth", shallower)
        reason = f"{rules or f'trees of depth {depth}'} choose from at most {room} tests, and these columns have more"
        raise Refused("concept_class", f"{reason}, even with one cut each; declare {fewer}", *(otherwise or ()))

    def tests_of(i: int, part: ColumnPart, column: Domain) -> PartTests:
        tests = listed.get(i) or PartTests.on_line(part, column.present, most)
        return PartTests.with_missing(tests, column, below=below) if isinstance(column, WithMissing) else tests

    return TreeTests(tuple(tests_of(i, part, column) for i, (part, column) in enumerate(columns)), domain)


def _cut_count(part: PartTests) -> int:
    """How many cuts of a line are tests."""
    return int(part.block.shape[1]) - 1 - part.domain.optional


def _first_codes(parts: Sequence[PartTests]) -> tuple[int, ...]:
    """The first codes of the cells of a line that all these parts cut; () if no two codes share a cell."""
    codes = tuple(sorted({0}.union(*(part.cuts for part in parts))))
    coarse = all(_is_line(part.source) and part.domain.present.size > len(codes) for part in parts)
    return codes if coarse else ()


def _is_line(part: ColumnPart) -> bool:
    """Whether the tests are cuts of a line; a few of all possible cuts are then enough."""
    return isinstance(part.concept_class, Thresholds)


def _both_ways(part: ColumnPart) -> bool:
    """Whether a line is cut in both directions."""
    return isinstance(part.concept_class, Thresholds) and part.concept_class.direction == "either"


def _prefixed(part: ColumnPart) -> bool:
    """Whether tests are declared prefixes."""
    return isinstance(kind := part.concept_class, Candidates) and isinstance(kind.concept_class, StartsWith)


def _listed(part: ColumnPart, domain: Domain) -> PartTests:
    """The tests of a part that is not a line."""
    return PartTests.prefixes(part, domain) if _prefixed(part) else PartTests.listed(part, domain)


def _is_line_or_listable(part: ColumnPart, domain: Domain, room: int) -> bool:
    """Whether tests are cuts of a line, few declared prefixes, or few concepts on few declared values."""
    if _is_line(part):
        return True
    if _prefixed(part):
        return part.concept_class.size <= room
    domain = domain.present
    concepts = domain.size if isinstance(part.concept_class, Points) else part.concept_class.size
    return domain.numbered and domain.size <= min(LARGEST_LISTED, room) and concepts <= 2 * room
