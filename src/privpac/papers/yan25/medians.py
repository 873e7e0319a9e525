"""PrivateMedian [Yan25, Thm 9]: the private medians that OPTPrivateLearner can use.

Throughout this file
    n, m    how many numbers there are, and how many around the middle one are used
    t       the number of depths whose median a learner asks for
    nats    ln(1/β), rounded up
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.quantiles.median import interior_size
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic, QuantileExponential
from privpac.papers.yan25.recprefix import RecPrefix, nats
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism

Median = Callable[[Budget, Line, Fraction], Mechanism]  # (cost, line of depths, β) → the median of t depths


@dataclass(frozen=True)
class Middle(Algorithm):
    """A median from an interior point of the m middle numbers [Yan25, footnote 3].

    >>> Middle(RecPrefix(Budget(1, 1e-6), Line(0, 9)), 41).rank_error(100, Fraction(1, 1000))
    21
    """

    interior: RecPrefix
    m: int
    theorem: ClassVar[str] = "yan25, Lemma 2"

    @property
    def name(self) -> str:
        return f"{self.interior.name} of the middle"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.interior.cost

    def run(self, data: Sequence[int], ask: Ask) -> Any:
        m, n = min(self.m, len(data)), len(data)
        start = (n + 1) // 2 - (m + 1) // 2
        return ask(self.interior, sorted(data)[start : start + m])

    def rank_error(self, n: int, beta: Fraction) -> int | None:
        """How many ranks from the middle the result may lie, except with probability β: m/2, rounded up.

        None if m numbers are too few for an interior point, or if m is more than n.
        """
        enough = self.interior.least_n <= self.m <= n and self.interior.nats >= nats(beta)
        return (self.m + 1) // 2 if enough else None


def _dyadic(cost: Budget, line: Line, beta: Fraction) -> QuantileDyadic:
    m = interior_size(line.size, epsilon=cost.epsilon, delta=cost.delta, beta=beta, method="dyadic")
    return QuantileDyadic(cost, line, window=m + 1 - m % 2)  # an odd number has a middle


def _recursive(cost: Budget, line: Line, beta: Fraction) -> Middle:
    interior = RecPrefix(cost, line, nats(beta))
    return Middle(interior, interior.least_n)


MEDIANS: dict[str, Median] = {
    "exponential": lambda cost, line, beta: QuantileExponential(Budget(cost.epsilon), line),
    "dyadic": _dyadic,
    "recprefix": _recursive,
}
