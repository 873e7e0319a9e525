"""Which sanitizer answers a class. The choice never depends on the data."""

from __future__ import annotations

from privpac.classes.concept_class import ConceptClass
from privpac.classes.schemas.schema import Schema
from privpac.refusals.refusal import Refused, RefusedType, Setting, Sketch
from privpac.release.code_trees.sanitizer import CodeTreeSanitizer
from privpac.release.explicit import ExplicitSanitizer
from privpac.release.histograms import CategorySanitizer, PointSanitizer
from privpac.release.lines.sanitizer import LineSanitizer
from privpac.release.rectangles import GridSanitizer
from privpac.release.sanitizer import Sanitizer
from privpac.release.tables.marginals import MarginalSanitizer
from privpac.release.tables.queries import TableQueries
from privpac.release.tables.sanitizer import TableSanitizer
from privpac.requests.conditions import Terms

SANITIZERS: tuple[type[Sanitizer], ...] = (
    CategorySanitizer,
    PointSanitizer,
    CodeTreeSanitizer,
    LineSanitizer,
    MarginalSanitizer,
    GridSanitizer,
    ExplicitSanitizer,
    TableSanitizer,
)


def sanitizers(concept_class: ConceptClass, terms: Terms) -> list[Sanitizer]:
    """The sanitizers for a class, the preferred one first.

    >>> from privpac.classes.values.points import Points
    >>> from privpac.privacy.budget import Budget
    >>> [each.name for each in sanitizers(Points(), Terms(Budget(1, 1e-6)))]
    ['PointSanitizer']
    """
    supporting = (each.for_class(concept_class, terms) for each in SANITIZERS if each.supports(concept_class))
    return [each for each in supporting if each is not None]


def sanitizer(concept_class: ConceptClass | Schema, terms: Terms, method: str = "auto") -> Sanitizer:
    """The sanitizer that ``method`` names, or the preferred one; Refused if there is none."""
    if isinstance(concept_class, Schema):
        concept_class = TableQueries(concept_class)
    if not isinstance(concept_class, ConceptClass):
        example = Setting.to("concept_class", Sketch("Thresholds(low, high)"))
        raise RefusedType("concept_class", "choose a class of queries or a schema, for example ", example)
    able = {each.name: each for each in sanitizers(concept_class, terms)}
    if not able and any(each.supports(concept_class) for each in SANITIZERS):
        δ = Setting.to("delta", 1e-6)
        raise Refused(
            "delta", "values that are not declared, and tables, can be counted only with ", δ, " or another δ above 0"
        )
    if not able:
        raise Refused("concept_class", "no release answers all queries of this class; see docs/guide/queries.md")
    if method != "auto" and method not in list(able):  # a list, because the method need not be hashable
        raise Refused.must("method", f"be auto or, for this class, one of {', '.join(able)}")
    return next(iter(able.values())) if method == "auto" else able[method]
