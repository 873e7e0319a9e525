"""[BBKN14, §3]: points, learned properly with pure ε from O(d) examples, by the method of [KLNRS11].

Throughout this file
    T        how many points there are; they are 0 … T − 1, in the paper 1 … T with T = 2^d
    c_j      the concept that is 1 at j and nowhere else         D    the sample, examples (x, y)
    q(c_j)   minus the number of examples that c_j gets wrong; q_D for every j that occurs in no example
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, floor, inf, log
from typing import Any, ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.points import OneOf, Points
from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import Ask, Uniform
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.occam import comparison_size, goal_fractions, store_goal_as_fractions, theorem_3_2
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.bisection import smallest_between
from privpac.privacy.budget import Budget, as_count
from privpac.refusals.option_words import PaperConstants, one_of

STAR = None  # an entry that holds no example
TableEntry = tuple[int, bool] | None


class OnPoints(PaperLearner):
    """What learners of points share: the domain 0 … T − 1, and ⋆ among the entries."""

    T: int
    constants: PaperConstants

    @property
    @abstractmethod
    def N(self) -> int: ...  # noqa: N802  (the paper's letter)

    @cached_property
    def domain(self) -> Line:
        return Line(0, self.T - 1)

    def learns(self, H: ConceptClass) -> bool:
        return type(H) is Points and H.domain_size == self.T

    def check(self, data: Sequence[Any]) -> Any:
        """The entries, with points as integers; unchanged if they have this form already."""
        entries = tuple(data)
        if _have_integer_points(entries, self.T):
            return entries
        examples = super().check([z for z in entries if z is not STAR])
        points = self.domain.encode([x for x, _ in examples]).tolist()
        plain = iter(zip(points, (y for _, y in examples), strict=True))
        return tuple(STAR if z is STAR else next(plain) for z in entries)

    def __post_init__(self) -> None:
        as_count(self.T, "T")
        one_of("constants", self.constants, PaperConstants)


def _have_integer_points(entries: tuple[Any, ...], T: int) -> bool:
    """Whether each entry is ⋆, or (x, y) with x an integer of 0 … T − 1 and y a bool."""
    return all(
        z is STAR or (type(z) is tuple and len(z) == 2 and type(z[0]) is int and 0 <= z[0] < T and type(z[1]) is bool)
        for z in entries
    )


@dataclass(frozen=True)
class ProperPoints(OnPoints):
    """c_j with probability ∝ e^(−ε·errors(c_j)/2), by its two sampling steps [BBKN14, Lemma 3.4].

    Privacy   ε, for all inputs: bbkn14, Theorem 1
    Utility   realizable; "printed" is O((d + ln(1/β))/(εα)) with constant 1, which guarantees nothing: Theorem 2

    >>> learner = ProperPoints(2**64, Budget(1), Fraction(1, 10), Fraction(1, 20), "tight")
    >>> learner.N, str(learner.learn([7] * 480 + [3] * 700, [1] * 480 + [0] * 700))
    (1180, 'x = 7')
    """

    T: int
    cost: Budget
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "printed"
    name: ClassVar[str] = "exponential over points, by sampling"
    theorem: ClassVar[str] = "bbkn14, Theorem 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "T", as_count(self.T, "T"))
        store_goal_as_fractions(self)

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """The least N with T·(1 − α(1 − 1/r))^N ≤ β, r = e^(ε/2)."""
        ε, α, β = float(self.cost.epsilon), float(self.alpha), float(self.beta)
        if self.constants == "printed":
            return ceil(theorem_3_2(log(self.T), α, β, ε))
        return comparison_size(self.T, 0, α, β, ε)

    def stays_in(self, H: ConceptClass) -> bool:
        return self.learns(H)

    def run(self, D: Sequence[Any], ask: Ask) -> Hypothesis:
        examples = [z for z in D if z is not STAR]
        ones, zeros = Counter(x for x, y in examples if y), Counter(x for x, y in examples if not y)
        seen, q_D = sorted(ones.keys() | zeros.keys()), -sum(ones.values())
        q = [q_D + ones[j] - zeros[j] for j in seen]
        others = self.T - len(seen)  # E-BBKN14-1
        counts = [1] * len(seen) + [others] * (others > 0)
        j = ask(Exponential(self.cost, counts), [*q, q_D][: len(counts)])
        return OneOf(frozenset([seen[j] if j < len(seen) else unseen(seen, ask(Uniform(others), None))]))


def unseen(seen: Sequence[int], index: int) -> int:
    """The number with this index among those that are not ``seen``, which are in order.

    >>> [unseen([1, 2, 5], i) for i in range(4)]
    [0, 3, 4, 6]
    """
    for j in seen:
        index += j <= index
    return index


def lemma_3_9(T: int, alpha: float, beta: float, epsilon: float) -> int:
    """The least number of examples that is not excluded for proper, pure learners of T > 2 points [BBKN14, Lemma 3.9].

    It is one more than the last m with (T − 2)·e^(−4εαm)·(1 − Γ) > Γ = β + e^(−αm/3): the proof excludes these m.

    >>> lemma_3_9(2**64, 0.1, 0.05, 1.0)
    118
    """
    goal_fractions(alpha, beta, epsilon)
    if T <= 2:
        raise ValueError("T must be at least 3")
    last = floor((log(T - 2) + log(1 / beta - 1)) / (4 * epsilon * alpha)) + 1

    def log_ratio(m: int) -> float:  # of the left side to the right side: concave in m; E-BBKN14-13
        Γ = beta + exp(-alpha * m / 3)
        return log(T - 2) - 4 * epsilon * alpha * m + log(1 / Γ - 1) if Γ < 1 else -inf

    def falls(m: int) -> bool:
        """Whether the ratio does not grow any more from m on: its slope is not positive."""
        w = exp(-alpha * m / 3)
        return beta + w < 1 and w / 3 * (1 / (1 - beta - w) + 1 / (beta + w)) <= 4 * epsilon

    peak = smallest_between(falls, 0, last)
    first = smallest_between(lambda m: log_ratio(m) <= 0, peak - 1, last)
    # If the ratio is nowhere above 1, no number of examples is excluded.
    return first if first > 1 and log_ratio(first - 1) > 0 else 1
