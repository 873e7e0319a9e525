"""The privacy claims of releases and of their certificates, each on a universe that is small enough for its exact law.

A claim should be tried where it is tight. So in most cases, the records that change stand in a crowd of other records,
whose size makes a rare event likely, or a likely event rare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx

from privpac.audit.claims.case import Case, Records, counts_by_code
from privpac.audit.claims.suggestions import suggestion_cases
from privpac.classes.compositions.compose import And
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tables.marginals import Marginals
from privpac.classes.tree_orders.paths import StartsWith
from privpac.classes.values.points import Points
from privpac.data.domains.domain import Domain
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import InOrder, Sample
from privpac.data.values.columns import objects
from privpac.mechanisms.algorithm import Algorithm, Ask, law_of
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie
from privpac.mechanisms.lines.atoms import Atoms, heaviest
from privpac.mechanisms.lines.line_tree import DoubledTree, LineTree
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.mechanisms.noise.laplace import DiscreteLaplace, DiscreteLaplaces
from privpac.mechanisms.noise.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.privacy.ledger import Records as SealedRecords
from privpac.release.algorithm import MeasuredAnswers
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.code_trees.sanitizer import CodeTreeSanitizer
from privpac.release.explicit import point_counts, queries_of
from privpac.release.labeled.answers import samples_by_label
from privpac.release.labeled.explicit import loss_queries
from privpac.release.labeled.lines import LabeledLineSanitizer
from privpac.release.lines.sanitizer import LineSanitizer
from privpac.release.sanitizer import Answers, Sanitizer
from privpac.release.summaries.sanitizer import MeanSanitizer, SummarySanitizer
from privpac.release.tables.marginals import table_counts
from privpac.release.tables.measuring import TableCounts
from privpac.requests.conditions import Terms

VOID = None  # a record that does not fit its domain


def release_cases() -> Iterator[Case]:
    """The claims of all releases.

    >>> next(release_cases()).exact().refuted
    False
    """
    for cases in (
        *(_certificates, _tries, measured_trie_cases, split_tree_cases, atom_cases),
        *(marginal_cases, table_cases, labeled_cases, suggestion_cases, summary_cases),
    ):
        yield from cases()


def largest_error(answers: Mapping[Any, Any], records: Sequence[Any]) -> Any:
    """The largest distance between an answer about a value and the number of records with this value.

    >>> largest_error({"a": 2, "b": 0}, "abb")
    2
    """
    return max(abs(answer - sum(record == key for record in records)) for key, answer in answers.items())


def _certificates() -> Iterator[Case]:
    """Measured certificates of two answers that are already public."""
    for cost, n in product((Budget("0.1"), Budget(1), Budget(6)), (1, 3)):
        gap = MeasuredGap(cost, Fraction(1, 20))
        yield Case(gap, partial(largest_error, {"a": 2, "b": 1}), "the gap of 2 answers", "abc", n, cost)


def _tries() -> Iterator[Case]:
    """Pruned tries of one level, of two levels, and with a count for the root.

    Without a crowd, a prefix of a single record is released with probability δ₀, which tests the claimed δ. With a
    crowd, all prefixes are released almost surely, and the noise of all levels tests the claimed ε.
    """
    flat = PrunedTrie(Budget(1, "1.14e-6"), 1)
    for n in (1, 2):
        yield Case(flat, counts_by_code, "3 codes of one step", ("a", "b", VOID), n, flat.cost)
    crowd = ("a", "b") * 2 * flat.least
    yield Case(flat, counts_by_code, f"2 codes of one step, {len(crowd)} more records", "ab", 1, flat.cost, crowd=crowd)
    deep = PrunedTrie(Budget(6, "2.4e-6"), 2)
    yield Case(deep, counts_by_code, "5 codes of up to 2 steps", ("aa", "ab", "b", "a", VOID), 1, deep.cost)
    crowd = ("aa", "bb") * 2 * deep.least
    about = f"2 codes of 2 steps, {len(crowd)} more records"
    yield Case(deep, counts_by_code, about, ("aa", "bb"), 1, deep.cost, crowd=crowd)
    rooted = PrunedTrie(Budget(6, "1.48e-6"), 1, root="")
    yield Case(rooted, counts_by_code, "codes or none, 20 more records", ("a", VOID), 2, rooted.cost, crowd=("a",) * 20)


@dataclass(frozen=True)
class RawCodes(CodeTreeSanitizer):
    """The noisy counts of prefixes, without the later step that adjusts them to the counts of their parents."""

    def run(self, records: SealedRecords, ask: Ask) -> CodeCounts:
        n, noisy = records.size, dict(ask(self.mechanism, records.see(self._counts)))
        counts = {"": n} | dict(sorted(noisy.items()))
        return CodeCounts(n, self.domain, "subtree", tuple(counts), tuple(min(c, n) for c in counts.values()))


def code_sample(records: Records) -> Sample:
    """Codes as a sample, as a release sees them.

    >>> code_sample(("ab", "b")).size
    2
    """
    return Sample(objects(records), np.ones(len(records), dtype=bool), None, len(records))


def measured_trie(cost: Budget) -> MeasuredAnswers:
    """Counts of codes of one letter together with their measured certificate. ``cost`` covers both."""
    counts_and_variance = RawCodes(StartsWith(height=1), Terms(cost)).with_certificate(Fraction(1, 3))
    assert counts_and_variance is not None  # The noise of the counts is Gaussian.
    return MeasuredAnswers(*counts_and_variance)


def measured_trie_cases() -> Iterator[Case]:
    """Counts of codes with their certificate: without a crowd, which tests δ; and with one, which tests ε.

    >>> [case.about for case in measured_trie_cases()]
    ['2 codes', '2 codes, 24 more records']
    """
    few, many = Budget(1, "1.26e-6"), Budget(6, "1e-4")
    yield Case(measured_trie(few), code_sample, "2 codes", "ab", 1, few)
    crowd = ("a", "b") * 12  # The count of each code exceeds the threshold of the trie, so all counts are released.
    yield Case(measured_trie(many), code_sample, "2 codes, 24 more records", "ab", 1, many, crowd=crowd)


EIGHT = LineTree(8)  # the values 0 … 7
PLACES = (*range(8), VOID)  # what a record may be: one of the values, or void


def in_order(records: Records) -> InOrder:
    """Values on a line, None if void, in the order in which a split tree reads them.

    >>> in_order((3, None, 1)).values.tolist()
    [1, 3]
    """
    return InOrder.of(np.array([value for value in records if value is not None], dtype=np.uint64), None)


def two_paths(tree: SplitTree, gaining: int = 4, losing: int = 0) -> Records:
    """A crowd that makes the claim of a split tree tight: records at two of eight values, in different halves.

    A substitution moves one record from the value ``losing`` to the value ``gaining``. The node of depth 2 above
    ``gaining`` has exactly as many records as its floor: there, one more record raises the chance of a cut most. The
    one above ``losing`` is almost certainly cut: there, one record less raises the chance of a cell most.
    """
    return (gaining,) * (tree.theta + 2 * tree.step - tree.floor) + (losing,) * (tree.theta + 4 * tree.step)


def split_tree_cases() -> Iterator[Case]:
    """Split trees of threshold θ, step d, and floor w, on crowds that almost use up the claimed ε.

    The claim covers infinitely many levels. The three levels of these trees cost all of it but a few percent.
    """
    for ε, θ, d, w in ((Fraction(1, 5), 12, 20, 10), (1, 3, 4, 2), (6, 1, 1, 1)):
        cost = Budget(ε)
        for tree in (EIGHT, LineTree(8, 4), DoubledTree.of_two(LineTree(4))):
            split = SplitTree(cost, tree, θ, d, w)
            crowd = two_paths(split)
            values = "4 values with 2 labels" if isinstance(tree, DoubledTree) else f"8 values from {-tree.origin} on"
            about = f"{values}, θ = {θ}, d = {d}, w = {w}, {len(crowd)} more records"
            yield Case(split, in_order, about, PLACES, 1, cost, crowd=crowd)


# First values of cells: the values 0 and 1 are a cell and 4 … 7 are one; or only the value 4 has one of its own.
TWO_AND_FOUR, ONES = (0, 2, 3, 4), (0, 4, 5)


def atom_cases() -> Iterator[Case]:
    """Atoms of two cells, one with a heavy value and one without; and the heaviest value in cells of several values.

    A substitution moves a record to the heavy value, which is then more certainly shown, and away from a light one,
    which is shown more rarely: each of the two tails of the noise is paid for once.

    >>> all(0.97 < case.exact().share <= 1 for case in atom_cases())
    True
    """
    for ε in (Fraction(1, 5), Fraction(1), Fraction(6)):
        cost = Budget(ε)
        atoms = Atoms(cost, EIGHT, TWO_AND_FOUR)
        crowd = (4,) * 3 * atoms.least(4)
        about = f"2 and 4 values, {len(crowd)} more records"
        yield Case(atoms, in_order, about, PLACES, 1, cost, crowd=crowd)
        test, heavy = DiscreteLaplace(cost), partial(heaviest_place, ONES, 1)
        yield Case(test, heavy, "the heaviest of 7 values", PLACES, 1, cost, crowd=(4, 4, 4, 6, 6))


def heaviest_place(starts: tuple[int, ...], floor: int, records: Records) -> int:
    """The most records at one value of a cell of two or more values, but at least ``floor``.

    >>> heaviest_place((0, 4, 5), 1, (4, 4, 4, 6, 6, None))
    2
    """
    return heaviest(in_order(records), EIGHT, starts, floor)


MARGINALS = Marginals(Points().on("a", values=("x", "y")), Points().on("b", values=(0,), missing=True), order=1)
ROWS = tuple({"a": a, "b": b} for a, b in product("xy", (0, None)))
EXPLICIT = ExplicitClass([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]], points="abcd")


def marginal_cases() -> Iterator[Case]:
    """Marginals and explicit queries with Laplace noise, which use up all of ε.

    For marginals, the worst neighbors differ in all columns; for the queries, in the first and the last point.

    >>> [float(case.exact().share) for case in [*marginal_cases()][:2]]
    [1.0, 1.0]
    """
    for cost, n in ((Budget("0.1"), 1), (Budget(1), 1), (Budget(1), 2), (Budget(6), 1)):
        tables = DiscreteLaplaces(cost, 2 * len(MARGINALS.tables))
        about = "2 tables of 2 cells, missing entries, and void records"
        yield Case(tables, marginal_counts, about, (*range(len(ROWS)), VOID), n, cost)
        queries = DiscreteLaplaces(cost, queries_of(EXPLICIT).changes or 1)
        yield Case(queries, query_counts, "3 queries on 4 points", "abcd", n, cost)


def marginal_counts(records: Records) -> list[int]:
    """The counts of the two tables of MARGINALS. A record is the number of a row of ROWS, or void.

    >>> marginal_counts((0, 3, None))
    [1, 1, 1, 1]
    """
    rows = [ROWS[i] for i in records if i is not VOID]
    points = MARGINALS.domain.points(rows) if rows else np.zeros((0, 2), dtype=np.int64)
    sample = Sample(points, np.ones(len(rows), dtype=bool), None, len(records))
    counts: list[int] = table_counts(sample, MARGINALS.cells, MARGINALS.tables).tolist()
    return counts


def query_counts(records: Records) -> list[int]:
    """The counts of the three queries of EXPLICIT.

    >>> query_counts(("a", "d"))
    [1, 1, 1]
    """
    points = EXPLICIT.domain.points(list(records))
    sample = Sample(points, np.ones(len(records), dtype=bool), None, len(records))
    counts: list[int] = (queries_of(EXPLICIT).M @ point_counts(sample, EXPLICIT.domain)).tolist()
    return counts


def table_cases() -> Iterator[Case]:
    """Tables with Gaussian noise, then with Laplace noise.

    >>> [case.exact().refuted for case in table_cases() if not case.claimed.delta]
    [False, False]
    """
    columns = Columns(("x", "y"), (Listing(("a", "b")), Listing(("c",))))
    for cost, n in ((Budget("0.1", "0.02"), 1), (Budget(2), 1), (Budget(2), 2)):
        rows = (("a", "c"), ("b", "c"))
        yield Case(TableCounts(cost, columns), partial(table_sample, columns), "2 cells of a pair", rows, n, cost)


def table_sample(columns: Domain, records: Sequence[tuple[Any, ...]]) -> Sample:
    """Rows of a table as a sample.

    >>> table_sample(Columns(("job",), (Listing(("clerk", "nurse")),)), [("nurse",)]).points.tolist()
    [[1]]
    """
    table = {name: objects(row[i] for row in records) for i, name in enumerate(columns.column_names)}
    return Sample(columns.points(table), np.ones(len(records), dtype=bool), None, len(records))


@dataclass(frozen=True)
class LabeledRelease(Algorithm):
    """Answers about labeled records, then their gap; ``certifying`` pays for the gap."""

    sanitizer: Sanitizer
    certifying: Budget
    name: ClassVar[str] = "labeled release"
    theorem: ClassVar[str] = "labeled release, Theorem 1"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.sanitizer.cost + self.certifying

    def run(self, data: Sample, ask: Ask) -> tuple[Answers, int]:
        answers = self.sanitizer.run(Opened(data, data.size), ask)
        return answers, ask(self._certificate, answers.gap(data))

    @property
    def _certificate(self) -> MeasuredGap:
        return MeasuredGap(self.certifying, Fraction(1, 20))

    def law(self, data: Sample) -> dict[tuple[Answers, int], arb]:
        """The exact law, for answers whose noisy counts are clamped to 0 … n."""
        answers_law = law_of(partial(self.sanitizer.run, Opened(data, data.size)))
        with ctx.workprec(128):
            gap_law = {answers: self._certificate.law(answers.gap(data)) for answers in answers_law}
            return {(answers, gap): p * q for answers, p in answers_law.items() for gap, q in gap_law[answers].items()}


def labeled_cases() -> Iterator[Case]:
    """Cuts of two values with their certificate, and the counts of rules of a listed class.

    >>> [case.exact().refuted for case in labeled_cases() if case.n == 1]
    [False, False, False, False]
    """
    cuts, one, two = Thresholds(0, 1, direction="above"), Budget(1), Budget(2)
    for answering, certifying, n in ((one, Budget("0.1"), 1), (one, one, 1), (one, one, 2), (two, one, 2)):
        release = LabeledRelease(LabeledLineSanitizer(cuts, Terms(answering), (0, 1)), certifying)
        yield Case(release, labeled_sample, "2 values with 2 labels", LABELED, n, answering + certifying)
    for n in (1, 2):
        noise = DiscreteLaplaces(one, LOSSES.changes or 1)
        yield Case(noise, loss_counts, "a rule on 2 points with 2 labels", LABELED, n, one)
    noise = DiscreteLaplaces(one, 2)
    yield Case(noise, partial(labeled_counts, 2), "a table of 2 cells with 2 labels", LABELED, 1, one)


def summary_cases() -> Iterator[Case]:
    """Counts and sums of groups; whole summaries, with quartiles; and the distribution of a line with missing entries.

    A record that changes its group changes two counts, and the sums by the whole width. With quartiles, there are
    three shares of ε, and the claim is tight if its value changes, too. At a small ε, so few records lead to an almost
    uniform distribution, which reveals nothing; so a whole summary of groups is tried at a large ε. In a single group
    whose values may be missing, no substitution changes the count and the sum by so much, and the claim is not tight.

    >>> [round(float(case.exact().ratio), 3) for case in [*summary_cases()][:6]]
    [1.0, 1.0, 0.75, 1.0, 1.0, 0.833]
    """
    wards, stays, one = Points().on("ward", values=("A", "B")), Thresholds(0, 1), Budget(1)
    alone, gaps, of_wards = stays.on("stay"), stays.on("stay", missing=True), And(wards, stays.on("stay"))
    entries, moved = ((0,), (1,), (None,)), (("A", 0), ("A", 1), ("B", 1))
    kinds: tuple[tuple[type[Sanitizer], ConceptClass, str, Sequence[Any], int, Budget], ...] = (
        (MeanSanitizer, of_wards, "2 groups of 2 values", tuple(product("AB", (0, 1))), 1, one),
        (MeanSanitizer, of_wards, "2 groups of 2 values", tuple(product("AB", (0, 1))), 1, Budget(6)),
        (MeanSanitizer, gaps, "2 values, or none", entries, 1, one),
        (SummarySanitizer, alone, "2 values", entries[:2], 1, one),
        (SummarySanitizer, alone, "2 values", entries[:2], 2, one),
        (SummarySanitizer, gaps, "2 values, or none", entries, 1, one),
        (SummarySanitizer, of_wards, "2 groups of 2 values", moved, 1, Budget(30)),
        (LineSanitizer, gaps, "2 values, or none", entries, 1, one),
    )
    for kind, H, about, rows, n, cost in kinds:
        yield Case(kind(H, Terms(cost)), partial(opened_table, H.domain), about, rows, n, cost)


def opened_table(columns: Domain, records: Sequence[tuple[Any, ...]]) -> Opened:
    """Rows of a table, as a sanitizer sees them."""
    return Opened(table_sample(columns, records), len(records))


LABELED = tuple(product((0, 1), (0, 1)))  # (x, y)
LOSSES = loss_queries(ExplicitClass([[0, 1]]), void=False)


def labeled_sample(records: Sequence[tuple[int, int]]) -> Sample:
    """Points with labels, as a labeled release sees them.

    >>> labeled_sample(((0, 1), (1, 0))).labels.tolist()
    [True, False]
    """
    points = np.array([x for x, _ in records], dtype=np.uint64)
    return Sample(points, np.array([y == 1 for _, y in records], dtype=bool), None, len(records))


def labeled_counts(size: int, records: Sequence[tuple[int, int]]) -> list[int]:
    """How many records with the label 0 lie at each of ``size`` points, and then how many with the label 1.

    >>> labeled_counts(2, ((0, 1), (1, 0), (1, 0)))
    [0, 2, 1, 0]
    """
    samples = samples_by_label(labeled_sample(records))
    counts = (np.bincount(sample.points.astype(np.int64), minlength=size) for sample in samples)
    return [int(count) for counts_of_label in counts for count in counts_of_label]


def loss_counts(records: Sequence[tuple[int, int]]) -> list[int]:
    """How many negative records and how many positive records the rule labels 1, and how many records are positive.

    >>> loss_counts(((1, 0), (0, 1)))
    [1, 0, 1]
    """
    counts: list[int] = (LOSSES.M @ np.array(labeled_counts(2, records))).tolist()
    return counts
