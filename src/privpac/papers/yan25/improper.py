"""OPTPrivateLearner: subsets determine paths; a private median of their lengths, then a choice of the node there.

[Yan25, §5]  docs/references.bib        corrections: docs/errata/Yan25.md        proof: docs/proofs/yan25.md

Throughout this file
    S_i    the i-th of t subsets of the examples, their labels read as y XOR f(x)
    B_i    the path that S_i determines, by its last node; None if no concept fits S_i       [Def. 15]
    y_i    the length of B_i, one of d      z    a private median of them
    P      the nodes at depth z             q    for each of them, how many subsets determine it

Main declarations
    Partition            a random partition of the examples
    Middle               a median from an interior point
    MEDIANS              the private medians by name
    TreeLearner          what both learners of the paper are told
    OPTPrivateLearner    Algorithm 2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, permutations
from math import ceil
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.tree import TreeClass
from privpac.data.line import Line
from privpac.exact.entropy import Entropy
from privpac.mechanisms.interior import interior_size
from privpac.mechanisms.programs import FREE, Ask, Program
from privpac.mechanisms.quantile import QuantileDyadic, QuantileExponential
from privpac.mechanisms.recprefix import RecPrefix, nats
from privpac.mechanisms.selection import SparseExponential
from privpac.papers.base import CONSTANTS, Examples, PaperLearner
from privpac.papers.yan25.sizes import Split, printed_subsets, sample_size, split, subset_size
from privpac.papers.yan25.trees import Marked, determined, marked, rule, tree_of
from privpac.privacy.budget import Budget, Number, as_count, as_rational
from privpac.privacy.ledger import Mechanism

Median = Callable[[Budget, Line, Fraction], Mechanism]  # cost, the line of depths, β → what takes t depths


@dataclass(frozen=True)
class Partition(Mechanism):
    """The numbers 0, 1, … dealt into parts of the given sizes, every deal with the same probability.

    >>> {deal: round(float(p), 3) for deal, p in sorted(Partition((2, 1)).law(None).items())}
    {((0, 1), (2,)): 0.333, ((0, 2), (1,)): 0.333, ((1, 2), (0,)): 0.333}
    """

    sizes: tuple[int, ...]
    cost: Budget = FREE
    name: ClassVar[str] = "partition"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Any, coins: Entropy) -> tuple[tuple[int, ...], ...]:
        n = sum(self.sizes)
        while True:
            keys = np.frombuffer(coins.octets(8 * n), dtype=np.uint64)
            if len(np.unique(keys)) == n:  # given that they differ, every order is as probable
                return self._parts(np.argsort(keys).tolist())

    def law(self, data: Any) -> dict[Any, arb]:
        """The share of the permutations that give each deal."""
        deals = Counter(self._parts(order) for order in permutations(range(sum(self.sizes))))
        with ctx.workprec(128):
            return {deal: arb(count) / deals.total() for deal, count in deals.items()}

    def _parts(self, order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        ends = accumulate(self.sizes, initial=0)
        return tuple(tuple(sorted(order[start:stop])) for start, stop in pairwise(ends))


@dataclass(frozen=True)
class Middle(Program):
    """A median from an interior point of the ``kept`` middle numbers [Yan25, footnote 3].

    >>> Middle(RecPrefix(Budget(1, 1e-6), Line(0, 9)), 41).rank_error(100, Fraction(1, 1000))
    21
    """

    interior: RecPrefix
    kept: int
    theorem: ClassVar[str] = "yan25, Lemma 2"

    @property
    def name(self) -> str:
        return f"{self.interior.name} of the middle"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """That of the interior point."""
        return self.interior.cost

    def run(self, data: Sequence[int], ask: Ask) -> Any:
        m, n = min(self.kept, len(data)), len(data)
        start = (n + 1) // 2 - (m + 1) // 2
        return ask(self.interior, sorted(data)[start : start + m])

    def rank_error(self, n: int, beta: Fraction) -> int | None:
        """Half of what is kept, if that is enough for an interior point."""
        enough = self.interior.enough <= self.kept <= n and self.interior.nats >= nats(beta)
        return (self.kept + 1) // 2 if enough else None


def _dyadic(cost: Budget, line: Line, beta: Fraction) -> QuantileDyadic:
    kept = interior_size(line.size, epsilon=cost.epsilon, delta=cost.delta, beta=beta, method="dyadic")
    return QuantileDyadic(cost, line, kept=kept + 1 - kept % 2)


def _recursive(cost: Budget, line: Line, beta: Fraction) -> Middle:
    interior = RecPrefix(cost, line, nats(beta))
    return Middle(interior, interior.enough)


MEDIANS: dict[str, Median] = {
    "exponential": lambda cost, line, beta: QuantileExponential(Budget(cost.epsilon), line),
    "dyadic": _dyadic,
    "recprefix": _recursive,
}


@dataclass(frozen=True)
class TreeLearner(PaperLearner):
    """What both learners of the paper are told.

    ``median`` is a name of MEDIANS or a function that makes one; it takes half of ε, and of δ. ``t`` is how many
    subsets there are, unless Theorem 11 shall say so; with fewer than it says, N promises nothing.
    """

    concept_class: ConceptClass
    cost: Budget
    alpha: Number = 0.1
    beta: Number = 0.05
    constants: str = "printed"
    median: str | Median = "dyadic"
    t: int | None = None
    tree: TreeClass = field(init=False, repr=False, compare=False)  # T, with its reference concept f

    def __post_init__(self) -> None:
        if self.constants not in CONSTANTS:
            raise ValueError(f"constants must be one of {', '.join(CONSTANTS)}")
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, share := as_rational(getattr(self, name), name))
            if not 0 < share < 1:
                raise ValueError("alpha and beta must lie strictly between 0 and 1")
        if not (self.cost.epsilon > 0 and 0 < self.cost.delta < 1):
            raise ValueError("the budget must have a positive epsilon and a delta strictly between 0 and 1")
        if isinstance(self.median, str) and self.median not in MEDIANS:
            raise ValueError(f"median must be one of {', '.join(MEDIANS)}, or a function that makes one")
        if self.t is not None:
            as_count(self.t, "t")
        object.__setattr__(self, "tree", tree_of(self.concept_class))

    @property
    def domain(self) -> Any:
        """Where points come from."""
        return self.concept_class.domain


@dataclass(frozen=True)
class OPTPrivateLearner(TreeLearner):
    """[Yan25, Alg. 2]: an improper learner for every class of VC dimension 1.

    Privacy   (ε, δ) for all inputs: yan25, Theorem 1
    Utility   realizable: yan25, Theorem 3

    >>> from privpac.classes.paths import RootPaths
    >>> folders = RootPaths("/", height=8)
    >>> OPTPrivateLearner(folders, Budget(1, 1e-6)).N, OPTPrivateLearner(folders, Budget(1, 1e-6), constants="tight").N
    (289531100, 4395)
    >>> learner = OPTPrivateLearner(folders, Budget(1, 1e-6), constants="tight")
    >>> print(learner.learn(["/usr", "/usr/lib", "/var"] * 1500, [1, 1, 0] * 1500))
    x lies on the path to usr/lib
    """

    name: ClassVar[str] = "OPTPrivateLearner"
    theorem: ClassVar[str] = "yan25, Theorem 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.choosing, self.split  # what cannot be planned fails here, before anything is spent

    @cached_property
    def d(self) -> int:
        """How many depths a node can have."""
        return (self.tree.height or 0) + 1

    @cached_property
    def private_median(self) -> Mechanism:
        """PrivateMedian, on the depths 0, …, d − 1."""
        make = MEDIANS[self.median] if isinstance(self.median, str) else self.median
        half = Budget(self.cost.epsilon / 2, self.cost.delta / 2)
        return make(half, Line(0, self.d - 1), as_rational(self.beta, "beta") / 3)

    @cached_property
    def choosing(self) -> SparseExponential:
        """The choosing mechanism's place is taken by the sparse exponential mechanism."""
        return SparseExponential(self.cost - self.private_median.cost)

    @cached_property
    def split(self) -> Split:
        """t subsets of m records."""
        α, β = float(self.alpha), float(self.beta)
        if self.constants == "printed":
            asked = printed_subsets(self.d, β, float(self.cost.epsilon), float(self.cost.delta))
            t = self.t if self.t else ceil(asked)
            return Split(t, ceil(sample_size(α, β / (t + 2))))
        if self.t:
            return Split(self.t, subset_size(α, β / (3 * self.t)))
        third = as_rational(self.beta, "beta") / 3
        rank_error: Any = getattr(self.private_median, "rank_error", lambda t, _: None)
        return split(lambda t: rank_error(t, third), self.choosing.cost, α, β)

    @property
    def N(self) -> int:  # noqa: N802
        """t·m [Yan25, Thm 11]."""
        return self.split.records

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        return rule(self.tree, self.good(marked(self.tree, data), ask))

    def good(self, S: Sequence[Marked], ask: Ask) -> Any:
        """x_good: steps 2 to 7, after the labels were read as y XOR f(x)."""
        t = self.split.t
        parts = ask(Partition(tuple(len(S) // t + (i < len(S) % t) for i in range(t))), None)
        B = [determined(self.tree, {S[j] for j in part}) for part in parts]
        y = [self.distance(B_i) for B_i in B]
        z = int(ask(self.private_median, y))
        q = Counter(x for B_i in B for x in self.voted(B_i, z))
        x_good = ask(self.choosing, q)
        return self.tree.root if x_good is None else x_good  # E-Yan25-5

    def distance(self, B_i: Any) -> int:
        """y_i, the largest distance of a point in B_i."""
        return 0 if B_i is None else self.tree.depth(B_i)  # E-Yan25-4

    def voted(self, B_i: Any, z: int) -> list[Any]:
        """The nodes at depth z in B_i: at most one."""
        return [self.tree.ancestor(B_i, z)] if B_i is not None and self.distance(B_i) >= z else []  # E-Yan25-4
