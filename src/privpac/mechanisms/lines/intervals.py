"""Private selection of an interval of a line: all intervals are candidates, but they are never listed.

proof: docs/proofs/interval_learner.md

Throughout this file
    d         the gain of an interval: its positive minus its negative records, so that it errs on (positives − d)
    t < t'    an interval as a pair of cuts: the values t … t' − 1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privpac.data.samples.sample import Tally
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.lines.cut_runs import CutRuns, gains, pair_at
from privpac.mechanisms.selection.exponential import Menu, Selection, reach, short_list
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class IntervalExponential(Selection):
    """An interval (t, t') of a line of ``size`` values, or None, with probability ∝ e^(−ε·errors/2); ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> records = Tally(np.array([20, 60, 90]), zeros=np.array([80, 0, 70]), ones=np.array([0, 99, 1]))
    >>> t, stop = IntervalExponential(Budget(2), 100).release(records, SYSTEM)
    >>> 20 < t <= 60 < stop <= 90
    True
    """

    cost: Budget
    size: int
    name: ClassVar[str] = "exponential over intervals"
    theorem: ClassVar[str] = "interval learner, Theorem 1"

    def menu(self, data: Tally) -> Menu:
        cuts, rate = CutRuns.of(data, self.size), self.cost.epsilon / 2
        floor = max(cuts.best - reach(2 * self.size.bit_length(), rate), cuts.worst)

        def menu_of(least: int) -> Menu:
            intervals = gains(cuts, least)
            intervals[0] += least <= 0  # the empty interval
            d, counts = zip(*sorted((+intervals).items(), reverse=True), strict=True)  # + leaves zeros out

            def outcome(group: int, member: int) -> tuple[int, int] | None:
                if d[group] == 0:
                    return pair_at(cuts, 0, member - 1) if member else None
                return pair_at(cuts, d[group], member)

            return Weights(np.array(d) - data.ones.sum(), rate, np.array(counts, dtype=object)), outcome

        near = menu_of(floor)
        return near if floor == cuts.worst else short_list(near, lambda: menu_of(cuts.worst))
