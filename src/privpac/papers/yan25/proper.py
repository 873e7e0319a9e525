"""ProperLearner [Yan25, §6]: goes down from the node that OPTPrivateLearner finds to a concept of the class.

Throughout this file
    S_1, S_2    a random partition of the examples: x_good comes from S_1, the way down from S_2
    T_good      the tree below x_good, down to the first concepts: its leaves are its proper nodes   [Alg. 3]
    label       of an example (x, y) is y XOR f(x), for the reference concept f of its tree
    w(x)        examples of S_2 with label 0 at or below x                                           [Def. 18]
    v(x)        examples of S_2 with label 0 on the path from x_good to x, except those at x_good    [Def. 19]
    θ, T        a child is light if w(x) ≤ θ·N₂; there are at most T steps          ε₀   the cost of each release

In a star, ∅ has one child for each point, and all children are leaves. The points that no example labels 0 form one
group, OTHERS: if it is chosen, one of its points is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import Ask, Uniform
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.points import unseen
from privpac.papers.yan25.classes_as_trees import Star
from privpac.papers.yan25.improper import OPTPrivateLearner, Partition, TreeLearner
from privpac.papers.yan25.sizes import LIGHT_SHARES, printed_second, second_size, steps
from privpac.papers.yan25.trees import NodeSample, longest_descent, make_sub_tree
from privpac.privacy.accounting.composition import per_use
from privpac.privacy.budget import Budget, as_rational

GOOD_SHARES = tuple(Fraction(i, 8) for i in (1, 2, 4, 6))  # shares of α for x_good to try
OTHERS = "others"  # the points that no example of S_2 labels 0


@lru_cache(maxsize=64)  # many plans share a cost
def release_cost(cost: Budget, T: int) -> Budget:
    """ε₀, with which the 2T releases of T steps cost at most ``cost``."""
    return per_use(cost, 2 * T)


class ProperPlan(NamedTuple):
    """The numbers of both parts: the goal for x_good, and the parameters of the way down from it."""

    alpha: Fraction  # the error of x_good
    beta: Fraction  # the probability that x_good exceeds it
    theta: Fraction  # θ
    T: int
    release_cost: Budget  # ε₀
    N2: int  # the examples of S_2


class Descent(NamedTuple):
    """T_good, and the numbers of each node on which the way down depends."""

    T_good: Mapping[Hashable, tuple[Any, ...]]  # node → children
    w: Mapping[Hashable, int]
    least_v: Mapping[Hashable, int]  # the least v of a leaf at or below the node
    others: int = 0  # the number of points in OTHERS


@dataclass(frozen=True)
class ProperLearner(TreeLearner):
    """[Yan25, Alg. 4]: a proper learner for every class of VC dimension 1 whose tree can be listed.

    The number of points must be declared; they are 0 … size − 1, so that each has a name.

    Privacy   (ε, δ) for all inputs: yan25, Theorem 2
    Utility   realizable: yan25, Theorem 4

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.classes.values.points import Points
    >>> fork = ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]], points="abc")
    >>> learner = ProperLearner(fork, Budget(4, 1e-6), 0.4, constants="tight")
    >>> learner.N, str(learner.learn(list("abc") * 400, [1, 0, 1] * 400))
    (1154, 'x is one of a, c')
    >>> print(ProperLearner(Points(2**16), Budget(4, 1e-6), 0.4, constants="tight").learn([7, 5] * 600, [1, 0] * 600))
    x = 7
    """

    name: ClassVar[str] = "ProperLearner"
    theorem: ClassVar[str] = "yan25, Theorem 2"
    least_goal: ClassVar[Fraction] = Fraction(1, 10**100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.tree.is_proper(self.tree.root) or (isinstance(self.tree, Star) and self.tree.size < inf)):
            raise ValueError(
                "the root is not a concept, and the nodes below it have no names: declare the number of points, as in "
                "Points(N), and number them 0 … N − 1; or list some points of the class with materialize(points)"
            )
        _ = self.N  # a plan that is impossible fails here, before anything is spent

    def stays_in(self, H: ConceptClass) -> bool:
        return self.concept_class == H

    @property
    def domain(self) -> Domain:
        """Where points come from; points without a name are numbers."""
        return Line(0, int(self.tree.size) - 1) if isinstance(self.tree, Star) else super().domain

    @cached_property
    def plan(self) -> ProperPlan:
        """The printed plan, or the tight plan for the shares of α with the fewest examples."""
        α, β = as_rational(self.alpha, "alpha"), as_rational(self.beta, "beta")
        if self.constants == "printed":
            ε, δ = float(self.cost.epsilon), float(self.cost.delta)
            return self._plan_for(α, β, α)._replace(N2=ceil(printed_second(float(α), float(β), ε, δ)))
        if not longest_descent(self.tree):
            return self._plan_for(α, β, α)  # every x_good is a concept

        def best_with(good: Fraction) -> ProperPlan:
            plans = [self._plan_for(good * α, β / 2, light * (1 - good) * α) for light in LIGHT_SHARES]
            return min(plans, key=lambda plan: plan.N2)

        return min(map(best_with, GOOD_SHARES), key=lambda plan: self._improper(plan).N + plan.N2)

    def _plan_for(self, alpha: Fraction, beta: Fraction, theta: Fraction) -> ProperPlan:
        """The plan that leaves to S_2 the part of α and β that x_good does not use."""
        T = steps(theta, longest_descent(self.tree))
        α_2 = as_rational(self.alpha, "alpha") - alpha
        ε_0 = release_cost(self.cost, max(T, 1))  # E-Yan25-10: 2T exactly, not ε/√(2·ln(2/δ)/α)
        N2 = second_size(ε_0, α_2, float(self.beta) - float(beta), theta, T) if T and α_2 else 0
        return ProperPlan(alpha, beta, theta, T, ε_0, N2)

    def _improper(self, plan: ProperPlan) -> OPTPrivateLearner:
        return OPTPrivateLearner(self.tree, self.cost, plan.alpha, plan.beta, self.constants, self.median, self.t)

    @cached_property
    def improper(self) -> OPTPrivateLearner:
        """Algorithm 2, on S_1."""
        return self._improper(self.plan)

    @property
    def N(self) -> int:  # noqa: N802
        """N₁ + N₂ [Yan25, Thm 13]."""
        return self.improper.N + self.plan.N2

    def node(self, S: NodeSample, ask: Ask) -> Hashable:
        """Steps 1 to 8."""
        N2 = len(S) * self.plan.N2 // self.N
        in_S_2 = np.asarray(ask(Partition((len(S) - N2, N2)), None), dtype=bool)
        x_good = self.improper.node(S.subset(~in_S_2), ask)
        return self.down(x_good, S.subset(in_S_2), ask)

    def down(self, x_good: Hashable, S_2: NodeSample, ask: Ask) -> Hashable:
        """Steps 3 to 8: a proper node at or below x_good."""
        if self.tree.is_proper(x_good):
            return x_good
        T_good, w, least_v, others = self.descent(x_good, S_2)
        θ, ε_0, n = self.plan.theta, self.plan.release_cost, len(S_2)
        x_flag, noisy_count = x_good, DiscreteLaplace(ε_0, 1, 0, n)
        for _ in range(self.plan.T):
            X_children = T_good[x_flag]
            if not X_children:
                break  # E-Yan25-11: a leaf has no children to choose from
            choice = Exponential(ε_0, [others if x is OTHERS else 1 for x in X_children])
            light = ask(noisy_count, min(w[x] for x in X_children)) <= θ * n  # E-Yan25-11: N is N₂
            # Below a child of little weight every leaf is good. Otherwise, go toward the best leaf.
            q = w if light else least_v
            x_flag = X_children[ask(choice, [-q[x] for x in X_children])]
            if light:
                break
        x = self.first_leaf(T_good, x_flag)
        if x is not OTHERS:
            return x
        zeros = [j for (j,) in X_children[:-1]]  # the points that are not among OTHERS
        return (unseen(zeros, ask(Uniform(others), None)),)

    def first_leaf(self, T_good: Mapping[Hashable, tuple[Hashable, ...]], x: Hashable) -> Hashable:
        """The first leaf at or below x."""
        while T_good[x]:
            x = T_good[x][0]  # E-Yan25-11: in a public order
        return x

    def descent(self, x_good: Hashable, S_2: NodeSample) -> Descent:
        """T_good, the weights of its nodes and the least values of their leaves."""
        zeros = Counter({v: count for (v, y), count in S_2.counts.items() if v is not None and not y and count})
        if isinstance(self.tree, Star):
            return self._descent_on_star(zeros)
        T_good = make_sub_tree(self.tree, x_good)
        w, v = dict.fromkeys(T_good, 0), {x_good: 0}
        for node, count in zeros.items():
            x = node
            while x is not None:
                if x in w:
                    w[x] += count
                x = self.tree.parent(x)
        for x, children in T_good.items():
            v |= {child: v[x] + zeros[child] for child in children}
        least_v: dict[Hashable, int] = {}
        for x in reversed(T_good):
            least_v[x] = min((least_v[child] for child in T_good[x]), default=v[x])
        return Descent(T_good, w, least_v)

    def _descent_on_star(self, zeros: Counter[Any]) -> Descent:
        """The leaves below ∅, with OTHERS as one of them. At a leaf, w and v are the same."""
        others = int(self.tree.size) - len(zeros)
        children = (*sorted(zeros), *[OTHERS] * (others > 0))
        w = {OTHERS: 0, **zeros}
        return Descent({self.tree.root: children, **dict.fromkeys(children, ())}, w, w, others)
