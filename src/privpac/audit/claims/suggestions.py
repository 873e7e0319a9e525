"""The claim of suggested schemas: histograms of all columns, then fresh counts of what fits, at one price.

A record is a string with one character for each column. Digits are listed cells, letters are keys that nobody lists.
To be the worst case, records with "0" or "a" fit a column and all others do not.

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
FITTING = "0a"


@dataclass(frozen=True)
class HistogramsThenFits(Algorithm):
    """What a suggested schema releases, where the columns that it suggests are fixed."""

    noise: ColumnNoise
    name: ClassVar[str] = "histograms of columns, then fresh counts"
    theorem: ClassVar[str] = "suggestions, Theorem 2"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of both."""
        return self.noise.cost

    @property
    def parts(self) -> tuple[ColumnHistograms]:
        """The mechanism that it asks first."""
        return (ColumnHistograms(self.noise),)

    def run(self, data: View, ask: Ask) -> Outcome:
        shown = ask(self.parts[0], data[0])
        return shown, tuple(int(each) for each in ask(self.noise.fresh, data[1]))

    def law(self, data: View) -> dict[Outcome, arb]:
        """The exact law; both parts are independent."""
        with ctx.workprec(128):
            fresh = self.noise.fresh.law(data[1]).items()
            return {(shown, o): p * q for shown, p in self.parts[0].law(data[0]).items() for o, q in fresh}


def looked_at(records: Records, listed: Sequence[str] = ()) -> View:
    """The keys of each column, and how many records fit each of them.

    >>> looked_at(("0a", "1b"), ("01", ""))
    ((ColumnKeys(listed=(1, 1), others={}), ColumnKeys(listed=(), others={'a': 1, 'b': 1})), (1, 1))
    """
    columns = [Counter(letters) for letters in zip(*records, strict=True)]
    keys = tuple(
        ColumnKeys(tuple(found[cell] for cell in cells), {key: n for key, n in found.items() if key not in cells})
        for found, cells in zip(columns, listed or ("",) * len(columns), strict=True)
    )
    return keys, tuple(sum(found[letter] for letter in FITTING) for found in columns)


def suggestion_cases() -> Iterator[Case]:
    """Listed cells with Laplace noise, which use up ε; and keys with either noise.

    Alone, a record shows how often a rare key appears, which is what δ pays for. In a crowd, both keys have about as
    many records as are needed to appear, or more: their counts use up ε. All numbers are chosen so that 10/11 of the
    claim would be refuted.

    >>> [case.about for case in suggestion_cases()][:2]
    ['2 columns of 2 cells', '2 keys in 1 column']
    """
    pure = ColumnNoise.of(Budget(1), 2)
    by_cells = partial(looked_at, listed=("01", "01"))
    yield Case(HistogramsThenFits(pure), by_cells, "2 columns of 2 cells", ("00", "11"), 1, pure.cost)
    for cost, gaussian, columns in (
        (Budget(6, "0.0076"), False, 1),
        (Budget(3, "0.0107"), False, 2),
        (Budget(1, "1e-5"), True, 1),
    ):
        look = HistogramsThenFits(ColumnNoise(cost, columns, gaussian))
        about = f"2 keys in {columns} column{'s' * (columns > 1)}"
        yield Case(look, looked_at, about, ("a" * columns, "b" * columns), 1, cost)
    for cost, gaussian, more in ((Budget(6, "0.0076"), False, 3), (Budget(6, "1e-6"), True, 11)):
        look, crowd = HistogramsThenFits(ColumnNoise(cost, 1, gaussian)), ("a", "b") * more
        yield Case(look, looked_at, f"2 keys, {len(crowd)} more records", "ab", 1, cost, crowd=crowd)
