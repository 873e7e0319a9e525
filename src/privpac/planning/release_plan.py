"""How many records it takes to answer all queries of a class at once, next to published bounds.

proof: docs/proofs/measured_certificate.md, Theorem 2

A *certified* number is known before any record is read. Most releases have none: they measure their error when they
run. It depends on the records, and is usually far smaller than any number that holds for all records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.planning.bounds import RELEASES, Bound, Goal
from privpac.planning.plans import Plan, in_sections
from privpac.planning.published import published_row, smallest_epsilon
from privpac.planning.release_bounds import LABELED_RELEASES, PROVED_RELEASES
from privpac.planning.rows import CERTIFIED, NOTHING, Row, Sought
from privpac.privacy.bisection import smallest_upto
from privpac.refusals.refusal import Sentence, Setting
from privpac.release.algorithm import ReleaseAlgorithm
from privpac.release.choice import sanitizers
from privpac.release.sanitizer import Sanitizer
from privpac.requests.conditions import Conditions

MEASURED = Fraction(1, 10)  # the share of ε that measures the error, by default
MOST = 2**60  # the most records that a plan considers
WITHOUT_LABELS = "no labels"
ALL_BOUNDS = (*RELEASES, *PROVED_RELEASES, *LABELED_RELEASES)


@dataclass(frozen=True)
class ReleasePlan(Plan):
    """What each release of a class needs or reaches. The error is that of the worst answer, as a share of n.

    >>> import privpac as pp
    >>> print(pp.plan(pp.Points(2**16), epsilon=1, delta=1e-6, task="release").best.learner)
    PointSanitizer
    """

    subject: ClassVar[str] = "release"
    about: ClassVar[str] = "Records to release all answers about"
    doing: ClassVar[str] = "A release"
    bounds: ClassVar[tuple[Bound, ...]] = ALL_BOUNDS

    def certified_at(self, concept_class: ConceptClass, goal: Goal) -> tuple[Row, ...]:
        return release_rows(concept_class, goal)

    def _proper_cell(self, row: Row) -> dict[str, str]:
        return {}

    @property
    def _labels_in_words(self) -> str:
        return "all queries at once"

    def _reach(self, error: str, within: str) -> str:
        return f"answer all queries of the class, each with an error of at most {error}"

    @property
    def with_units(self) -> list[Sentence]:
        """What n counts, if records of a unit are protected together."""
        k = self.goal.max_records
        places = f"n counts places: {k} for each unit, whether its records fill them or not."
        return [] if k is None else [Sentence((places,))]

    @property
    def whose_rules(self) -> list[Sentence]:
        """None: a release has no rules."""
        return []

    @property
    def by_default(self) -> list[Sentence]:
        """Notes on the default sanitizer, if it is not the best one, and on sanitizers without a certified number."""
        uncertified = [row.learner for row in self.rows if row.title and not row.kind.certified]
        measured = [Sentence((f"{name} measures its error on the records, when it runs.",)) for name in uncertified]
        if self.best is None or self.best.learner == self.default:
            return measured
        setting = Setting.to("method", self.best.learner)
        default = Sentence((f"By default, {self.default} answers this class; ", setting, " uses the best row."))
        return [default, *measured]


def release_plan(plan: ReleasePlan, conditions: Conditions) -> ReleasePlan:
    """The plan with its rows and its default sanitizer."""
    plan = replace(plan, regime=WITHOUT_LABELS)
    alone = plan.goal.max_records is None  # published bounds protect each record by itself
    published = [published_row(each, plan) for each in ALL_BOUNDS if alone]
    rows = [*release_rows(plan.concept_class, plan.goal, plan.n, plan.sought), *(row for row in published if row)]
    preferred = sanitizers(plan.concept_class, conditions.terms(plan.n or 1))
    return replace(in_sections(plan, rows), default=preferred[0].name if preferred else None)


def release_rows(
    concept_class: ConceptClass, goal: Goal, n: int | None = None, sought: Sought = Sought.RECORDS
) -> tuple[Row, ...]:
    """One row for each sanitizer of the class.

    >>> from privpac.classes.values.points import Points
    >>> [(row.learner, row.n) for row in release_rows(Points(), Goal(0.1, 0.05, 1.0, 1e-6))]
    [('PointSanitizer', 540)]
    """
    conditions = goal.conditions()
    able = sanitizers(concept_class, conditions.terms(n or 1))
    return tuple(_row(each, concept_class, conditions, n, sought) for each in able)


def _row(sanitizer: Sanitizer, H: ConceptClass, asked: Conditions, n: int | None, sought: Sought) -> Row:
    """The row of one sanitizer: the number of records, the error, or the ε that it certifies, whichever is sought."""
    α, conditions, records = asked.alpha, asked, n

    def gap(conditions: Conditions, n: int) -> int | None:
        return ReleaseAlgorithm.of(H, conditions, sanitizer.name, MEASURED, n).sanitizer.known_gap(n)

    def is_enough(conditions: Conditions, n: int) -> bool:
        errors = gap(conditions, n)
        return errors is not None and errors <= α * n

    known = gap(asked, n or 1) is not None
    error: Fraction | None = α
    if sought is Sought.RECORDS:
        records = smallest_upto(MOST, lambda n: is_enough(asked, n), ceil(1 / α) - 1) if known else None
    elif n is not None and sought is Sought.ERROR:
        error = Fraction(gap(asked, n) or 0, n) if known else None
    elif n is not None:
        ε = smallest_epsilon(lambda ε: is_enough(replace(asked, epsilon=ε), n)) if known else None
        conditions, known = replace(asked, epsilon=ε or asked.epsilon), ε is not None
    certified = known and records is not None
    cost = ReleaseAlgorithm.of(H, conditions, sanitizer.name, MEASURED, records or 1).cost
    # The default δ depends on the number of records, so it is unknown as long as that number is.
    unknown_delta = asked.delta is None and records is None and not sanitizer.pure
    return Row(
        learner=sanitizer.name,
        n=records,
        alpha=float(error) if certified and error is not None else None,
        proper=None,
        privacy=f"ε = {float(cost.epsilon):g}" if unknown_delta else str(cost),
        kind=CERTIFIED if certified else NOTHING,
        source=sanitizer.theorem,
        title=sanitizer.title,
        delta=None if unknown_delta else float(cost.delta),
        epsilon=float(conditions.epsilon) if certified else None,
    )
