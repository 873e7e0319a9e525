"""The algorithms of papers as rows of plans: what is proved here, and how many records they ask for in print."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.classes.concept_class import ConceptClass
from privpac.learners.sample_sizes import certified_n
from privpac.papers.edition import Edition
from privpac.papers.editions import EDITIONS
from privpac.papers.methods import METHODS, PRINTED
from privpac.planning.learner_rows import learner_row
from privpac.planning.rows import Constants, Kind, Row, Section, Sought
from privpac.requests.conditions import Conditions

PUBLISHED = Kind(Section.PUBLISHED, Constants.HIDDEN)


def paper_rows(concept_class: ConceptClass, conditions: Conditions, n: int | None, sought: Sought) -> tuple[Row, ...]:
    """A row for each algorithm that learns the class with a certificate, from n records that it does not refuse.

    Algorithms whose number is not found at once are left out (``Edition.at_once``).

    >>> from privpac.classes.values.points import Points
    >>> conditions = Conditions.of(alpha=0.25, delta=1e-6, regime="realizable")
    >>> [(row.learner, row.n) for row in paper_rows(Points(), conditions, None, Sought.RECORDS)]
    [('OPTPrivateLearner', 1465), ('PolyPriLearn', 285)]
    """
    able = [each for each in EDITIONS if each.runs and each.at_once(concept_class)]
    usable = [each for each in able if conditions.regime in {"realizable", each.regime}]
    rows = [(each, tight_row(each, concept_class, conditions, n, sought)) for each in usable]
    return tuple(
        row for each, row in rows if row and row.kind.certified and _runs(each, concept_class, conditions, row)
    )


def _runs(edition: Edition, concept_class: ConceptClass, conditions: Conditions, row: Row) -> bool:
    """Whether the algorithm takes as many records as the row says; some would have to list too much for them."""
    assert row.n is not None  # it is certified
    aimed = replace(conditions, alpha=Fraction(str(row.alpha)), epsilon=Fraction(str(row.epsilon)))
    try:
        METHODS[edition.name](concept_class, aimed.terms(row.n)).algorithm.check_size(row.n)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=256)
def tight_row(
    edition: Edition,
    concept_class: ConceptClass,
    conditions: Conditions,
    n: int | None = None,
    sought: Sought = Sought.RECORDS,
) -> Row | None:
    """What is proved here; None if the algorithm does not learn the class. Without a proof, the row has no n.

    >>> from privpac.papers.editions import edition_named
    >>> from privpac.classes.values.points import Points
    >>> conditions = Conditions.of(alpha=0.25, delta=1e-6, regime="realizable")
    >>> row = tight_row(edition_named("polypri"), Points(40), conditions)
    >>> row.n, str(row.kind)
    (285, 'certified')
    """
    kind = METHODS[edition.name]
    if kind(concept_class, conditions.terms(n or 1)).obstacle:
        return None
    needed = certified_n(kind, concept_class, conditions) if n is None else None
    return learner_row(kind, needed, concept_class, conditions, n, sought)


@lru_cache(maxsize=256)
def printed_row(edition: Edition, concept_class: ConceptClass, conditions: Conditions) -> Row | None:
    """What the paper asks for, at the δ of few records; None if the algorithm does not run with printed numbers."""
    if not edition.printed:
        return None
    learner = METHODS[edition.name + PRINTED](concept_class, conditions.terms(1))
    if learner.obstacle:
        return None
    cost, N = learner.cost, learner.algorithm.N
    return Row(
        learner=learner.name,
        n=N,
        alpha=float(conditions.alpha),
        proper=learner.proper,
        privacy=str(cost),
        kind=PUBLISHED,
        source=f"[{edition.place}]",
        automatic=learner.automatic,
        paper=learner.aims,
        delta=float(cost.delta),
        epsilon=float(cost.epsilon),
    )
