"""Private selection of a cut of a line: every value is a candidate, yet it takes only one sort.

proof: docs/proofs/threshold_learner.md

Throughout this file
    t, above  the rule that says ``above`` from value number t on and the opposite below; t = 0 and t = ``size`` are
              constants
    p         a split: the values up to p are below the cut t = p + 1
    err       the errors of a rule: how many records it gets wrong, each as often as the sample counts it. One record
              changes this number by at most 1, unless errors have weights (see CutExponential)
    gap       the cuts between two neighboring values of records; they err alike. Only *whole* gaps are listed: those
              with no skipped records in them and no stand-in beside them, so that their errors are exact (see
              ordered_cuts)
    C         the cap of public-stable selection
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.lines.dyadic_trie import MIDDLE, Proposal, bits, most_supported
from privpac.mechanisms.lines.ordered_cuts import Gaps, OrderedCuts
from privpac.mechanisms.selection.exponential import Menu, Selection, log_at_least, reach, short_list
from privpac.mechanisms.selection.public_stable import Public, PublicStableExponential, Stable
from privpac.privacy.budget import Budget

CONSTANTS = ("never", "always")


@dataclass(frozen=True)
class CutSelection(Selection):
    """A selection of a cut of a line of ``size`` values; ``directions`` are the labels that rules may give above it."""

    cost: Budget
    size: int
    directions: tuple[bool, ...] = (True,)

    @property
    @abstractmethod
    def proposals(self) -> tuple[Proposal, ...]:
        """The cuts that the nodes of the trie propose."""

    @abstractmethod
    def bound(self, data: OrderedCuts) -> int:
        """A number of errors such that all candidates with more weigh, together, less than 2^-64 of the others."""

    @abstractmethod
    def weights(self, constants: Ints, nodes: Stable, cuts: Public) -> Weights:
        """The weights of the constants, the nodes, and the cuts, in this order."""

    def menu(self, data: OrderedCuts) -> Menu:
        bound = self.bound(data)
        gaps = data.splits(bound, self.directions, self.proposals)
        near = self._menu(data, gaps, lambda errors: errors <= bound)
        if bound >= data.records:
            return near

        def everything() -> Menu:
            far, rule = self._menu(data, data.splits(proposals=self.proposals), lambda errors: errors > bound)
            # After the near groups come the far ones, without the constants that begin ``far``.
            skipped = len(near[0].scores) - len(CONSTANTS)
            return _joined(near[0], far), lambda group, member: rule(group - skipped, member)

        return short_list(near, everything)

    def _menu(self, data: OrderedCuts, gaps: Gaps, condition: Callable[[Ints], NDArray[np.bool_]]) -> Menu:
        """The constants, and the nodes and cuts whose errors satisfy the condition."""
        errors = np.array([gaps.errors if above else data.records - gaps.errors for above in self.directions])
        menu_gaps = gaps.whole & condition(errors)  # by direction and gap
        node_side, node = np.nonzero(menu_gaps[:, gaps.nodes.gap])
        cut_side, gap = np.nonzero(menu_gaps)
        weights = self.weights(
            np.array([data.ones.number, data.zeros.number]),
            Stable(
                names=range(len(node)),
                level=np.zeros_like(node),
                support=gaps.nodes.support[node],
                errors=errors[node_side, gaps.nodes.gap[node]],
                counts=gaps.nodes.length[node],
            ),
            Public(names=range(len(gap)), errors=errors[cut_side, gap], counts=gaps.lengths[gap]),
        )

        def outcome(group: int, member: int) -> tuple[int, bool]:
            if group < len(CONSTANTS):
                above, never = self.directions[0], CONSTANTS[group] == "never"
                return (self.size if never == above else 0), above  # no value is at or above ``size``
            group -= len(CONSTANTS)
            if group < len(node):
                p = gaps.nodes.splits(int(node[group]))[member]
                return min(p + 1, self.size), self.directions[node_side[group]]
            group -= len(node)
            return int(gaps.starts[gap[group]]) + member + 1, self.directions[cut_side[group]]

        return weights, outcome


@dataclass(frozen=True)
class CutExponential(CutSelection):
    """All cuts and both constants with probability ∝ e^(−ε·err/span); ε-DP.

    One record changes the difference between the errors of any two rules by at most ``span``: 2 or, if errors on the
    labels 0 and 1 cost a and b, a + b in one direction and 2·max(a, b) in both.

    >>> from privpac.data.samples.sample import Sample
    >>> from privpac.mechanisms.lines.ordered_cuts import ordered
    >>> records = Sample(np.array([1, 2], dtype=np.uint64), np.array([False, True]), None, 2)
    >>> law = CutExponential(Budget(2), 4).law(ordered(records, 4))
    >>> {rule: round(float(p), 3) for rule, p in sorted(law.items())}
    {(0, True): 0.149, (1, True): 0.149, (2, True): 0.405, (3, True): 0.149, (4, True): 0.149}
    """

    span: int = 2
    proposals: ClassVar[tuple[Proposal, ...]] = ()
    name: ClassVar[str] = "exponential cut"
    theorem: ClassVar[str] = "threshold learner, Theorem 1"

    def bound(self, data: OrderedCuts) -> int:
        return data.least(self.directions) + reach(self.size.bit_length() + 1, self.cost.epsilon / self.span)

    def weights(self, constants: Ints, nodes: Stable, cuts: Public) -> Weights:
        lengths = np.asarray(cuts.counts)
        counts = np.concatenate([np.ones(len(constants), dtype=lengths.dtype), lengths])
        return Weights(-np.concatenate([constants, cuts.errors]), self.cost.epsilon / self.span, counts)


@dataclass(frozen=True)
class CutStable(CutSelection):
    """Public-stable selection with cap C among the constants, the cuts that nodes propose, and all cuts; (ε, δ)-DP.

    >>> from privpac.data.samples.sample import Sample
    >>> from privpac.mechanisms.lines.ordered_cuts import ordered
    >>> records = Sample(np.full(90, 5, dtype=np.uint64), np.full(90, True), None, 90)
    >>> law = CutStable(Budget(1, 1e-6), 8, cap=10).law(ordered(records, 8))
    >>> round(float(law[0, True]), 3)  # always
    0.275
    """

    cap: int = 0
    proposals: tuple[Proposal, ...] = (MIDDLE,)
    name: ClassVar[str] = "public stable cut"
    theorem: ClassVar[str] = "threshold learner, Theorem 2"

    def bound(self, data: OrderedCuts) -> int:
        nodes = data.records * self.levels
        return self.cap + reach(nodes.bit_length() + 2, self.cost.epsilon / 2)

    @property
    def levels(self) -> int:
        """The number of candidates that one record supports, which public-stable selection calls levels; at least 1."""
        return max(most_supported(bits(self.size), self.proposals) * len(self.directions), 1)

    def weights(self, constants: Ints, nodes: Stable, cuts: Public) -> Weights:
        selection = PublicStableExponential(self.cost, self.levels, self.cap)
        log_prior = -log_at_least(Fraction(self.size * len(self.directions)))
        weights, _ = selection.menu((list(CONSTANTS), constants, nodes, cuts._replace(log_prior=log_prior)))
        return weights


def _joined(near: Weights, far: Weights) -> Weights:
    """All groups: those of ``near``, then those of ``far`` without the constants."""
    scores, counts, priors = (
        None if first is None or second is None else np.concatenate([first, second[len(CONSTANTS) :]])
        for first, second in ((near.scores, far.scores), (near.counts, far.counts), (near.log_prior, far.log_prior))
    )
    assert scores is not None
    return Weights(scores, near.rate, counts, priors)
