"""ProperLearner: from the node that OPTPrivateLearner finds, on to a concept of the class.

[Yan25, §6]  docs/references.bib        corrections: docs/errata/Yan25.md        proof: docs/proofs/yan25.md

Throughout this file
    S_1, S_2    a random partition of the examples: x_good comes from S_1, the way down from S_2
    T_good      the tree below x_good, down to the first concepts: its leaves are its proper nodes   [Alg. 3]
    w(x)        examples of S_2 with label 0 at or below x                                           [Def. 18]
    v(x)        examples of S_2 with label 0 on the path from x_good, without it, to x               [Def. 19]
    θ, T        a child is light if w(x) ≤ θ·N₂; there are at most T steps          ε₀   what each release costs

Main declarations
    ProperLearner    Algorithm 4
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar, NamedTuple

from privpac.classes.base import Hypothesis
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.mechanisms.programs import Ask
from privpac.mechanisms.selection import Exponential
from privpac.papers.base import Examples
from privpac.papers.yan25.improper import OPTPrivateLearner, Partition, TreeLearner
from privpac.papers.yan25.sizes import LIGHT, printed_second, second_size, steps
from privpac.papers.yan25.trees import Marked, make_sub_tree, marked, rule
from privpac.privacy.accounting import per_use
from privpac.privacy.budget import Budget, as_rational

FIRST = Fraction(1, 8)  # of α, for x_good: the way down needs more records


class Descent(NamedTuple):
    """T_good as node → children, with w(x), and for each x the least v of a leaf below."""

    T_good: Mapping[Any, tuple[Any, ...]]
    w: Mapping[Any, int]
    least: Mapping[Any, int]


@dataclass(frozen=True)
class ProperLearner(TreeLearner):
    """[Yan25, Alg. 4]: a proper learner for every class of VC dimension 1 whose tree can be listed.

    Privacy   (ε, δ) for all inputs: yan25, Theorem 2
    Utility   realizable: yan25, Theorem 4

    >>> from privpac.classes.explicit import ExplicitClass
    >>> fork = ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]], points="abc")
    >>> learner = ProperLearner(fork, Budget(4, 1e-6), 0.4, constants="tight")
    >>> learner.N, str(learner.learn(list("abc") * 2500, [1, 0, 1] * 2500))
    (7469, 'x is one of a, c')
    """

    name: ClassVar[str] = "ProperLearner"
    theorem: ClassVar[str] = "yan25, Theorem 2"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.tree.is_proper(self.tree.root):
            raise ValueError("the root is no concept and its children cannot be listed; materialize(points) lists them")
        _ = self.N, self.each  # what cannot be planned fails here, before anything is spent

    @cached_property
    def improper(self) -> OPTPrivateLearner:
        """Algorithm 2, on S_1."""
        α, β = as_rational(self.alpha, "alpha"), as_rational(self.beta, "beta")
        tight = self.constants == "tight"
        first = (FIRST * α, β / 2) if tight else (α, β)
        return OPTPrivateLearner(self.concept_class, self.cost, *first, self.constants, self.median, self.t)

    @property
    def theta(self) -> Fraction:
        """θ: α as printed."""
        α = as_rational(self.alpha, "alpha")
        return LIGHT * (1 - FIRST) * α if self.constants == "tight" else α

    @cached_property
    def each(self) -> Budget:
        """ε₀: 2T releases stay within (ε, δ)."""
        return per_use(self.cost, 2 * steps(self.theta))  # E-Yan25-10: 2T exactly, not ε/√(2·ln(2/δ)/α)

    @cached_property
    def N2(self) -> int:  # noqa: N802
        """|S_2|."""
        ε, δ = float(self.cost.epsilon), float(self.cost.delta)
        if self.constants == "printed":
            return ceil(printed_second(float(self.alpha), float(self.beta), ε, δ))
        rest = (1 - FIRST) * as_rational(self.alpha, "alpha")
        return second_size(self.cost, rest, float(self.beta) / 2)

    @property
    def N(self) -> int:  # noqa: N802
        """N₁ + N₂ [Yan25, Thm 13]."""
        return self.improper.N + self.N2

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        S, N2 = marked(self.tree, data), len(data) * self.N2 // self.N
        S_1, S_2 = ([S[j] for j in part] for part in ask(Partition((len(S) - N2, N2)), None))
        x_good = self.improper.good(S_1, ask)
        return rule(self.tree, self.down(x_good, S_2, ask))

    def down(self, x_good: Any, S_2: Sequence[Marked], ask: Ask) -> Any:
        """Steps 3 to 8: a proper node at or below x_good."""
        if self.tree.is_proper(x_good):
            return x_good
        T_good, w, least = self.descent(x_good, S_2)
        x_flag, noisy, choose = x_good, DiscreteLaplace(self.each, 1, 0, len(S_2)), Exponential(self.each)
        for _ in range(steps(self.theta)):
            X_children = T_good[x_flag]
            if not X_children:
                break  # E-Yan25-11: a leaf has no children to choose from
            w_min = min(w[x] for x in X_children)
            if ask(noisy, w_min) <= self.theta * len(S_2):  # E-Yan25-11: N is N₂
                x_flag = X_children[ask(choose, [-w[x] for x in X_children])]
                break
            x_flag = X_children[ask(choose, [-least[x] for x in X_children])]
        return self.leaf(T_good, x_flag)

    def leaf(self, T_good: Mapping[Any, tuple[Any, ...]], x: Any) -> Any:
        """The first leaf at or below x."""
        while T_good[x]:
            x = T_good[x][0]  # E-Yan25-11: in a public order
        return x

    def descent(self, x_good: Any, S_2: Sequence[Marked]) -> Descent:
        """T_good, the weights of its nodes and the least values of their leaves."""
        T_good = make_sub_tree(self.tree, x_good)
        zeros = Counter(v for v, y in S_2 if v is not None and not y)
        w, v = dict.fromkeys(T_good, 0), {x_good: 0}
        for node, count in zeros.items():
            x = node
            while x is not None:
                if x in w:
                    w[x] += count
                x = self.tree.parent(x)
        for x, children in T_good.items():
            v |= {child: v[x] + zeros[child] for child in children}
        least: dict[Any, int] = {}
        for x in reversed(T_good):
            least[x] = min((least[child] for child in T_good[x]), default=v[x])
        return Descent(T_good, w, least)
