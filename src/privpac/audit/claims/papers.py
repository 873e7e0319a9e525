"""The claims of the papers' algorithms, each on all neighbors of the small case that its edition declares."""

from __future__ import annotations

from privpac.audit.claims.case import Case
from privpac.papers.edition import Edition


def claim_of(edition: Edition) -> Case | None:
    """The claim of an edition; None if it declares no case that is small enough.

    >>> from privpac.papers.editions import edition_named
    >>> claim_of(edition_named("occam")).exact().refuted, claim_of(edition_named("make-tree"))
    (False, None)
    """
    if edition.trial is None:
        return None
    algorithm, records, n = edition.trial()
    about = f"{n} records, each one of {len(records)}"
    return Case(algorithm, tuple, about, records, n, algorithm.cost, ordered=True)
