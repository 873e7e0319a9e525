"""How many records the algorithms of papers ask for, as rows of a plan: as printed, and as proved here."""

from __future__ import annotations

from functools import lru_cache

from privpac.classes.concept_class import ConceptClass
from privpac.learners.sample_sizes import certified_n
from privpac.papers.edition import Edition
from privpac.papers.methods import METHODS, PRINTED, PaperMethod
from privpac.planning.rows import CERTIFIED, NOTHING, Constants, Kind, Row, Section
from privpac.requests.conditions import Conditions

PUBLISHED = Kind(Section.PUBLISHED, Constants.HIDDEN)


@lru_cache(maxsize=256)
def printed_row(edition: Edition, concept_class: ConceptClass, conditions: Conditions) -> Row | None:
    """What the paper asks for, at the δ of few records; None if the algorithm does not run with printed numbers."""
    if not edition.printed:
        return None
    learner = METHODS[edition.name + PRINTED](concept_class, conditions.terms(1))
    return None if learner.obstacle else _row(learner, learner.algorithm.N, PUBLISHED, f"[{edition.place}]")


@lru_cache(maxsize=256)
def tight_row(edition: Edition, concept_class: ConceptClass, conditions: Conditions) -> Row | None:
    """What is proved here; None if the algorithm does not learn the class. Without a proof, the row has no n.

    >>> from privpac.papers.editions import edition_named
    >>> from privpac.classes.values.points import Points
    >>> conditions = Conditions.of(alpha=0.25, delta=1e-6, regime="realizable")
    >>> row = tight_row(edition_named("polypri"), Points(40), conditions)
    >>> row.n, str(row.kind)
    (285, 'certified')
    """
    kind = METHODS[edition.name]
    if kind(concept_class, conditions.terms(1)).obstacle:
        return None
    n = certified_n(kind, concept_class, conditions)
    learner = kind(concept_class, conditions.terms(n or 1))
    return _row(learner, n, NOTHING if n is None else CERTIFIED, edition.theorem)


def _row(learner: PaperMethod, n: int | None, kind: Kind, source: str) -> Row:
    cost = learner.cost
    return Row(
        learner=learner.name,
        n=n,
        alpha=float(learner.terms.alpha),
        proper=learner.proper,
        privacy=str(cost),
        kind=kind,
        source=source,
        automatic=False,
        delta=float(cost.delta),
        epsilon=float(cost.epsilon),
    )
