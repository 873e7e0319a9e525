"""[GGKM21, §6.2, App. C]: a release that answers every query of a class, from a game between two players.

[GGKM21] [BLM20]  docs/references.bib      corrections: docs/errata/GGKM21.md      proof: docs/proofs/ggkm21_proper.md

Throughout this file
    Z        the possible records, listed; for labeled points, Z = X × {0, 1}
    Q, q     the queries, sets of records; q(S) is the share of the n records S that lie in q, and q(p) the probability
             of q under p. For a class F and labeled points, q_f(x, y) = [f(x) ≠ y]
    p_t      the generator's distribution on Z in round t        T    the number of rounds, public
    (q, s)   the discriminator's answer: a query whose probability under p_t is too large (s = 1) or too small (s = −1)
    L(z)     the generator's loss at z so far: in how many rounds z lay in q with s = 1, or outside of q with s = −1
    ε₀       what each answer costs                              b    p_t ∝ b^L, 0 < b < 1; η = −ln b

The generator is Hedge. The discriminator is the exponential mechanism, which sees the records. p_t depends on earlier
answers alone, through integers, so a record can influence nothing else.

The paper's generator is not constructive. By a minimax theorem of [BLM20], some generator needs only T =
O(d*·ln(d*/α)/α²) rounds, where d* is the dual Littlestone dimension, even if Z cannot be listed (``rounds_by_dual``).
Here Z is listed, and T is about ln|Z|/(2α²). This is a demonstration: no learner and no release of the library uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, comb, exp, log, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, explicit
from privpac.classes.matrices import check_matrix_size
from privpac.data.values.equal_values import hashables
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.occam import store_goal_as_fractions
from privpac.privacy.accounting.composition import per_use
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.bisection import smallest
from privpac.privacy.budget import Budget, as_count

Play = tuple[int, int]  # a query, by its row, and s

WEIGHT_BITS, BASE_BITS, MOST_RECORDS = 40, 16, 2**20  # 2^40·|Z| fits into 64 bits, and so does every sum
SHARES = tuple(Fraction(i, 16) for i in range(2, 15))  # shares of α for the generator; the discriminator has the rest


def error_queries(concept_class: ClassOrMatrix) -> ExplicitClass:
    """For every concept f the query "is f wrong about (x, y)?", on records (x, y) [GGKM21, Def. 2.3].

    >>> Q = error_queries(ExplicitClass([[0, 1]], points="ab"))
    >>> Q.all_points, Q.matrix_on(Q.all_points).tolist()
    ((('a', False), ('a', True), ('b', False), ('b', True)), [[False, True, True, False]])
    """
    F = explicit(concept_class)
    if not F.size:
        raise ValueError("a class without concepts asks no query; give at least one concept")
    check_matrix_size(F.size, 2 * len(F.all_points))
    labels = F.matrix_on(F.all_points)
    wrong = np.stack([labels, ~labels], axis=2).reshape(len(labels), -1)  # for y = 0, 1; E-GGKM21-14: f(x) ≠ y
    return ExplicitClass(wrong, points=[(x, y) for x in F.all_points for y in (False, True)], concepts=F.concepts)


@dataclass(frozen=True)
class Synthetic:
    """The released answers, and two values computed from them and from public numbers."""

    plays: tuple[Play, ...]
    shares: tuple[float, ...]  # the average of p_1, …, p_T, on the points of the queries
    regret: float  # the generator's average loss in a round, minus that of the best fixed distribution

    def estimates(self, queries: ExplicitClass) -> dict[Hashable, float]:
        """Est, the answer to each query: its probability under the synthetic distribution."""
        answers = queries.matrix_on(queries.points) @ np.array(self.shares)
        return dict(zip(queries.concepts, answers.tolist(), strict=True))


@dataclass(frozen=True)
class FoolingGame(Algorithm):
    """T rounds of Hedge against the exponential mechanism over Q × ±.

    ``queries`` is a class whose points are the records; :func:`error_queries` makes one for labeled points. ``rounds``
    is T; by default, the T that asks for the fewest records.

    Privacy   (ε, δ) for all inputs: ggkm21 proper, Theorem 4
    Utility   all queries within α with probability 1 − β from N records on, whatever they are: Theorem 5

    >>> Q = error_queries(ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 1, 1]], points="abc"))
    >>> game = FoolingGame(Q, Budget(1, 1e-6), 0.25, 0.05)
    >>> game.T, game.N
    (46, 2407)
    """

    queries: ExplicitClass
    cost: Budget
    alpha: Fraction
    beta: Fraction = Fraction(1, 20)
    rounds: int | None = None
    name: ClassVar[str] = "fooling game"
    theorem: ClassVar[str] = "ggkm21 proper, Theorem 4"

    def __post_init__(self) -> None:
        if not isinstance(self.queries, ExplicitClass) or not self.queries.size:
            raise ValueError("queries must be an explicit class with at least one concept: list what a record can be")
        if len(self.queries.points) > MOST_RECORDS:
            raise ValueError(f"the generator weighs every possible record: list at most {MOST_RECORDS} of them")
        store_goal_as_fractions(self)
        if self.rounds is not None:
            as_count(self.rounds, "rounds")

    @property
    def size(self) -> int:
        """|Z|, where records that no query tells apart count once."""
        return len(self.queries.points)

    def _records_and_rounds(self, share: Fraction) -> tuple[int, int]:
        """(n, T) if the generator may use this share of α."""
        T = max(1, ceil(log(self.size) / (2 * float(share * self.alpha) ** 2)))
        ε0 = max(sqrt(8 * self._rho / T), float(self.cost.epsilon) / T)  # close enough to round_cost for choosing T
        return ceil(self._slack(T, ε0) / float((1 - share) * self.alpha)), T

    def _slack(self, T: int, ε0: float) -> float:
        """With probability 1 − β, no answer of the discriminator scores this many records less than the best one.

        One of these records is for rounding: n·q(p_t) is rounded twice, each time by at most ½.
        """
        return 2 * log(2 * self.queries.size * T / float(self.beta)) / ε0 + 1

    @cached_property
    def _rho(self) -> float:
        return float(Concentrated.within(self.cost).rho) if self.cost.delta else 0.0

    @cached_property
    def round_cost(self) -> Budget:
        """ε₀, the largest for which T answers stay within the cost: about ε/T or, by zCDP, √(8ρ/T) if that is more."""
        return per_use(self.cost, self.T, bounded_range=True)

    @cached_property
    def T(self) -> int:  # noqa: N802  (the paper's letter)
        """The number of rounds: ``rounds``, or else the number that needs the fewest records."""
        return self.rounds if self.rounds is not None else min(map(self._records_and_rounds, SHARES))[1]

    @property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        """How many records are enough; None if T rounds are too few for α."""
        spare = float(self.alpha) - self.hedge_regret
        return ceil(self._slack(self.T, float(self.round_cost.epsilon)) / spare) if spare > 0 else None

    @cached_property
    def base(self) -> int:
        """b·2^16, b near e^(−η) for η = √(8·ln|Z|/T): a public number that need not be exact."""
        η = sqrt(8 * log(max(self.size, 2)) / self.T)
        nearest: int = round(exp(-η) * 2**BASE_BITS)
        return min(max(nearest, 1), (1 << BASE_BITS) - 1)

    @property
    def hedge_regret(self) -> float:
        """An upper bound on the regret: η/8 + ln|Z|/(ηT) for η = −ln b, and what rounding the weights down adds."""
        η: float = -log(self.base / 2**BASE_BITS)
        return η / 8 + log(self.size) / (η * self.T) + float(self.size) / 2.0**WEIGHT_BITS

    @cached_property
    def _powers(self) -> NDArray[np.int64]:
        """b^0, b^1, …, b^T, in units of 2^−40, rounded down; from the first 0 on, all are 0."""
        powers = np.zeros(self.T + 1, dtype=np.int64)
        for k in range(self.T + 1):
            powers[k] = (self.base**k << WEIGHT_BITS) >> (BASE_BITS * k)
            if not powers[k]:
                break
        return powers

    def weights(self, losses: NDArray[np.int64]) -> NDArray[np.int64]:
        """p_t up to a factor, as integers: a function of earlier answers alone."""
        return np.asarray(self._powers[losses - losses.min()])

    def check(self, data: Sequence[Any]) -> NDArray[np.int64]:
        """How many records there are of each kind; a kind is a record of Z, or several that no query tells apart."""
        Q, records = self.queries, hashables(list(data), "records")
        Q.domain.points(records)
        counts = Counter(Q.columns(records).tolist())
        return np.array([counts[z] for z in range(self.size)], dtype=np.int64)

    def run(self, counts: NDArray[np.int64], ask: Ask) -> Synthetic:
        """The game; ``counts`` has the number of records of each kind."""
        q, n = self.queries.matrix.astype(np.int64), int(counts.sum())
        true, discriminator = q @ counts, Exponential(self.round_cost)
        losses = np.zeros(self.size, dtype=np.int64)
        plays: list[Play] = []
        shares, regret = np.zeros(self.size), 0.0
        for _ in range(self.T):
            p = self.weights(losses)
            synthetic = self.whole_counts(q @ p, int(p.sum()), n)
            scores = np.concatenate([synthetic - true, true - synthetic])  # E-GGKM21-16: F and its negation
            play = ask(discriminator, scores)
            row, s = (play, 1) if play < len(q) else (play - len(q), -1)
            loss = q[row] if s == 1 else 1 - q[row]
            losses += loss
            plays.append((int(row), s))
            shares += p / p.sum()
            regret += float(loss @ p) / float(p.sum())
        return Synthetic(tuple(plays), tuple((shares / self.T).tolist()), (regret - int(losses.min())) / self.T)

    @staticmethod
    def whole_counts(inside: NDArray[np.int64], total: int, n: int) -> NDArray[np.int64]:
        """n·inside/total, to the nearest integer: n·q(p_t) in whole records, so that scores are integers."""
        return np.array([(2 * n * int(weight) + total) // (2 * total) for weight in inside], dtype=np.int64)

    def error_bound(self, released: Synthetic, n: int) -> float:
        """A bound on the error of all estimates that holds with probability 1 − β, from the generator's actual regret.

        It uses only what was released. It is never larger than α if n ≥ N.
        """
        return released.regret + self._slack(self.T, float(self.round_cost.epsilon)) / as_count(n, "n")


def rounds_by_dual(dual: int, alpha: float) -> int:
    """The least T with ln C(T, ≤ d*) ≤ 2α²T, where C(T, ≤ d) = C(T, 0) + … + C(T, d).

    By [BLM20], some generator needs no more rounds, but none is known. Next to the rounds of Hedge, ln|Z|/(2α²):

    >>> [(ceil(log(2**bits) / 0.02), rounds_by_dual(dual, 0.1)) for bits, dual in ((64, 1), (16, 16))]
    [(2219, 283), (555, 5331)]
    """
    return smallest(lambda T: log(sum(comb(T, i) for i in range(dual + 1))) <= 2 * alpha**2 * T, above=2 * dual)


def labeled_dual(dual: int) -> int:
    """2d* + 1, an upper bound on the dual Littlestone dimension of the :func:`error_queries` of a class.

    >>> labeled_dual(0)
    1
    """
    return 2 * dual + 1  # E-GGKM21-15


def corollary_6_7(d: int, V: int, dual: int, *, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """Inequality (32) with its constant set to 1. ``dual`` is d* as printed; :func:`labeled_dual` is correct.

    >>> f"{corollary_6_7(16, 1, labeled_dual(16), alpha=0.1, beta=0.05, epsilon=1, delta=1e-6):.0e}"
    '8e+13'
    """
    logs = log(d * dual / (delta * alpha * beta)) ** 2 * log(dual / (alpha * delta))
    return d**5 * V * sqrt(dual) * logs / (alpha**3 * epsilon)


def appendix_c_epsilon(delta: float, factor: float = 1.0) -> float:
    """√(2T₀·ln(1/δ))·7τ₀ + 3T₀(7τ₀)² for τ₀ = factor/√(T₀·ln(1/δ)): the ε that App. C calls 1.

    >>> round(appendix_c_epsilon(1e-6), 1), round(appendix_c_epsilon(1e-6, 1 / 12), 2)
    (20.5, 0.9)
    """
    return 7 * sqrt(2) * factor + 147 * factor**2 / log(1 / delta)  # E-GGKM21-17
