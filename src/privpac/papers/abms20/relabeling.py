"""[ABMS20, §5]: relabel a sample by a pattern that fits it well, then learn from the relabeled sample.

Throughout this file
    S      labeled examples: D, on which patterns are scored, and T, which is only relabeled; in Algorithm 3, T is the
           public examples V followed by the private examples W
    P      the points of S            Π_H(P)    the patterns of H on P: the ways its concepts label P
    h      the pattern that is drawn  q         its score, the smaller the better: an integer of matched sensitivity 1
                                                [ABMS20, Def. 5.1], such as the number of its errors on D
    A      an (ε, δ)-private learner, ``inner``                                   r    e^(ε_R/2)
    ε_R    the parameter of the exponential mechanism that draws h; 1 in the paper
    S̃, Ṽ   S and V with the labels of h; in code, D_h, V_h, and W_h
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.data.domains.domain import Domain
from privpac.data.domains.named_columns import common
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Menu, Selection
from privpac.papers.abms20.pattern_rows import MOST_STEPS, has_rows, pattern_rows
from privpac.papers.abms20.patterns import Patterns, check_listed, pattern_count, too_many
from privpac.papers.abms20.scores import (
    CompletionErrors,
    Score,
    has_closed_form,
    pattern_errors,
    scored_patterns,
    signs,
)
from privpac.papers.paper_learner import Examples, PaperLearner, WrapperLearner
from privpac.privacy.budget import Budget, Number, as_count, as_rational
from privpac.privacy.rounding import PRECISION, ball, rounded_up
from privpac.refusals.option_words import PaperConstants, one_of
from privpac.refusals.refusal import InOtherWords

DIFFERENT_SAMPLES = (
    "the base learner and the class read different samples; give a learner whose domain is that of the class"
)


@dataclass(frozen=True)
class PatternDraw(Selection):
    """Draw the index i of a pattern with probability ∝ e^(−ε_R·q_i/2), given the scores q. Not private by itself.

    The number of patterns depends on the points, which are private. So a draw has no cost of its own, and a ledger
    does not accept it. An algorithm that draws a pattern and hides it pays ``relabeling_price``.

    >>> {i: round(float(p), 3) for i, p in PatternDraw(Fraction(1)).law([0, 2]).items()}
    {0: 0.731, 1: 0.269}
    """

    epsilon: Fraction
    name: ClassVar[str] = "a pattern"
    theorem: ClassVar[str] = "abms20, Theorem 1"

    @property
    def cost(self) -> NoReturn:  # type: ignore[override]
        raise TypeError(
            "a pattern on private points is not private by itself; run RelabelAndLearn, which pays for all of it"
        )

    def check(self, data: Sequence[int] | NDArray[np.int64]) -> Weights:
        return Weights(-np.asarray(data, dtype=np.int64), self.epsilon / 2)  # E-ABMS20-3

    def menu(self, data: Weights) -> Menu:
        return data, lambda group, _: group


@dataclass(frozen=True)
class CountedDraw(PatternDraw):
    """The same draw from counts: (e, i) for the i-th of the ``counts[e]`` patterns that make e errors.

    >>> {pattern: round(float(p), 3) for pattern, p in CountedDraw(Fraction(1)).law([1, 0, 2]).items()}
    {(0, 0): 0.576, (2, 0): 0.212, (2, 1): 0.212}
    """

    def check(self, data: Sequence[int] | NDArray[np.int64]) -> Weights:
        return Weights(-np.arange(len(data)), self.epsilon / 2, data)

    def menu(self, data: Weights) -> Menu:
        return data, lambda group, member: (group, member)


def drawn_labels(H: ConceptClass, epsilon: Fraction, D: Examples, T: Examples, ask: Ask, *, q: Score) -> Labels:
    """The labels that the pattern drawn gives to D and T. Patterns are listed only if there is no other way."""
    points = [x for x, _ in D + T]
    if q is pattern_errors and has_closed_form(H):
        scores, labels = scored_patterns(H, points, D)
    elif q is pattern_errors and has_rows(H):
        rows = pattern_rows(H, points, *signs(D))
        return rows.member(*ask(CountedDraw(epsilon), rows.counts(len(D))))
    elif isinstance(q, CompletionErrors) and q.has_closed_form(H):
        scores, labels = q.scored(H, points, D)
    else:
        patterns = Patterns.on(H, points)
        scores, labels = q(patterns.rows[:, patterns.column[: len(D)]], D), patterns.labels
    return labels(ask(PatternDraw(epsilon), scores))


def check_drawn(H: ConceptClass, n: int, q: Score = pattern_errors) -> None:
    """ValueError if a pattern on some n points cannot be drawn: it would take too much time, or too large a table.

    >>> from privpac.classes.lines.intervals import Intervals
    >>> check_drawn(Intervals(0, 2**64), 10**5)
    >>> check_drawn(Intervals(0, 2**64), 10**6)
    Traceback (most recent call last):
    ValueError: the patterns of Intervals on 1000000 points may be too many to list; give fewer examples, or ...
    """
    steps: int | float = 0  # how many patterns, or records of patterns, are visited one by one
    if q is pattern_errors and has_closed_form(H):
        return
    if q is pattern_errors and has_rows(H):
        steps = pattern_count(H, n)
    elif isinstance(q, CompletionErrors) and q.has_closed_form(H):
        steps = pattern_count(H, n) * n if q.later else 0
    else:
        check_listed(H, n, *(q.later if isinstance(q, CompletionErrors) else ()))
    if steps > MOST_STEPS:
        raise too_many(type(H).__name__, n)


def relabel(
    H: ConceptClass, epsilon: Fraction, D: Examples, T: Examples, ask: Ask, *, q: Score = pattern_errors
) -> tuple[Examples, Examples]:
    """[ABMS20, Alg. 2]: D and T with the labels of a pattern h of H that scores well on D. Not private.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.exact.entropy import SYSTEM
    >>> ask = lambda mechanism, seen: mechanism.release(mechanism.check(seen), SYSTEM)
    >>> relabel(Thresholds(0, 9), Fraction(1000), ((3, False), (4, True), (7, True)), ((2, True), (9, False)), ask)[1]
    ((2, False), (9, True))
    """
    S = D + T
    if not S:
        return D, T
    h = drawn_labels(H, epsilon, D, T, ask, q=q)
    relabeled = tuple((x, y) for (x, _), y in zip(S, h.tolist(), strict=True))
    return relabeled[: len(D)], relabeled[len(D) :]


def relabeling_price(
    inner: Budget, epsilon: Number = 1, constants: PaperConstants = "tight", *, counts_errors: bool
) -> Budget:
    """What an ``inner``-private algorithm costs on a relabeled sample [ABMS20, Lemma 5.3]: abms20, Theorem 1.

    (ε + 2·ln(1 + e^(ε_R/2)), δ) if q counts errors, (ε + ε_R + ln 4, δ) for any q of matched sensitivity 1;
    "printed" is (ε + 3, 4e·δ), for ε_R = 1 only.

    >>> print(relabeling_price(Budget(1, 1e-6), counts_errors=True), relabeling_price(Budget(1), counts_errors=False))
    ε = 2.94815, δ = 1e-06 ε = 3.38629
    >>> print(relabeling_price(Budget(1, 1e-6), 1, "printed", counts_errors=True))
    ε = 4, δ = 1.08731e-05
    """
    ε_R = as_rational(epsilon, "epsilon")
    if constants == "printed" and ε_R != 1:
        raise ValueError("the printed price is for ε_R = 1; choose constants='tight' for another one")
    with ctx.workprec(PRECISION):
        if constants == "printed":
            δ = rounded_up(4 * arb(1).exp() * ball(inner.delta)) if inner.delta else Fraction(0)
            return Budget(inner.epsilon + 3, min(δ, Fraction(1)))
        r = (ball(ε_R) / 2).exp()
        price = 2 * (1 + r).log() if counts_errors else ball(ε_R) + arb(4).log()  # E-ABMS20-3
        return Budget(rounded_up(ball(inner.epsilon) + price), inner.delta)  # E-ABMS20-3


def check_base(inner: Any, H: Any) -> None:
    """TypeError or ValueError unless ``inner`` is a private learner on the domain of ``H``."""
    if not isinstance(inner, PaperLearner):
        raise TypeError(
            "the base learner must be a private algorithm of privpac.papers, such as PrivateOccam, or a learner of the "
            "library in Library(learner)"
        )
    if not isinstance(H, ConceptClass):
        raise TypeError("H must be a concept class; for a matrix write ExplicitClass(matrix)")
    if not (inner.cost.epsilon > 0 and inner.cost.delta < 1):
        raise ValueError("the base learner is not private: its cost needs a positive epsilon and a delta below 1")
    if common_domain(inner, H) not in {inner.domain, H.domain}:
        raise ValueError(DIFFERENT_SAMPLES)


def common_domain(*readers: PaperLearner | ConceptClass) -> Domain:
    """The domain that learners and classes share; ValueError if they read different samples.

    They may read different columns. A class of any values, such as ``Points(T)``, takes those of a learner's domain.
    """
    with InOtherWords(lambda _: ValueError(DIFFERENT_SAMPLES), ValueError):
        return common([reader.domain for reader in readers])


def check_relabeling(constants: PaperConstants, epsilon: Number) -> Fraction:
    """ε_R as a fraction; ValueError if it is not positive, or not 1 with printed constants."""
    one_of("constants", constants, PaperConstants)
    ε_R = as_rational(epsilon, "relabel_epsilon")
    if ε_R <= 0:
        raise ValueError("relabel_epsilon must be positive")
    if constants == "printed" and ε_R != 1:
        raise ValueError("the paper relabels with relabel_epsilon=1; choose constants='tight' for another one")
    return ε_R


class Algorithm3Output(NamedTuple):
    """A(S̃), Ṽ, and a concept h̄ that is consistent with Ṽ, which is None if V is empty."""

    f: Any
    V: Examples
    h: Hypothesis | None


@dataclass(frozen=True)
class RelabelAndLearn(WrapperLearner):
    """[ABMS20, Alg. 3]: relabel D, V and W by a pattern, publish V relabeled, and run A on all of them.

    The examples are D and W: the first ``d`` of them are D (None: all). V is public: its records get no privacy.
    ``q`` is the score, of matched sensitivity 1, a function of the labels of D's points; None counts errors.

    Privacy   ``relabeling_price``, for all inputs: abms20, Theorem 1
    Utility   none of its own: Algorithms 4 and 5 run the same steps

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.papers.bbkn14 import PrivateOccam
    >>> cuts = ExplicitClass([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> learner = RelabelAndLearn(PrivateOccam(cuts, Budget(1), 0.1, 0.1), cuts, V=((1, True),))
    >>> print(learner.cost)
    ε = 2.94815
    """

    inner: PaperLearner
    H: ConceptClass
    V: Examples = ()
    d: int | None = None
    q: Score | None = None
    constants: PaperConstants = "tight"
    relabel_epsilon: Number = 1
    name: ClassVar[str] = "RelabelAndLearn"
    theorem: ClassVar[str] = "abms20, Theorem 1"

    def __post_init__(self) -> None:
        check_base(self.inner, self.H)
        object.__setattr__(self, "relabel_epsilon", check_relabeling(self.constants, self.relabel_epsilon))
        object.__setattr__(self, "V", super().check(self.V))
        if self.d is not None:
            as_count(self.d, "d")

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]
        return relabeling_price(self.inner.cost, self.relabel_epsilon, self.constants, counts_errors=self.q is None)

    @cached_property
    def domain(self) -> Domain:
        return common_domain(self.inner, self.H)

    @property
    def N(self) -> None:  # noqa: N802  (the paper's letter)
        """None: Algorithm 3 has no utility theorem of its own."""

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if some sample of this size has too many patterns to list, or if A refuses it."""
        check_listed(self.H, len(self.V))
        check_drawn(self.H, len(self.V) + len(data), self.q or pattern_errors)
        examples = super().check(data)
        self.inner.check(examples + self.V)
        return examples

    def run(self, data: Examples, ask: Ask) -> Algorithm3Output:
        D = data[: self.d]
        W = data[len(D) :]
        D_h, VW_h = relabel(self.H, Fraction(self.relabel_epsilon), D, self.V + W, ask, q=self.q or pattern_errors)
        V_h, W_h = VW_h[: len(self.V)], VW_h[len(self.V) :]
        f = ask(self.inner, D_h + V_h + W_h)
        return Algorithm3Output(f, V_h, consistent_concept(self.H, V_h))  # E-ABMS20-2


def consistent_concept(H: ConceptClass, V: Examples) -> Hypothesis | None:
    """A concept of H that labels V correctly, chosen by V alone; some concept must. None if V is empty."""
    if not V:
        return None
    patterns, labels = Patterns.on(H, [x for x, _ in V]), [y for _, y in V]
    fits = (patterns.rows[:, patterns.column] == np.array(labels, dtype=bool)).all(axis=1)
    return patterns.concept(int(np.flatnonzero(fits)[0]))
