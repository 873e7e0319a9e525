"""[BBKN14, Obs. 2.7]: a fast, private, improper learner of formulas in k-term DNF. Its hypotheses are k-CNF.

By the distributive law, a disjunction of k conjunctions of literals is a conjunction of clauses of at most k literals.
No positive example violates any of these clauses. There are polynomially many clauses, and a noisy count of violations
decides which ones to keep. Unless RP = NP, no fast learner returns k-term DNF itself. The observation names the method
and prints no number.

Throughout this file
    v      the number of variables; an example is a vector of v bits and a label
    k      the number of terms        M      the number of clauses with 1 to k literals of different variables
    A      how many clauses one vector violates: one for each choice of 1 to k variables
    Z      the noise of a count, which costs ε/(2A)      τ      a clause is kept if its noisy count is at most τ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, ClassVar

import numpy as np
from flint import ctx
from numpy.typing import NDArray
from scipy.special import bdtr

from privpac.classes.matrices import check_matrix_size
from privpac.data.domains.grid import Grid, integer_rows
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.laplace import DiscreteLaplace, laplace_tail
from privpac.papers.bbkn14.occam import store_goal_as_fractions
from privpac.papers.paper_learner import Examples, PaperLearner
from privpac.privacy.bisection import smallest
from privpac.privacy.budget import Budget, as_count
from privpac.privacy.rounding import PRECISION, ball

Clause = tuple[tuple[int, int], ...]  # literals (i, b): variable i is b


def clauses(v: int, k: int) -> tuple[Clause, ...]:
    """Every clause of 1 to k literals of different variables.

    >>> len(clauses(2, 1)), len(clauses(5, 2))
    (4, 50)
    """
    return tuple(
        tuple(zip(variables, signs, strict=True))
        for size in range(1, k + 1)
        for variables in combinations(range(v), size)
        for signs in product((0, 1), repeat=size)
    )


@dataclass(frozen=True)
class KCnf:
    """1 where every clause has a literal that holds.

    >>> KCnf((((0, 1), (1, 0)),))([(0, 0), (0, 1), (1, 1)])  # variable 0 is 1, or variable 1 is 0
    array([ True, False,  True])
    """

    clauses: tuple[Clause, ...]

    def __call__(self, X: Any) -> NDArray[np.bool_]:
        rows = np.asarray(X)
        return np.array([all(any(x[i] == b for i, b in clause) for clause in self.clauses) for x in rows], dtype=bool)


@dataclass(frozen=True)
class KCnfLearner(PaperLearner):
    """Keep the clauses that few positive examples violate, by one noisy count for each clause.

    Privacy   ε, for all inputs: bbkn14, Theorem 31
    Utility   error at most α with probability at least 1 − β from N or more examples, if a k-term DNF fits: Theorem 32
    Time      O(M·n), M = O((2v)^k)

    >>> KCnfLearner(3, 1, Budget(1), Fraction(1, 10), Fraction(1, 20)).N
    4864
    """

    v: int
    k: int
    cost: Budget
    alpha: Fraction
    beta: Fraction
    name: ClassVar[str] = "k-CNF from counts"
    theorem: ClassVar[str] = "bbkn14, Theorem 31"

    def __post_init__(self) -> None:
        as_count(self.v, "v")
        if as_count(self.k, "k") > self.v:
            raise ValueError("k must not exceed v: a clause has at most one literal of each variable")
        store_goal_as_fractions(self)
        check_matrix_size((2 * self.v) ** self.k, 1)

    @property
    def domain(self) -> Grid:
        return Grid(0, 1, self.v)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        return clauses(self.v, self.k)

    @property
    def count_cost(self) -> Budget:
        """The cost of the count of one clause: ε/(2A), because two records change at most 2A counts."""
        return Budget(self.cost.epsilon / (2 * sum(comb(self.v, size) for size in range(1, self.k + 1))))

    @cached_property
    def bar(self) -> int:
        """τ: the least for which M·Pr[Z > τ] ≤ β/2."""
        with ctx.workprec(PRECISION):
            failure = ball(self.beta / (2 * len(self.clauses)))
            return smallest(lambda τ: bool(laplace_tail(self.count_cost.epsilon, τ + 1) <= failure))

    @cached_property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """The least n with M·Pr[Bin(n, α/M) ≤ 2τ] ≤ β/2."""
        M, τ = len(self.clauses), self.bar
        return smallest(lambda n: n > 2 * τ and bool(M * bdtr(2 * τ, n, float(self.alpha) / M) <= float(self.beta) / 2))

    def run(self, S: Examples, ask: Ask) -> KCnf:
        positives = integer_rows([x for x, y in S if y] or np.empty((0, self.v), dtype=int), self.v)
        noisy_count = DiscreteLaplace(self.count_cost, 1, 0, len(S))
        kept = (clause for clause in self.clauses if ask(noisy_count, _violations(positives, clause)) <= self.bar)
        return KCnf(tuple(kept))


def _violations(positives: NDArray[Any], clause: Sequence[tuple[int, int]]) -> int:
    """How many vectors satisfy none of the literals."""
    return int(np.all([positives[:, i] != b for i, b in clause], axis=0).sum())
