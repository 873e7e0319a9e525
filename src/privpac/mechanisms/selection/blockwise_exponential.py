"""Selection among very many public candidates: their errors come in blocks that are counted, then thrown away.

proof: docs/proofs/rule_learner.md

Throughout this file
    block     an array of the errors of candidates, cheap enough to be computed twice; the place of each candidate is
              public. If numpy only repeats a block along its first axis, one copy is counted for all
    kind      the number of a block's log prior
    r         e^(ε/2); a candidate weighs r^(−errors)
    λ         at least ln(r·(1−δ)/δ): the discount of a candidate that exists because of the records
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.selection.exponential import Menu, Selection, log_at_least, reach, short_list
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Data


@dataclass(frozen=True)
class BlockExponential(Selection):
    """(block, place in it) with probability ∝ e^(−ε·errors/2); ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> BlockExponential(Budget(1)).release([np.array([900]), np.array([[800, 700], [0, 900]])], SYSTEM)
    (1, 2)
    """

    cost: Budget
    name: ClassVar[str] = "exponential over blocks"
    theorem: ClassVar[str] = "rule learner, Theorem 1"

    @property
    def log_priors(self) -> tuple[float, ...]:
        """The log priors of blocks 0, 1, …; the last one applies to all further blocks."""
        return (0.0,)

    def menu(self, data: Iterable[Ints]) -> Menu:
        priors, rate = self.log_priors, self.cost.epsilon / 2
        least, sizes = zip(*((int(without_copies(block)[0].min()), block.size) for block in data), strict=True)

        def menu_of(most: int | None) -> Menu:
            totals: Counter[tuple[int, int]] = Counter()
            for number, block in enumerate(data):
                kind = min(number, len(priors) - 1)
                rows, copies = without_copies(block)
                for errors, count in by_errors(rows if most is None else rows[rows <= most]):
                    totals[errors, kind] += copies * count
            groups = sorted(totals)  # the fewest errors first
            scores, kinds = [-errors for errors, _ in groups], [kind for _, kind in groups]
            counts = np.array([totals[group] for group in groups])

            def outcome(group: int, member: int) -> tuple[int, int]:
                errors, kind = groups[group]
                blocks = islice(enumerate(data), kind, None if kind == len(priors) - 1 else kind + 1)
                return place(blocks, errors, member)

            return Weights(scores, rate, counts, np.take(priors, kinds)), outcome

        spread = max(priors) - min(priors)
        return short_list(menu_of(min(least) + reach(sum(sizes).bit_length(), rate, spread)), lambda: menu_of(None))


@dataclass(frozen=True)
class VariantExponential(BlockExponential):
    """(v, h) with probability ∝ e^(−λ − ε·errors/2), h alone with probability ∝ e^(−ε·errors/2); (ε, δ)-DP.

    h is a public candidate, and v a value that some record has. The first block has all h alone, the others have pairs
    (v, h). ``data.candidate(block, place)`` names a candidate.

    >>> from privpac.exact.entropy import SYSTEM
    >>> class Carriers(list):
    ...     def candidate(self, block, place):
    ...         return ("EV" if block else None), place
    >>> data = Carriers([np.array([900]), np.array([[0]])])
    >>> VariantExponential(Budget(1, 1e-6)).release(data, SYSTEM)
    ('EV', 0)
    """

    name: ClassVar[str] = "exponential with variants"
    theorem: ClassVar[str] = "rule learner, Theorem 3"

    @property
    def log_priors(self) -> tuple[float, ...]:
        return 0.0, -log_at_least((1 - self.cost.delta) / self.cost.delta, self.cost.epsilon / 2)

    def menu(self, data: Data) -> Menu:
        weights, outcome = super().menu(data)
        return weights, lambda group, member: data.candidate(*outcome(group, member))


def without_copies(block: Ints) -> tuple[Ints, int]:
    """A block without copies along the first axis, and the number of copies.

    >>> rows, copies = without_copies(np.broadcast_to(np.array([3, 5]), (7, 2)))
    >>> rows.tolist(), copies
    ([3, 5], 7)
    """
    return (block[0], len(block)) if block.ndim and len(block) > 1 and block.strides[0] == 0 else (block, 1)


def by_errors(block: Ints) -> Iterable[tuple[int, int]]:
    """The distinct entries of a block, and how often each occurs.

    >>> list(by_errors(np.array([[3, 5], [5, 3]])))
    [(3, 2), (5, 2)]
    """
    if not block.size:
        return ()
    least = int(block.min())
    if block.max() - least > 8 * block.size:
        entries, counts = np.unique(block, return_counts=True)
        return zip(entries.tolist(), counts.tolist(), strict=True)
    counts = np.bincount((block - least).ravel())
    entries = np.flatnonzero(counts)
    return zip((entries + least).tolist(), counts[entries].tolist(), strict=True)


def place(data: Iterable[tuple[int, Ints]], errors: int, member: int) -> tuple[int, int]:
    """The ``member``-th entry of numbered blocks that equals ``errors``: its block, and its place there.

    >>> place(enumerate([np.array([4]), np.array([[3, 5], [5, 3]])]), 5, 1)
    (1, 2)
    """
    for number, block in data:
        rows, copies = without_copies(block)
        matches = np.flatnonzero(rows == errors)
        if member < copies * len(matches):
            copy, match = divmod(member, len(matches))
            return number, copy * rows.size + int(matches[match])
        member -= copies * len(matches)
    raise IndexError("fewer candidates have this number of errors")
