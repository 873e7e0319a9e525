"""Algorithms 4, 5, 6, and 7 of [HCT24, §3.2]: half-spaces through the origin, angle by angle. NOT PRIVATE.

Throughout this file
    d         the dimension                                φ_i(x)    the i-th spherical angle of x
    Q         the best quality of a half-space whose first angles are fixed: privpac.papers.hct24.angles
    prefix    the angles φ*_1, …, φ*_{i−1} of the earlier rounds
    S_H       how many copies of each angle there are
    C̃         C plus geometric noise                       S_C̃       the examples that correspond to S_Thr
    S_Thr     the C̃ best of these copies, as labeled places of a line
    A_Thr     a learner of thresholds on this line, which needs n_Thr examples
    most      cuts off the noise, so that laws can be listed

h_φ, C, and X_Thr are as in privpac.papers.hct24.plane. S is the multiset of examples.

The paper leaves some points open (E-HCT24-7). Here, h_φ in Algorithm 4 is the half-plane with the normal φ in the plane
of the i-th axis and of the part of x beyond this axis. Algorithm 6 passes ε to Algorithm 4. If S_Thr has c copies of an
angle, S_C̃ has the first c examples of S that are counted at this angle and were not taken at an earlier one. Ties,
A_Thr, and φ' without a copy are as in privpac.papers.hct24.plane. For d = 2, Algorithm 4 is Algorithm 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from privpac.mechanisms.algorithm import Ask
from privpac.papers.hct24.angles import Angles, Half, Q
from privpac.papers.hct24.not_private import (
    Geom,
    NotPrivate,
    PaperExamples,
    PaperSample,
    Point,
    copies,
    positive,
    proper_fraction,
    sample,
)
from privpac.papers.hct24.plane import (
    Copies,
    FromThresholds,
    MakeThrData,
    PaperLine,
    Tie,
    check_copying,
    check_line,
    checked_data,
)
from privpac.privacy.budget import Number, as_count, as_rational


def check_dimension(d: int, prefix: tuple[int, ...] = ()) -> None:
    """ValueError if no angle of points in d dimensions follows those of ``prefix``."""
    if as_count(d, "d") < len(prefix) + 2:
        raise ValueError("d must be at least 2, and at least the length of prefix plus 2")


@dataclass(frozen=True)
class MakeHighDimData(NotPrivate):
    """[HCT24, Alg. 4]: about as many copies of each angle φ as examples have φ_i(x) near φ and y = h_φ(x), with noise.

    >>> make = MakeHighDimData(1000, Angles(1, only=(1, 2, 3)), 2, acknowledge_not_private=True)
    >>> make.release([((0, 1, 1), 1)] * 7)
    ((1, ...), (2, ...), (3, 1))
    """

    epsilon: Number
    H: Angles
    i: int
    most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_copying(self.epsilon, self.H, self.most)
        as_count(self.i, "i")

    def run(self, data: PaperExamples, ask: Ask) -> Copies:
        S, ε = sample(data, self.H.k), positive(self.epsilon)
        if any(len(x) <= self.i for (x, _), _ in S.counts):
            raise ValueError("points must have more than i coordinates")
        return tuple((φ, copies(self.H.n(φ, S, self.i), ε, ask, self.most)) for φ in self.H)


@dataclass(frozen=True)
class MakeHighDimThrData(NotPrivate):
    """[HCT24, Alg. 5]: the C̃ best copies as labeled places, and the examples S_C̃.

    The data are (S_H, S).

    >>> S_H = tuple((φ, 1) for φ in Angles(1))
    >>> make = MakeHighDimThrData(1000, Angles(1), 12, 3, acknowledge_not_private=True)
    >>> line, S_C = make.release((S_H, [((1, 1, 1), 1)] * 9))
    >>> len(line.examples), S_C.size
    (12, 2)
    """

    epsilon: Number
    H: Angles
    C: int
    d: int
    prefix: tuple[int, ...] = ()
    ties: Tie = "last"
    most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_copying(self.epsilon, self.H, self.most)
        check_line(self.H, self.C, self.ties)
        check_dimension(self.d, self.prefix)

    def run(self, data: tuple[Copies, PaperExamples], ask: Ask) -> tuple[PaperLine, PaperSample]:
        S_H, examples = checked_data(data, self.H)
        S = sample(examples, self.H.k, self.d)
        quality = {φ: Q(self.H, S, self.prefix, φ, self.d) for φ, _ in S_H}
        C = self.C + ask(Geom(positive(self.epsilon), self.most), None)
        S_Thr = MakeThrData(self.H, C, self.ties, acknowledge_not_private=True).cut(quality, S_H, ask)
        return S_Thr, corresponding_examples(self.H, S, S_Thr, len(self.prefix) + 1)


def corresponding_examples(H: Angles, S: PaperSample, S_Thr: PaperLine, i: int) -> PaperSample:
    """S_C̃: for each angle, as many of the examples that are counted there as S_Thr has copies of it.

    >>> corresponding_examples(Angles(1), sample([((1, 1), 1)] * 9), PaperLine(13, 0, ((1, 1, 2), (5, 1, 4))), 1).size
    2
    """
    taken: Counter[tuple[Point, int]] = Counter()
    for place, _, count in S_Thr.examples:
        missing = count
        for example, multiplicity in S.counts:
            if H.n(S_Thr.angle(place), PaperSample(((example, 1),)), i):  # the example is counted at this angle
                added = min(missing, multiplicity - taken[example])
                taken[example] += added
                missing -= added
    return PaperSample(tuple((example, count) for example, count in sorted(taken.items()) if count))


@dataclass(frozen=True)
class HighH(FromThresholds):
    """[HCT24, Alg. 6], a half-space from examples; Theorem 21 calls it private, which is false (E-HCT24-6).

    >>> learner = HighH(1, 0.1, 0.1, Angles(1), 3, acknowledge_not_private=True)
    >>> print(learner.release([((1, 1, 0), 1), ((-1, 1, 0), 1)] * 1000))
    normal at ...°, ...°
    """

    d: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_dimension(self.d)

    def run(self, data: PaperExamples, ask: Ask) -> Half:
        S, ε = sample(data, self.H.k, self.d), positive(self.epsilon)
        prefix: tuple[int, ...] = ()
        for i in range(1, self.d):
            S_H = MakeHighDimData(ε, self.H, i, self.most, acknowledge_not_private=True).run(S, ask)  # E-HCT24-7
            make = MakeHighDimThrData(
                ε, self.H, self.n_thr, self.d, prefix, self.ties, self.most, acknowledge_not_private=True
            )
            S_Thr, S_C = make.run((S_H, S), ask)
            prefix = (*prefix, S_Thr.angle(self.A_Thr(S_Thr, ε, ask)))
            S = S.without(S_C)
        return Half(self.H.k, prefix)


@dataclass(frozen=True)
class ReorderSliceCompute(NotPrivate):
    """[HCT24, Alg. 7], which the paper quotes: for each key in turn, run A on roughly the m largest of what is left.

    ``sorters`` are the keys. A slice goes to A together with ``ask``. The paper's lemma on privacy is about sorters
    that depend on S only through earlier results of A (E-HCT24-7).

    >>> total = lambda part, ask: sum(part)
    >>> slices = ReorderSliceCompute(1000, 2, (lambda x: x, lambda x: -x), total, acknowledge_not_private=True)
    >>> slices.release([1, 2, 3, 4, 5, 6])
    (11, 3)
    """

    epsilon: Number
    m: int
    sorters: tuple[Callable[[Any], Any], ...]
    A: Callable[[Sequence[Any], Ask], Any]
    most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.epsilon)
        as_count(self.m, "m")

    def run(self, data: Iterable[Any], ask: Ask) -> tuple[Any, ...]:
        S, r = list(data), []
        for E in self.sorters:
            m = self.m + ask(Geom(positive(self.epsilon), self.most), None)
            S = sorted(S, key=E, reverse=True)
            S, largest = S[m:], S[:m]
            r.append(self.A(largest, ask))
        return tuple(r)


def theorem_21(learner: HighH, slack: Number) -> int:
    """n_Thr(X_Thr, ε/ln(1/δ'), α/(d − 1), β/(d − 1)) for δ' = ``slack``, with the constants of O(·) set to 1.

    It promises nothing: the theorem is false.

    >>> theorem_21(HighH(1, 0.1, 0.05, Angles(1), 3, acknowledge_not_private=True), 1e-6)
    3456
    """
    α, β = (as_rational(goal, "parameter") for goal in (learner.alpha, learner.beta))
    δ = proper_fraction(slack, "slack")
    ε = positive(learner.epsilon) / as_rational(-log(δ), "logarithm")
    return learner.A_Thr.n_thr(learner.H.m, ε, α / (learner.d - 1), β / (learner.d - 1))
