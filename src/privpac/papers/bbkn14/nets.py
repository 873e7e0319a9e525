"""[BBKN14, Thm 7.1] for every list of queries: how fine small databases are, and the release that the theorem promises.

[BLR08] [BBKN14] [Hoe63]  docs/references.bib      corrections: docs/errata/BBKN14.md      proof: docs/proofs/bbkn14.md

Throughout this file
    C, X      the listed queries, subsets of X          m, D    records of the database
    m̂, D̂      records of the synthetic one              γ       every D has some D̂ that answers all queries up to γ
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log, sqrt
from typing import Any, ClassVar

import numpy as np

from privpac.classes.finite.explicit import ExplicitClass
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.papers.bbkn14.occam import fix_goal, goal_fractions
from privpac.papers.bbkn14.release import Database, NetMechanism, interval_net, point_net, sufficient_records
from privpac.privacy.budget import Budget, Number

Net = Callable[[int, int], Fraction]
FINENESS = 10**6  # γ of any list is rounded up to a multiple of 1/FINENESS


def net_fineness(queries: ExplicitClass) -> Net:
    """γ, given |X| and m̂: that of points for disjoint queries, of intervals for nested ones, else by sampling.

    >>> lists = [[0, 1], [1, 0]], [[0, 1], [1, 1]], [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> [float(net_fineness(ExplicitClass(each))(2, 50)) for each in lists]
    [0.01, 0.01, 0.144203]
    """
    holds = queries.matrix_on(queries.all_points)
    if (holds.sum(axis=0) <= 1).all():
        cells = int(holds.any(axis=1).sum()) + int((holds.sum(axis=0) == 0).any())
        return lambda _, size: point_net(max(cells, 1), size)
    chain = holds[np.argsort(holds.sum(axis=1), kind="stable")]
    if (chain[:-1] <= chain[1:]).all():
        return interval_net
    return lambda _, size: _sampled(len(holds), size)


def _sampled(count: int, size: int) -> Fraction:
    """The least multiple of 1/FINENESS with 2·|C|·e^(−2·m̂·γ²) < 1."""
    return Fraction(ceil(sqrt(log(2 * count) / (2 * size)) * FINENESS * (1 + 1e-12)), FINENESS)


@dataclass(frozen=True)
class NetRelease(Algorithm):
    """A synthetic database that answers all queries up to α, except with probability β, from N records on.

    Privacy   ε, for all inputs: bbkn14, Theorem 23
    Utility   (α, β)-useful for N records or more: bbkn14, Theorems 24 and 33
    Time      it lists all databases of m̂ records: toy sizes

    >>> from privpac.classes.finite.explicit import explicit
    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> release = NetRelease(explicit(Thresholds(1, 4, direction="below")), Budget(1), Fraction(1, 4))
    >>> release.size, release.N
    (8, 86)
    """

    queries: ExplicitClass
    cost: Budget
    alpha: Fraction
    beta: Fraction = Fraction(1, 20)
    name: ClassVar[str] = "synthetic database"
    theorem: ClassVar[str] = "bbkn14, Theorem 23"

    def __post_init__(self) -> None:
        fix_goal(self)
        _ = self.mechanism  # a list that is too long is refused here

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        goal = {"alpha": self.alpha, "beta": self.beta, "epsilon": self.cost.epsilon}
        return sufficient_records(net_fineness(self.queries), len(self.queries.all_points), **goal)

    @property
    def size(self) -> int:
        """The number of synthetic records: m̂."""
        return self._sizes[0]

    @property
    def N(self) -> int:  # noqa: N802  (as in the papers)
        return self._sizes[1]

    @cached_property
    def mechanism(self) -> NetMechanism:
        """The exponential mechanism over all databases of m̂ records."""
        return NetMechanism(self.queries, self.size, self.cost)

    def check(self, data: Any) -> Database:
        return self.mechanism.check(data)

    def run(self, data: Database, ask: Ask) -> Database:
        """The synthetic database: D̂."""
        released: Database = ask(self.mechanism, data)
        return released


def database_needs(T: int, *, alpha: Number, beta: Number, epsilon: Number) -> float:
    """ln((T − 1)/(s/(1 − β) − 1))/ε, s = ⌈1/(1 − α)⌉ − 1: fewer records do not do for POINT, if a database is released.

    >>> [round(database_needs(2**64, alpha=α, beta=0.05, epsilon=1), 1) for α in ("0.1", "0.9", "0.99")]
    [47.3, 42.2, 39.7]
    """
    α, β, ε = goal_fractions(alpha, beta, epsilon)
    most = ceil(1 / (1 - α)) - 1  # E-BBKN14-22: for an α near 1 as well
    return (log(T - 1) - log(most / (1 - β) - 1)) / float(ε)
