"""Algorithms 1, 2, and 3 of [HCT24, §3.1]: half-planes through the origin, from thresholds. NOT PRIVATE.

Throughout this file
    H_γ, h_φ, q    angles, half-planes, and how many examples one labels right: privpac.papers.hct24.angles
    n_φ            how many examples within γ of φ have a label y = h_φ(x)
    S_H            how many copies of each angle there are       max_C    the C largest of these copies by (q(S, φ), φ)
    φ'             where the circle is cut                       φ*       an angle of the highest quality q(S, φ)
    S_Thr          these C copies as labeled places of a line    X_Thr    the places 0 … m − 1 of the line
    n_Thr          how many examples A_Thr needs, for which line, ε, α, and β

The paper leaves open which maximizer φ* is (``ties`` here). If no copy is left for φ', the circle is cut at 0. γ is as
in Lemma 11. Noise is ⌈Lap(1/ε)⌉ as printed, exactly; no angle has more than ``most`` copies, so the laws for few angles
can be listed.

A_Thr is any (ε, δ)-private (α, β)-empirical learner of thresholds in the paper. Here it is an exponential mechanism
[MT07] on a line of m places, ε-private with δ = 0 whether an example is added, removed, or replaced. In it::

    h_u            the threshold at u: 1 at the places 0 … u, −1 beyond
    depth          the smaller of the numbers of examples at or below u, and at or above u
    a, b           public weights of errors and of depth
    score          −a·errors(u) + b·depth(u), which one example changes by at most a + b
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, log
from operator import index
from typing import Any, Literal

from privpac.mechanisms.algorithm import Ask, Uniform
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.hct24.angles import Angles, Half, q
from privpac.papers.hct24.not_private import NotPrivate, PaperExamples, copies, positive, proper_fraction, sample
from privpac.privacy.budget import Budget, Number, as_count, as_rational
from privpac.refusals.option_words import one_of
from privpac.refusals.refusal import InOtherWords

Copies = tuple[tuple[int, int], ...]  # (φ, how many copies)

# Which of the best angles φ* is: by angle or, if "turned", by place on the circle after the cut.
Tie = Literal["last", "first", "last turned", "first turned", "middle turned", "random"]
TIES: dict[Tie, Callable[[Sequence[int], Callable[[int], int], Ask], int]] = {
    "last": lambda best, place, ask: max(best),  # the largest of max_C itself
    "first": lambda best, place, ask: min(best),
    "last turned": lambda best, place, ask: max(best, key=place),
    "first turned": lambda best, place, ask: min(best, key=place),
    "middle turned": lambda best, place, ask: sorted(best, key=place)[len(best) // 2],
    "random": lambda best, place, ask: best[ask(Uniform(len(best)), None)],
}


@dataclass(frozen=True)
class PaperLine:
    """S_Thr: a circle of m angles, cut open at the angle ``cut`` into a line; and its examples (place, y, count).

    The angle φ has the place φ − cut modulo m.

    >>> PaperLine(13, 5, ((0, 1, 2), (12, -1, 3))).angle(12)
    4
    """

    m: int
    cut: int
    examples: tuple[tuple[int, int, int], ...]

    def angle(self, place: int) -> int:
        return (place + self.cut) % self.m


@dataclass(frozen=True)
class ThrLearner:
    """The threshold u with probability ∝ e^(ε·score(u)/(2(a + b))): (ε, 0)-private for the examples of a line.

    ``a`` = 1 and ``b`` = 0 is the exponential mechanism on errors. With ``b`` > 0, thresholds among the examples are
    likelier than those beyond them, as with a learner that releases an interior point.

    >>> line = PaperLine(4, 0, ((1, 1, 400), (2, -1, 400)))
    >>> from privpac.mechanisms.algorithm import law_of
    >>> max(law_of(lambda ask: ThrLearner()(line, Fraction(1), ask)).items(), key=lambda item: float(item[1]))[0]
    1
    """

    a: int = 1
    b: int = 0

    def __post_init__(self) -> None:
        as_count(self.a, "a")
        if self.b != 0:
            as_count(self.b, "b, if not 0,")

    def __call__(self, S_Thr: PaperLine, epsilon: Fraction, ask: Ask) -> int:
        """The place u of a private threshold."""
        scores = [self.score(S_Thr, u) for u in range(S_Thr.m)]
        # Exponential assumes that one example changes a score by at most 1. Here that is a + b, so the draw costs ε.
        return int(ask(Exponential(Budget(epsilon / (self.a + self.b))), scores))

    def score(self, S_Thr: PaperLine, u: int) -> int:
        errors = sum(count for place, y, count in S_Thr.examples if (place <= u) != (y == 1))
        below = sum(count for place, _, count in S_Thr.examples if place <= u)
        above = sum(count for place, _, count in S_Thr.examples if place >= u)
        return self.b * min(below, above) - self.a * errors

    def n_thr(self, m: int, epsilon: Number, alpha: Number, beta: Number) -> int:
        """How many examples are enough for error ≤ α with probability at least 1 − β, if some u makes no error.

        A place with more than αn errors scores less than bn − aαn, and a place without errors at least 0.

        >>> ThrLearner().n_thr(51, 1, 0.1, 0.05)
        139
        """
        ε, α, β = positive(epsilon), proper_fraction(alpha, "alpha"), proper_fraction(beta, "beta")
        gap = self.a * α - self.b
        if gap <= 0:
            raise ValueError("alpha must exceed b/a, or depth may outweigh the errors")
        return ceil(2 * (self.a + self.b) / ε / gap * as_rational(log(as_count(m, "m") / β), "logarithm"))


BY_ERRORS = ThrLearner()


def check_angles(H: Angles) -> None:
    """TypeError if H is not a grid of angles."""
    if not isinstance(H, Angles):
        raise TypeError(f"H must be the angles of a grid, like Angles(1), not {type(H).__name__}")


def checked_data(data: Any, H: Angles) -> tuple[Copies, PaperExamples]:
    """(S_H, S), if S_H has angles of H_γ, each once, with their copies.

    >>> checked_data(([(3, 2), (4, 1)], []), Angles(1))
    (((3, 2), (4, 1)), [])
    """
    rule = "S_H must be pairs of an angle, each once, and its number of copies, at least one"
    expected = f"the data must be (S_H, S), copies of angles and examples; {rule}"
    with InOtherWords(lambda _: TypeError(expected), (TypeError, ValueError)):
        S_H, S = data
        pairs = tuple((index(φ), index(count)) for φ, count in S_H)
    distinct_angles = {φ for φ, _ in pairs} & {*range(H.m)}
    if not pairs or len(distinct_angles) < len(pairs) or any(count < 1 for _, count in pairs):
        raise ValueError(rule)
    return pairs, S


def check_copying(epsilon: Number, H: Angles, most: int | None) -> None:
    """Refuse parameters that Algorithms 1 and 4 cannot run with."""
    check_angles(H)
    positive(epsilon)
    if most is not None:
        as_count(most, "most")


def check_line(H: Angles, C: int, ties: Tie) -> None:
    """Refuse parameters that Algorithms 2 and 5 cannot run with."""
    check_angles(H)
    one_of("ties", ties, Tie)
    as_count(C, "C")


@dataclass(frozen=True)
class MakeData(NotPrivate):
    """[HCT24, Alg. 1]: for each angle φ, about n_φ copies: n_φ with noise, and at least 1.

    Lemma 12 says ε; it is 2ε (E-HCT24-1). Examples labeled −1 are never counted (E-HCT24-2).

    >>> make = MakeData(1000, Angles(1), acknowledge_not_private=True)
    >>> [count for _, count in make.release([((1, 1), 1)] * 7)][:4]
    [1, ..., ..., 1]
    """

    epsilon: Number
    H: Angles
    most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_copying(self.epsilon, self.H, self.most)

    def run(self, data: PaperExamples, ask: Ask) -> Copies:
        S, ε = sample(data, self.H.k, 2), positive(self.epsilon)
        return tuple((φ, copies(self.H.n(φ, S), ε, ask, self.most)) for φ in self.H)


@dataclass(frozen=True)
class MakeThrData(NotPrivate):
    """[HCT24, Alg. 2]: the C best copies as labeled places on a circle that is cut at one of the other copies.

    The data are (S_H, S). The algorithm looks at S once more, without noise: there it loses privacy (E-HCT24-3).

    >>> S_H = tuple((φ, 1) for φ in Angles(1))
    >>> make = MakeThrData(Angles(1), C=12, acknowledge_not_private=True)
    >>> make.release((S_H, [((1, 1), 1)] * 3)).cut  # 150°, the lowest of the angles that are 1 on no point
    5
    """

    H: Angles
    C: int
    ties: Tie = "last"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_line(self.H, self.C, self.ties)

    def run(self, data: tuple[Copies, PaperExamples], ask: Ask) -> PaperLine:
        S_H, examples = checked_data(data, self.H)
        S = sample(examples, self.H.k, 2)
        return self.cut({φ: q(self.H.k, S, (φ,)) for φ, _ in S_H}, S_H, ask)

    def cut(self, quality: dict[int, int], S_H: Copies, ask: Ask) -> PaperLine:
        """The algorithm from its second line on; the first line computes ``quality``: q(S, φ) for each φ."""
        order = sorted(S_H, key=lambda pair: (quality[pair[0]], pair[0]), reverse=True)
        ends = [min(end, self.C) for end in accumulate(count for _, count in order)]
        max_C = {φ: end - start for (φ, _), start, end in zip(order, [0, *ends], ends, strict=False) if end > start}
        φ_cut = _uniform_angle([(φ, count - max_C.get(φ, 0)) for φ, count in S_H], ask)

        def place(φ: int) -> int:
            return (φ - φ_cut) % self.H.m

        highest = max(quality[φ] for φ in max_C)
        best = [φ for φ in sorted(max_C) if quality[φ] == highest]
        star = place(TIES[self.ties](best, place, ask))  # the place of φ*
        examples = sorted((place(φ), 1 if place(φ) <= star else -1, count) for φ, count in max_C.items())
        return PaperLine(self.H.m, φ_cut, tuple(examples))


def _uniform_angle(S_H: list[tuple[int, int]], ask: Ask) -> int:
    """The angle of a uniform copy; 0 if there are no copies."""
    ends = list(accumulate(count for _, count in S_H))
    if not ends[-1]:
        return 0
    copy = ask(Uniform(ends[-1]), None)
    return next(φ for (φ, _), end in zip(S_H, ends, strict=True) if copy < end)


@dataclass(frozen=True)
class FromThresholds(NotPrivate):
    """The parameters of Algorithms 3 and 6. By default, C is n_Thr(ε, α, β)."""

    epsilon: Number
    alpha: Number
    beta: Number
    H: Angles
    _: KW_ONLY
    A_Thr: ThrLearner = BY_ERRORS
    C: int | None = None
    ties: Tie = "last"
    most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = proper_fraction(self.alpha, "alpha"), proper_fraction(self.beta, "beta")
        if not isinstance(self.A_Thr, ThrLearner):
            raise TypeError(f"A_Thr must be a ThrLearner, not {type(self.A_Thr).__name__}")
        check_copying(self.epsilon, self.H, self.most)
        check_line(self.H, self.n_thr, self.ties)

    @property
    def n_thr(self) -> int:
        """The number of examples for the learner of thresholds: C."""
        return self.A_Thr.n_thr(self.H.m, self.epsilon, self.alpha, self.beta) if self.C is None else self.C


@dataclass(frozen=True)
class SimpleH(FromThresholds):
    """[HCT24, Alg. 3], a half-plane from examples; Theorem 14 calls it private, which is false (E-HCT24-3).

    >>> learner = SimpleH(1, 0.1, 0.1, Angles(1), A_Thr=ThrLearner(20, 1), acknowledge_not_private=True)
    >>> print(learner.release([((1, 1), 1), ((-1, 1), 1)] * 1000))
    normal at ...°
    """

    def run(self, data: PaperExamples, ask: Ask) -> Half:
        S, ε = sample(data, self.H.k, 2), positive(self.epsilon)
        S_H = MakeData(ε, self.H, self.most, acknowledge_not_private=True).run(S, ask)
        S_Thr = MakeThrData(self.H, self.n_thr, self.ties, acknowledge_not_private=True).run((S_H, S), ask)
        return Half(self.H.k, (S_Thr.angle(self.A_Thr(S_Thr, ε, ask)),))


def theorem_14(learner: SimpleH) -> int:
    """n_Thr(X_Thr, ε/2, α, β), with the constant of O(·) set to 1. It promises nothing: the theorem is false.

    >>> theorem_14(SimpleH(1, 0.1, 0.05, Angles(2), acknowledge_not_private=True))
    278
    """
    return learner.A_Thr.n_thr(learner.H.m, positive(learner.epsilon) / 2, learner.alpha, learner.beta)
