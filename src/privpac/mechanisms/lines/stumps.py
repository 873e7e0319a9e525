"""Private selection of a stump: a cut of one of several lines, with one sort of each line.

proof: docs/proofs/rule_learner.md

Throughout this file
    t        a cut of a line, 0 ≤ t ≤ N; cuts between two records' values have equal errors and form a run
    G(t)     positive minus negative records below t: x ≥ t errs on (negatives + G(t)), x < t on (positives − G(t))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Tally
from privpac.exact.exponential_weights import Integers, Weights
from privpac.mechanisms.lines.intervals import CutRuns
from privpac.mechanisms.selection.exponential import Menu, Selection, near_first, reach, short_list
from privpac.privacy.budget import Budget


class DirectedRuns(NamedTuple):
    """The runs of cuts of one column in one direction: the first cut, the length, and the errors of each."""

    column: int
    above: bool
    starts: Integers
    lengths: Integers
    errors: NDArray[np.int64]


@dataclass(frozen=True)
class StumpExponential(Selection):
    """(column, t, above) with probability ∝ e^(−ε·errors/2); ε-DP. It stands for x ≥ t if ``above``, else for x < t.

    >>> from privpac.exact.entropy import SYSTEM
    >>> ages = Tally(np.array([17, 18]), zeros=np.array([400, 0]), ones=np.array([0, 300]))
    >>> sizes = Tally(np.array([170]), zeros=np.array([400]), ones=np.array([300]))
    >>> StumpExponential(Budget(1), ((100, "above"), (250, "either"))).release([ages, sizes], SYSTEM)
    (0, 18, True)
    """

    cost: Budget
    columns: tuple[tuple[int, str], ...]  # the size and the direction of each: "above", "below", or "either"
    name: ClassVar[str] = "exponential over cuts"
    theorem: ClassVar[str] = "rule learner, Theorem 5"

    def menu(self, data: list[Tally]) -> Menu:
        tables = [
            DirectedRuns(number, above, *_runs(tally, size, above, direction))
            for number, (tally, (size, direction)) in enumerate(zip(data, self.columns, strict=True))
            for above in ((True, False) if direction == "either" else (direction == "above",))
        ]
        starts, lengths, errors = (
            np.concatenate(columns) for columns in zip(*((t.starts, t.lengths, t.errors) for t in tables), strict=True)
        )
        table_of = np.repeat(np.arange(len(tables)), [len(table.starts) for table in tables])
        rate = self.cost.epsilon / 2
        most = errors[lengths > 0].min() + reach(int(lengths.sum()).bit_length(), rate)
        near = (lengths > 0) & (errors <= most)
        order = near_first(near)

        def menu_of(groups: NDArray[np.intp]) -> Menu:
            return Weights(-errors[groups], rate, lengths[groups]), outcome

        def outcome(group: int, member: int) -> tuple[int, int, bool]:
            table = tables[table_of[order[group]]]
            return table.column, int(starts[order[group]]) + member, table.above

        return short_list(menu_of(order[: int(near.sum())]), lambda: menu_of(order))


def _runs(tally: Tally, size: int, above: bool, direction: str) -> tuple[Integers, Integers, NDArray[np.int64]]:
    """Starts, lengths, and errors of the runs of cuts in one direction.

    If a column has both directions, only the first one has the rules "always" and "never".
    """
    starts, lengths, G = CutRuns.of(tally, size)
    if direction == "either" and not above:
        starts, lengths = starts.copy(), lengths.copy()
        starts[0] += 1
        lengths[0] -= 1
        lengths[-1] -= 1
    return starts, lengths, tally.zeros.sum() + G if above else tally.ones.sum() - G
