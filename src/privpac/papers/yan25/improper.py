"""OPTPrivateLearner [Yan25, §5]: a private median of the lengths of paths, and a choice of the node at that depth.

Throughout this file
    S_i    the i-th of t subsets of the examples, their labels read as y XOR f(x)
    B_i    the path that S_i determines, represented by its last node; None if no concept fits S_i       [Def. 15]
    y_i    the length of B_i: one of the d numbers 0, …, d − 1             z    a private median of y_1, …, y_t
    q      for each node at depth z, how many of the paths B_i contain it  x_good    the node that is returned
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import ceil
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.exact.entropy import Entropy
from privpac.exact.subsets import shuffled
from privpac.mechanisms.algorithm import FREE, Ask
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.paper_learner import Examples, PaperLearner, store_approximate_goal
from privpac.papers.yan25.classes_as_trees import TreeOrderClass
from privpac.papers.yan25.medians import MEDIANS, Median
from privpac.papers.yan25.sizes import Subsets, printed_subsets, sample_size, split, subset_size
from privpac.papers.yan25.trees import NodeSample, path_end, relabeling, rule, tree_of
from privpac.privacy.budget import Budget, Number, as_count, as_rational
from privpac.privacy.ledger import Mechanism
from privpac.refusals.option_words import PaperConstants, one_of


@dataclass(frozen=True)
class Partition(Mechanism):
    """A random partition into parts of these sizes: for each record, the number of its part. All are equally likely.

    >>> {deal: round(float(p), 3) for deal, p in sorted(Partition((2, 1)).law(None).items())}
    {(0, 0, 1): 0.333, (0, 1, 0): 0.333, (1, 0, 0): 0.333}
    """

    sizes: tuple[int, ...]
    cost: Budget = FREE
    name: ClassVar[str] = "partition"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Any, coins: Entropy) -> NDArray[np.intp]:
        deal = np.empty(sum(self.sizes), dtype=np.intp)
        deal[shuffled(deal.size, coins)] = self._parts
        return deal

    def law(self, data: Any) -> dict[tuple[int, ...], arb]:
        deals = set(permutations(self._parts.tolist()))
        with ctx.workprec(128):
            return dict.fromkeys(deals, 1 / arb(len(deals)))

    @property
    def _parts(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


@dataclass(frozen=True)
class TreeLearner(PaperLearner):
    """The parameters of both learners of the paper.

    ``median`` is a name in MEDIANS or a function that makes a median; it takes half of ε and of δ. ``t`` is the
    number of subsets; None means the number in Theorem 11, and with fewer than that, N guarantees nothing.
    """

    concept_class: ConceptClass
    cost: Budget
    alpha: Number = 0.1
    beta: Number = 0.05
    constants: PaperConstants = "printed"
    median: str | Median = "dyadic"
    t: int | None = None
    least_goal: ClassVar[Fraction] = Fraction(1, 10**200)  # the least α and β: below it, sizes are too large for floats
    tree: TreeClass = field(init=False, repr=False, compare=False)  # T, with its reference concept f

    def __post_init__(self) -> None:
        one_of("constants", self.constants, PaperConstants)
        store_approximate_goal(self, self.least_goal)
        if not (callable(self.median) or self.median in MEDIANS):
            raise ValueError(f"median must be one of {', '.join(MEDIANS)}, or a function that makes one")
        if self.t is not None:
            as_count(self.t, "t")
        object.__setattr__(self, "tree", tree_of(self.concept_class))

    @property
    def domain(self) -> Domain:
        return self.concept_class.domain

    def learns(self, H: ConceptClass) -> bool:
        return self.t is None and self.concept_class == H

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        return rule(self.tree, self.node(relabeling(self.tree, data), ask))

    @abstractmethod
    def node(self, S: NodeSample, ask: Ask) -> Hashable:
        """The node whose rule is returned, once the labels are read as y XOR f(x)."""


@dataclass(frozen=True)
class OPTPrivateLearner(TreeLearner):
    """[Yan25, Alg. 2]: an improper learner for every class of VC dimension 1.

    Privacy   (ε, δ) for all inputs: yan25, Theorem 1
    Utility   realizable: yan25, Theorem 3

    >>> from privpac.classes.tree_orders.paths import RootPaths
    >>> folders = RootPaths("/", height=8)
    >>> OPTPrivateLearner(folders, Budget(1, 1e-6)).N, OPTPrivateLearner(folders, Budget(1, 1e-6), constants="tight").N
    (289531100, 4395)
    >>> learner = OPTPrivateLearner(folders, Budget(1, 1e-6), constants="tight")
    >>> print(learner.learn(["/usr", "/usr/lib", "/var"] * 5000, [1, 1, 0] * 5000))
    x lies on the path to usr/lib
    """

    name: ClassVar[str] = "OPTPrivateLearner"
    theorem: ClassVar[str] = "yan25, Theorem 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.selection, self.split  # a plan that is impossible fails here, before anything is spent

    @cached_property
    def d(self) -> int:
        """How many depths a node can have."""
        return (self.tree.height or 0) + 1

    @cached_property
    def private_median(self) -> Mechanism:
        """PrivateMedian, on the depths 0, …, d − 1."""
        make = self.median if callable(self.median) else MEDIANS[self.median]
        half = Budget(self.cost.epsilon / 2, self.cost.delta / 2)
        return make(half, Line(0, self.d - 1), as_rational(self.beta, "beta") / 3)

    @cached_property
    def selection(self) -> SparseExponential:
        """The sparse exponential mechanism, in place of the choosing mechanism."""
        remaining = self.cost - self.private_median.cost
        if not (remaining.epsilon > 0 and remaining.delta > 0):
            raise ValueError("the median must leave some of ε and δ: choose one that costs at most half of each")
        return SparseExponential(remaining)

    @cached_property
    def split(self) -> Subsets:
        """t subsets of m records."""
        α, β = float(self.alpha), float(self.beta)
        if self.constants == "printed":
            t = self.t or ceil(printed_subsets(self.d, β, float(self.cost.epsilon), float(self.cost.delta)))
            return Subsets(t, ceil(sample_size(α, β / (t + 2))))
        if self.t:
            return Subsets(self.t, subset_size(α, β / (3 * self.t)))
        third = as_rational(self.beta, "beta") / 3
        rank_error: Any = getattr(self.private_median, "rank_error", lambda t, _: None)
        return split(lambda t: rank_error(t, third), self.selection.cost, α, β)

    @property
    def N(self) -> int:  # noqa: N802
        """t·m [Yan25, Thm 11]."""
        return self.split.records

    @property
    def outputs(self) -> int | float:
        """The nodes of the tree: its root may be no concept."""
        return len(self.tree.parents) if isinstance(self.tree, TreeOrderClass) else self.tree.size + 1

    def node(self, S: NodeSample, ask: Ask) -> Any:
        """x_good: steps 2 to 7."""
        t = self.split.t
        deal = ask(Partition(tuple(len(S) // t + (i < len(S) % t) for i in range(t))), None)
        parts = S.parts(deal, t)
        path = {S_i: path_end(self.tree, S_i) for S_i in set(parts)}
        B = [path[S_i] for S_i in parts]
        y = [self.distance(B_i) for B_i in B]
        z = int(ask(self.private_median, y))
        q: Counter[Hashable] = Counter()
        for B_i, votes in Counter(B).items():
            q.update(dict.fromkeys(self.votes_of(B_i, z), votes))
        x_good = ask(self.selection, q)
        return self.tree.root if x_good is None else x_good  # E-Yan25-5

    def distance(self, B_i: Hashable) -> int:
        """y_i: the depth of the last node of B_i."""
        return 0 if B_i is None else self.tree.depth(B_i)  # E-Yan25-4

    def votes_of(self, B_i: Hashable, z: int) -> list[Hashable]:
        """The nodes at depth z in B_i: at most one."""
        return [self.tree.ancestor(B_i, z)] if B_i is not None and self.distance(B_i) >= z else []  # E-Yan25-4
