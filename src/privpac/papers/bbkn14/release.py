"""[BBKN14, §7]: a synthetic database that answers all queries of a class [BLR08], and how large the true one must be.

Throughout this file
    X         the domain {1, …, T}                  C         the queries: subsets of X
    m, D      the number of records, the database   m̂, D̂      the same for the synthetic database
    Q_c(D)    the share of the records in c         err(D̂)    max over c of |Q_c(D) − Q_c(D̂)|
    γ         the error of the net of all D̂: every D has some D̂ with err(D̂) ≤ γ
    K         the number of multisets D̂: C(T + m̂ − 1, m̂)

A release D̂ is useful if err(D̂) < α. A mechanism is (α, β)-useful if on every D, its release is useful with probability
at least 1 − β.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import ceil, comb, floor, log, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.matrices import check_matrix_size
from privpac.data.values.equal_values import hashables
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.selection.exponential import Outcome, Selection
from privpac.papers.bbkn14.occam import goal_fractions, store_goal_as_fractions
from privpac.privacy.bisection import smallest
from privpac.privacy.budget import Budget, Number, as_count
from privpac.refusals.option_words import PaperConstants, one_of

Database = tuple[Hashable, ...]
Net = Callable[[int, int], Fraction]  # (|X|, m̂) → γ
FINENESS = 10**6  # γ of any list is rounded up to a multiple of 1/FINENESS


@dataclass(frozen=True)
class NetMechanism(Selection):
    """Release D̂ with probability ∝ e^(−εm·err(D̂)/2), over all multisets of m̂ points.

    Privacy   ε, for all inputs: bbkn14, Theorem 23
    Utility   (α, β)-useful with :func:`sufficient_records`: bbkn14, Theorem 24
    Time      O(K·|C|), and as much memory: it lists all D̂

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.finite.explicit import explicit
    >>> net = NetMechanism(explicit(Thresholds(1, 4, direction="below")), 2, Budget(1))
    >>> law = net.law((1,) * 10 + (4,) * 10)
    >>> max(law, key=law.get), round(float(law[1, 4]), 3)
    ((1, 4), 0.943)
    """

    queries: ExplicitClass
    size: int  # m̂
    cost: Budget
    name: ClassVar[str] = "net mechanism"
    theorem: ClassVar[str] = "bbkn14, Theorem 23"

    def __post_init__(self) -> None:
        as_count(self.size, "size")
        if not (self.queries.size and self.points):
            raise ValueError("there must be at least one query and one point")
        check_matrix_size(comb(len(self.points) + self.size - 1, self.size), self.queries.size)

    @property
    def points(self) -> tuple[Hashable, ...]:
        return self.queries.all_points

    def check(self, data: Sequence[Any]) -> Database:
        self.queries.domain.points(list(data))
        return tuple(hashables(list(data), "records"))

    def menu(self, data: Database) -> tuple[Weights, Outcome]:
        errors = self._scaled_errors(data, self._answers)
        # One record changes each of these integers by at most m̂, so it changes errors/m̂ by at most 1.
        return Weights(-errors, self.cost.epsilon / (2 * self.size)), lambda group, _: self.releases[group]

    @cached_property
    def releases(self) -> list[Database]:
        """All D̂. They are public: they depend on no record."""
        return list(combinations_with_replacement(self.points, self.size))

    def error(self, data: Database, release: Database) -> Fraction:
        """The error err(D̂) of one release.

        >>> from privpac.classes.finite.explicit import ExplicitClass
        >>> NetMechanism(ExplicitClass([[1, 0], [0, 1]], points="ab"), 1, Budget(1)).error(tuple("aab"), ("a",))
        Fraction(1, 3)
        """
        return Fraction(int(self._scaled_errors(data, self._counts(release)[None])[0]), max(len(data), 1) * self.size)

    @cached_property
    def _membership(self) -> NDArray[np.int64]:
        """1 where a point (row) lies in a query (column), else 0."""
        return self.queries.matrix_on(self.points).T.astype(np.int64)

    @cached_property
    def _answers(self) -> NDArray[np.int64]:
        """How many records of each D̂ (row) lie in each query (column)."""
        records = np.array(list(combinations_with_replacement(range(len(self.points)), self.size))).T
        return np.asarray(sum((self._membership[points] for points in records), np.zeros((), dtype=np.int64)))

    def _counts(self, database: Database) -> NDArray[np.int64]:
        """How many records of one database lie in each query."""
        multiplicity = Counter(database)
        return np.asarray(np.array([multiplicity[x] for x in self.points], dtype=np.int64) @ self._membership)

    def _scaled_errors(self, data: Database, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """m·m̂·err(D̂), an integer, for each D̂ with a row of ``counts``: how many of its records lie in each query."""
        return np.asarray(np.abs(self.size * self._counts(data) - len(data) * counts).max(axis=1))


def point_net(T: int, size: int) -> Fraction:
    """The exact γ of the net of all D̂ of m̂ = ``size`` points, for POINT on T points: (1 − 1/T)/m̂.

    >>> point_net(4, 2)
    Fraction(3, 8)
    """
    return Fraction(T - 1, T * size)


def interval_net(T: int, size: int) -> Fraction:
    """The exact γ of the net of all D̂ of m̂ = ``size`` points, for INTERVAL on T ≥ 2 points: 1/(2m̂).

    >>> interval_net(4, 2)
    Fraction(1, 4)
    """
    return Fraction(1, 2 * size) if T > 1 else Fraction(0)


def net_fineness(queries: ExplicitClass) -> Net:
    """A bound on γ for these queries: as for points if they are disjoint, as for intervals if nested, else by sampling.

    >>> lists = [[0, 1], [1, 0]], [[0, 1], [1, 1]], [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> [float(net_fineness(ExplicitClass(queries))(2, 50)) for queries in lists]
    [0.01, 0.01, 0.144203]
    """
    contains = queries.matrix_on(queries.all_points)
    if (contains.sum(axis=0) <= 1).all():
        cells = int(contains.any(axis=1).sum()) + int((contains.sum(axis=0) == 0).any())
        return lambda _, size: point_net(max(cells, 1), size)
    chain = contains[np.argsort(contains.sum(axis=1), kind="stable")]
    if (chain[:-1] <= chain[1:]).all():
        return interval_net
    return lambda _, size: _sampling_fineness(len(contains), size)


def _sampling_fineness(count: int, size: int) -> Fraction:
    """γ of |C| = ``count`` queries by sampling: the least multiple of 1/FINENESS with 2·|C|·e^(−2·m̂·γ²) < 1 [Hoe63]."""
    γ = sqrt(log(2 * count) / (2 * size))
    return Fraction(ceil(γ * FINENESS * (1 + 1e-12)), FINENESS)  # the factor covers the rounding of floats


def sufficient_records(net: Net, T: int, *, alpha: Number, beta: Number, epsilon: Number) -> tuple[int, int]:
    """(m̂, m): the m̂ with the least m, the number of records that are enough: 2·ln((K − 1)(1 − β)/β)/(ε(α − γ)).

    ``net`` is γ as a function of T and m̂.

    >>> sufficient_records(interval_net, 2**16, alpha=0.1, beta=0.05, epsilon=1)
    (11, 3940)
    """
    α, β, ε = goal_fractions(alpha, beta, epsilon)

    def records(size: int) -> int:
        others, margin = comb(T + size - 1, size) - 1, float(ε * (α - net(T, size)))  # K − 1 other databases
        return ceil(2 * (log(others) + log(1 / β - 1)) / margin * (1 + 1e-12)) if others else 1

    first = smallest(lambda size: net(T, size) < α)
    best = min(range(first, 4 * first + 4), key=records)  # a larger m̂ helps only if T is tiny
    return best, max(records(best), 1)


@dataclass(frozen=True)
class NetRelease(Algorithm):
    """A synthetic database that answers all queries up to α, except with probability β, from N or more records.

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
        store_goal_as_fractions(self)
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
        return NetMechanism(self.queries, self.size, self.cost)

    def check(self, data: Any) -> Database:
        return self.mechanism.check(data)

    def run(self, data: Database, ask: Ask) -> Any:
        return ask(self.mechanism, data)


def printed_order(log_size: float, vc: int, *, alpha: float, beta: float, epsilon: float) -> float:
    """ln|X|·VC·ln(1/α)/(α³ε) + ln(1/β)/(εα): the paper's O(·) with constants set to 1. It guarantees nothing.

    >>> round(printed_order(log(2**16), 1, alpha=0.1, beta=0.05, epsilon=1))
    25566
    """
    return log_size * vc * log(1 / alpha) / (alpha**3 * epsilon) + log(1 / beta) / (epsilon * alpha)


def necessary_records(
    T: int, *, alpha: Number, beta: Number, epsilon: Number, constants: PaperConstants = "printed"
) -> int | None:
    """A lower bound on m: with fewer records, no pure ε mechanism is (α, β)-useful for POINT on T points.

    For each point i ≠ 1, consider the database in which a share f of the records is i, and the others are 1. No release
    is useful for two of these T − 1 databases, so (T − 1)·e^(−ε⌈fm⌉)·(1 − β) ≤ β. The paper's proof takes f = 3α,
    "tight" takes f = 2α. None if f > 1 or T = 1, where the proof says nothing.

    >>> goal = {"alpha": 0.1, "beta": 0.05, "epsilon": 1}
    >>> necessary_records(2**64, **goal), necessary_records(2**64, **goal, constants="tight")
    (157, 236)
    """
    one_of("constants", constants, PaperConstants)
    α, β, ε = goal_fractions(alpha, beta, epsilon)
    f = (3 if constants == "printed" else 2) * α
    if f > 1 or T < 2:  # E-BBKN14-18
        return None
    needed = (log(T - 1) + log(1 / β - 1)) / float(ε)  # not positive if β is near 1: E-BBKN14-21
    distance = ceil(needed * (1 - 1e-12))  # the least possible ⌈fm⌉; rounding must not make a lower bound too large
    return floor((distance - 1) / f) + 1 if distance > 0 else 1


def database_needs(T: int, *, alpha: Number, beta: Number, epsilon: Number) -> float:
    """A lower bound on m for synthetic databases and POINT: ln((T − 1)/(s/(1 − β) − 1))/ε, s = ⌈1/(1 − α)⌉ − 1.

    >>> [round(database_needs(2**64, alpha=α, beta=0.05, epsilon=1), 1) for α in ("0.1", "0.9", "0.99")]
    [47.3, 42.2, 39.7]
    """
    α, β, ε = goal_fractions(alpha, beta, epsilon)
    s = ceil(1 / (1 - α)) - 1  # E-BBKN14-22: for an α near 1 as well
    return (log(T - 1) - log(s / (1 - β) - 1)) / float(ε)
