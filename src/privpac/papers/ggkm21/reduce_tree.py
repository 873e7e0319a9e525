"""ReduceTree: a few SOA hypotheses for a sample. Good samples on which it stops at the same step share one of them.

[GGKM21, §5.1]  docs/references.bib      corrections: docs/errata/GGKM21.md      proof: docs/proofs/ggkm21.md, Lemma 2

Throughout this file
    F, d       the class, by its oracle, and its Littlestone dimension Ldim(F)
    SOA        of a class, labels each point so that the concepts with this label have the larger Ldim
    α_Δ, α_t   a step of error, and the error that step t allows    k′, k_t   orders of irreducibility
    F_{P̂, α}   the concepts that err on at most a share α of the sample; sets of concepts are states of the oracle
    G(α, v)    those of F_{P̂, α} that have the labels a(v) on the path to the node v
    x, x̂       the generalized tree so far, and the last one        w         the largest Ldim(G(α_t, v)) at a leaf v
    L̂′         the leaves with Ldim w                               Ŝ         the hypotheses that are returned
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.data.values.whole_numbers import is_whole
from privpac.dimensions.oracle import ListedOracle, Oracle, State
from privpac.papers.ggkm21.trees import Branching, GeneralizedTree, Path, is_irreducible, reducing_array
from privpac.privacy.budget import as_rational
from privpac.refusals.refusal import Refused


@dataclass(frozen=True)
class Levels:
    """α_t = α_top − (t − 1)·α_Δ, and k_t = k_1·2^(t−1), for t = 1, …, d + 1; hypotheses come from α_t − back·α_Δ.

    >>> Levels.printed(1, Fraction(1, 40), 5)
    Levels(d=1, step=Fraction(1, 40), top=Fraction(3, 40), back=Fraction(2, 3), k_prime=5, k_first=10)
    >>> both = [make(1, Fraction(1, 40), 5) for make in (Levels.printed, Levels.tight)]
    >>> [(float(levels.alpha(2)), levels.k(2)) for levels in both]
    [(0.05, 20), (0.025, 10)]
    """

    d: int
    step: Fraction  # α_Δ
    top: Fraction  # α_top = α_1
    back: Fraction
    k_prime: int  # k′
    k_first: int  # k_1

    def __post_init__(self) -> None:
        for name in ("d", "k_prime", "k_first"):
            if not is_whole(value := getattr(self, name)) or value < 0:
                raise Refused.must(name, "be a whole number, at least 0")
            object.__setattr__(self, name, int(value))  # Python's integers do not overflow, as numpy's do
        for name in ("step", "top", "back"):
            object.__setattr__(self, name, as_rational(getattr(self, name), name))

    @classmethod
    def printed(cls, d: int, step: Fraction, k_prime: int) -> Levels:
        """α_t = (d + 3 − t)·α_Δ and k_t = k′·2^t [GGKM21, Alg. 1, steps 2 and 3]."""
        return cls(d, step, (d + 2) * step, Fraction(2, 3), k_prime, 2 * k_prime)  # E-GGKM21-2: k_{d+1} as well

    @classmethod
    def tight(cls, d: int, step: Fraction, k_prime: int) -> Levels:
        """α_t = (d + 2 − t)·α_Δ and k_t = k′·2^(t−1): the last level allows α_Δ, and hypotheses come from halfway."""
        return cls(d, step, (d + 1) * step, Fraction(1, 2), k_prime, k_prime)

    def alpha(self, t: int) -> Fraction:
        """The error that level t allows: α_t."""
        return self.top - (t - 1) * self.step

    @cached_property
    def error_shares(self) -> tuple[Fraction, ...]:
        """All α for which ReduceTree asks for the concepts that err on at most a share α."""
        shares = [self.alpha(t) - below * self.step for t in range(1, self.d + 2) for below in (0, 1, self.back)]
        return tuple(dict.fromkeys(shares))

    def k(self, t: int) -> int:
        """k_t; a path has at most k_1 + … + k_t ≤ 2·k_t points after step t."""
        return self.k_first << (t - 1)


@dataclass(frozen=True)
class ReducedTree:
    """The tree, its leaves of the largest Ldim, and the hypotheses that come from them."""

    tree: GeneralizedTree  # x̂
    leaves: tuple[Path, ...]  # L̂′
    hypotheses: frozenset[Hypothesis]  # Ŝ
    t: int  # the last step that began: t_final + 1


def reduce_tree(F: ListedOracle, counts: NDArray[np.int64], levels: Levels) -> ReducedTree:
    """ReduceTree [GGKM21, Alg. 1] on a sample: ``counts[x, y]`` examples of the point x of F with label y.

    Any sample is allowed; Ŝ is empty if no concept errs on few enough examples. Points that no concept tells apart
    count as one point, because the algorithm sees only how often each concept errs.

    >>> F = ListedOracle(np.eye(4, dtype=int))
    >>> reduced = reduce_tree(F, np.array([[3, 0], [3, 0], [0, 0], [0, 0]]), Levels.tight(1, Fraction(1, 7), 4))
    >>> sorted(map(str, reduced.hypotheses)), reduced.tree.leaves
    (['x = 2', 'x = 3'], ((0,), (1,)))
    """
    return reduction(F, F.low_errors(F.merged(counts), levels.error_shares), levels)


def reduction(F: Oracle[State], low_error: Mapping[Fraction, State], levels: Levels) -> ReducedTree:
    """ReduceTree on the sample with F_{P̂, α} = ``low_error[α]`` for all error shares. It sees nothing else of it."""
    d, step = levels.d, levels.step
    x = GeneralizedTree()
    sub_class: dict[Path, State] = {(): F.everything}  # F|a(v)

    def G(alpha: Fraction, v: Path) -> State:  # noqa: N802  (the paper's letter)
        return low_error[alpha] & sub_class[v]

    for t in range(1, d + 2):
        α = levels.alpha(t)
        ldim = {v: F.ldim(G(α, v)) for v in x.leaves}
        w = max(ldim.values())
        leaves = tuple(v for v in x.leaves if ldim[v] == w)  # L̂′
        if t == d + 1:
            break
        robust = [v for v in leaves if F.ldim(G(α - step, v)) == w]  # a smaller error leaves the same Ldim
        arrays = {v: reducing_array(F, G(α - step, v), levels.k(t)) for v in robust}
        labels = {v: label for v, label in arrays.items() if label is not None}
        if len(labels) < len(arrays):
            break  # a class without a reducing array is irreducible
        x = x.grown(labels)
        for v, label in labels.items():
            sub_class |= {(*v, j): child for j, child in enumerate(restrictions(F, sub_class[v], label))}
    # Between α_t − α_Δ and α_t, some leaf has a hypothesis that all good samples with this t have in common: Lemma 2.
    classes = {G(α - levels.back * step, v) for v in leaves}
    hypotheses = frozenset(F.soa(H) for H in classes if H and is_irreducible(F, H, levels.k_prime))
    return ReducedTree(x, leaves, hypotheses, t)


def restrictions(F: Oracle[State], G: State, label: Branching) -> list[State]:
    """G|b^(j) for all rows of a reducing array, in their order; each row negates the last label of the row before.

    >>> F = ListedOracle(np.eye(3, dtype=int))
    >>> restrictions(F, F.everything, Branching((0, 1), ((True,), (False, True), (False, False))))
    [1, 2, 4]
    """
    parts = []
    for point, y in zip(label.points, label.array[-1], strict=True):
        parts.append(F.restrict(G, point, not y))
        G = F.restrict(G, point, y)
    return [*parts, G]


def most_hypotheses(levels: Levels, points: float | None = None) -> int:
    """The most members of Ŝ: (k_1 + 1)·…·(k_d + 1) [GGKM21, Lemma 5.5], with at most ``points`` for each k_t.

    >>> levels = Levels.printed(2, Fraction(1, 40), 5)
    >>> most_hypotheses(levels), most_hypotheses(levels, 9)
    (231, 100)
    """
    return prod(int(min(levels.k(t), points or levels.k(t))) + 1 for t in range(1, levels.d + 1))
