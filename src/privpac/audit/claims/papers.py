"""The claims of the papers' algorithms, each on all neighbors of the small case that its edition declares."""

from __future__ import annotations

from dataclasses import dataclass

from privpac.audit.claims.case import Case
from privpac.audit.exact_divergence import Worst, worst_divergence
from privpac.papers.edition import Edition


@dataclass(frozen=True)
class OrderedCase(Case):
    """A case whose samples are sequences: neighbors differ at one place, and the law may depend on the order."""

    def exact(self) -> Worst:
        return worst_divergence(self.law, self.universe, self.n, self.claimed, ordered=True)


def claim_of(edition: Edition) -> OrderedCase | None:
    """The claim of an edition; None if it declares no case that is small enough.

    >>> from privpac.papers.editions import edition_named
    >>> claim_of(edition_named("occam")).exact().refuted, claim_of(edition_named("make-tree"))
    (False, None)
    """
    if edition.trial is None:
        return None
    algorithm, records, n = edition.trial()
    about = f"{n} records, each one of {len(records)}"
    return OrderedCase(algorithm, tuple, about, records, n, algorithm.cost)
