"""The claim of suggested schemas: histograms of all columns, then fresh counts of what fits, at one price.

A record is a string with one character for each column. Digits are listed cells, letters are keys that nobody lists.
The worst case is audited: records with "0" or "a" fit a column, and all others do not.

proof: docs/proofs/suggestions.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from flint import arb, ctx

from privpac.audit.claims.case import Case, Records
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.histograms.column_histograms import ColumnHistograms, ColumnKeys, ColumnNoise, ShownKeys
from privpac.privacy.budget import Budget

View = tuple[tuple[ColumnKeys, ...], tuple[int, ...]]
Outcome = tuple[tuple[ShownKeys, ...], tuple[int, ...]]
FITTING = "0a"  # the keys of records that fit


@dataclass(frozen=True)
class HistogramsThenFits(Algorithm):
    """The releases behind a suggested schema whose suggested columns are fixed."""

    noise: ColumnNoise
    name: ClassVar[str] = "histograms of columns, then fresh counts"
    theorem: ClassVar[str] = "suggestions, Theorem 2"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.noise.cost

    @property
    def parts(self) -> tuple[ColumnHistograms]:
        return (ColumnHistograms(self.noise),)

    def run(self, data: View, ask: Ask) -> Outcome:
        shown = ask(self.parts[0], data[0])
        return shown, tuple(map(int, ask(self.noise.fresh_noise, data[1])))

    def law(self, data: View) -> dict[Outcome, arb]:
        """The exact law; the noise of the two parts is independent."""
        with ctx.workprec(128):
            fresh = self.noise.fresh_noise.law(data[1]).items()
            return {(shown, o): p * q for shown, p in self.parts[0].law(data[0]).items() for o, q in fresh}


def column_counts(records: Records, listed: Sequence[str] = ()) -> View:
    """The counts of the keys of each column, and how many records fit each column. ``listed`` names its listed cells.

    >>> column_counts(("0a", "1b"), ("01", ""))
    ((ColumnKeys(listed=(1, 1), others={}), ColumnKeys(listed=(), others={'a': 1, 'b': 1})), (1, 1))
    """
    columns = [Counter(characters) for characters in zip(*records, strict=True)]
    keys = tuple(
        ColumnKeys(tuple(counts[cell] for cell in cells), {key: n for key, n in counts.items() if key not in cells})
        for counts, cells in zip(columns, listed or ("",) * len(columns), strict=True)
    )
    return keys, tuple(sum(counts[key] for key in FITTING) for counts in columns)


def suggestion_cases() -> Iterator[Case]:
    """Listed cells with Laplace noise, whose counts use up ε; and keys with Laplace or Gaussian noise.

    With a single record, a key appears rarely, which δ pays for. With a crowd, each key has about as many records as it
    needs to appear, or more, and their counts use up ε. The numbers are chosen so that 10/11 of each claim is refuted.

    >>> [case.about for case in suggestion_cases()][:2]
    ['2 columns of 2 cells', '2 keys in 1 column']
    """
    pure = ColumnNoise.of(Budget(1), 2)
    by_cells = partial(column_counts, listed=("01", "01"))
    yield Case(HistogramsThenFits(pure), by_cells, "2 columns of 2 cells", ("00", "11"), n=1, claimed=pure.cost)
    for cost, gaussian, columns in (
        (Budget(6, "0.0076"), False, 1),
        (Budget(3, "0.0107"), False, 2),
        (Budget(1, "1e-5"), True, 1),
    ):
        mechanism = HistogramsThenFits(ColumnNoise(cost, columns, gaussian))
        about = f"2 keys in {columns} column{'s' * (columns > 1)}"
        yield Case(mechanism, column_counts, about, ("a" * columns, "b" * columns), n=1, claimed=cost)
    for cost, gaussian, pairs in ((Budget(6, "0.0076"), False, 3), (Budget(6, "1e-6"), True, 11)):
        mechanism, crowd = HistogramsThenFits(ColumnNoise(cost, 1, gaussian)), ("a", "b") * pairs
        yield Case(mechanism, column_counts, f"2 keys, {len(crowd)} more records", "ab", n=1, claimed=cost, crowd=crowd)
