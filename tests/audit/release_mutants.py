"""Mutants of releases and of their certificates."""

from functools import partial
from math import inf

from privpac.audit.claims.case import Case
from privpac.audit.claims.releases import EIGHT, PLACES, in_order, table_sample
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.privacy.budget import Budget
from privpac.release.tables.measuring import TableCounts
from tests.audit.mutants import Mutant, mutants_of

SPLIT = "mechanisms.lines.split_tree:SplitTree"
ATOMS = "mechanisms.lines.atoms"
NOISE = "mechanisms.histograms.column_histograms:ColumnNoise"
CELLS = "release.tables.measuring:TableCounts._cells"
ONE_PATH = (f"{SPLIT}.price", "self.gains(x) + ball(x)", "self.gains(x)")  # the price of records added or removed
ADD_OR_REMOVE = ("release.tables.price:TablePrice.changes", "2 * self.tables", "self.tables")
UNFIT_TWICE = """cells[2] += void[POSITIVE]
        cells[3] += void[NEGATIVE]
        return *cells.tolist()"""
TRUE_PREVALENCE = """middle = starts.index(tree.size // 2) if tree.size // 2 in starts else 0
        rising[middle - 1] = records.see(lambda sample: sample.negatives)
        rising[middle:] = np.maximum(rising[middle:], rising[middle - 1])
        rising[:middle] = np.minimum(rising[:middle], rising[middle - 1])
        return self._answers("""
FROM_LEAST_RECORD = """if domain.line is None:
                return _every_value(column, domain)
            starts = tuple(sorted({0, int(values_of(data, i)[0].min())}))
            return LineCells(column, domain.line, starts, starts, (0,) * len(starts))"""

WITHOUT_NOISE = """if c > 2 * T:
            return {Atom(v, c): arb(1)}
        return law |"""

TABLE = {
    "MeanSanitizer": (
        ("release.summaries.answers:centered_sums", "(2 * number - (N - 1))", "(2 * number)"),
        ("release.summaries.sanitizer:SummarySanitizer.mechanisms", "2 * max(", "max("),
        ("release.summaries.sanitizer:SummarySanitizer.mechanisms", "self.cost.split([1]", "[self.cost] * len([1]"),
    ),
    "SummarySanitizer": (
        ("release.summaries.sanitizer:SummarySanitizer.run", "_values(distribution_cost,", "_values(self.cost,"),
        ("release.summaries.answers:centered_sums", "(2 * number - (N - 1))", "(2 * number)"),
        ("release.summaries.sanitizer:SummarySanitizer.mechanisms", "2 * max(", "max("),
    ),
    "LineSanitizer": (
        ("mechanisms.noise.disjoint_counts:DisjointCounts.rate", "self.cost.epsilon / 2", "self.cost.epsilon"),
    ),
    "HeldOut": (
        (
            "data.samples.sample:Sample.cells",
            "return *cells.tolist()",
            UNFIT_TWICE,
        ),
    ),
    "measured certificate": (
        (
            "mechanisms.noise.measured_gap:MeasuredGap.law",
            "self._bounds(self._noise.law(data, reach))",
            "{data + self.allowance: arb(1)}",
            inf,
        ),
    ),
    "noisy counts of a tree of codes, with a measured certificate": (
        ("mechanisms.histograms.pruned_trie:PrunedTrie.variance", "self.extra_weight", "Fraction(0)", 5.45),
    ),
    "histograms of columns, then fresh counts": (
        (f"{NOISE}.count_noise", "self.cost.epsilon), 2 * d", "self.cost.epsilon), 2"),  # all of ε for every column
        (f"{NOISE}.fresh_noise", "FRESH * self.cost.epsilon", "self.cost.epsilon"),  # which are paid for twice
        (f"{NOISE}.fresh_noise", "d * WORTH / (2", "8 * d * WORTH / (2"),
        (f"{NOISE}._variance", "2 * self.columns", "self.columns"),
        (f"{NOISE}.least", "1 + self.count_noise.rarely_reached", "self.count_noise.rarely_reached"),
        (f"{NOISE}.least", "A / self.columns", "A"),  # all of δ for every column
    ),
    "split tree": (
        (f"{SPLIT}.least", "self.threshold(depth) - self.floor", "0"),
        ONE_PATH,
        (f"{SPLIT}.gains", "return", "return ball(x) if x else"),
    ),
    "atoms": (
        # Each tail is paid for as if the other one cost nothing: the price of records added or removed.
        (f"{ATOMS}:Atoms.steep", "STEEP * self.cost.epsilon", "self.cost.epsilon", 4 / 3),
        (f"{ATOMS}:Atoms.flat", "(1 - STEEP) * self.cost.epsilon", "self.cost.epsilon", 5 / 3),
        # Heavy values get no noise.
        (f"{ATOMS}:Atoms._law_of", "return law |", WITHOUT_NOISE, inf),
        # Only values with records are shown.
        (f"{ATOMS}:Atoms.law", "for v in range(low, high + 1)]", "for v in range(low, high + 1) if v in counts]", inf),
    ),
    "discrete Laplace": (
        (f"{ATOMS}:heaviest", "return int(counts.max(initial=floor))", "return int((counts**2).sum())"),
    ),
    "cells and combinations of cells": (
        ADD_OR_REMOVE,
    ),
    "labeled release": (
        # Wrong labels among positive records count twice, so that a substitution changes the gap by 2.
        ("release.labeled.answers:largest_gap", "fp + fn, tp + tn", "fp + 2 * fn, 2 * tp + tn"),
        # The number of negative records is the true one.
        ("release.lines.sanitizer:LineSanitizer.run", "return self._answers(", TRUE_PREVALENCE, inf),
        # A record of either label changes one cell, as if it could not change its label.
        ("mechanisms.noise.disjoint_counts:DisjointCounts.rate", "self.cost.epsilon / 2", "self.cost.epsilon"),
    ),
}  # fmt: skip
TIGHT, WORDS, BITS = Budget(6, "1e-6"), Columns(("x",), (Anything(),)), Columns(("x",), (Line(0, 1),))
ELSEWHERE = [
    Mutant(
        "split tree", f"{SPLIT}.threshold", "depth * self.step", "self.step", 1.38647,  # 3 of 2.163
        Case(SplitTree(Budget(1), EIGHT, 3, 4, 2), in_order, "", PLACES, 1, Budget(1), crowd=(4,) * 5 + (0,) * 19),
    ),
    Mutant(
        "cells and combinations of cells", CELLS, "ask(self.price.histogram, _key_counts(codes, counts))",
        "sorted(set(codes.tolist()), key=str)", 10**6,  # A value is shown for certain.
        Case(TableCounts(TIGHT, WORDS), partial(table_sample, WORDS), "1 word", (("a",), ("b",)), 1, TIGHT),
    ),
    Mutant(
        "cells and combinations of cells", CELLS, "return _every_value(column, domain)", FROM_LEAST_RECORD, 10**6,
        Case(TableCounts(TIGHT, BITS), partial(table_sample, BITS), "1 bit", ((0,), (1,)), 1, TIGHT),
    ),
]  # fmt: skip
RELEASE_MUTANTS = [*mutants_of(TABLE), *ELSEWHERE]
