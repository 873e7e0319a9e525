"""Which sanitizer answers a class. The choice never depends on the data."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

from privpac.classes.concept_class import ConceptClass
from privpac.classes.schemas.schema import Schema
from privpac.data.domains.domain import Domain
from privpac.refusals.refusal import InPython, Part, Refused, RefusedType, Setting, Sketch
from privpac.release.code_trees.sanitizer import CodeTreeSanitizer
from privpac.release.explicit import ExplicitSanitizer
from privpac.release.histograms import CategorySanitizer, PointSanitizer
from privpac.release.labeled.explicit import LabeledExplicitSanitizer
from privpac.release.labeled.lines import LabeledLineSanitizer
from privpac.release.labeled.tables import LabeledMarginalSanitizer, LabeledTableSanitizer
from privpac.release.lines.sanitizer import LineSanitizer
from privpac.release.rectangles import GridSanitizer
from privpac.release.sanitizer import Sanitizer
from privpac.release.summaries.sanitizer import MeanSanitizer, SummarySanitizer
from privpac.release.tables.marginals import MarginalSanitizer
from privpac.release.tables.queries import TableQueries
from privpac.release.tables.sanitizer import TableSanitizer
from privpac.requests.conditions import Terms

# In SANITIZERS and in LABELED, the first sanitizer that supports a class is preferred.
SANITIZERS: tuple[type[Sanitizer], ...] = (
    CategorySanitizer,
    PointSanitizer,
    CodeTreeSanitizer,
    LineSanitizer,
    MarginalSanitizer,
    GridSanitizer,
    SummarySanitizer,
    MeanSanitizer,
    ExplicitSanitizer,
    TableSanitizer,
)
LABELED: tuple[type[Sanitizer], ...] = (
    LabeledLineSanitizer,
    LabeledMarginalSanitizer,
    LabeledExplicitSanitizer,
    LabeledTableSanitizer,
)
UNLABELED = (
    "no release answers the rules of this class together with labels; release the cuts of a column as thresholds",
    InPython(": Thresholds(low, high)"),
    "; or the cells of declared columns as marginals",
    InPython(": Marginals(…)"),
    "; or leave out ",
    *(Setting("y"), InPython(": fit(X)")),
)
NO_MISSING = (
    "this release has no cell for missing entries; release the distribution of one column, or cells as marginals",
    InPython(": Marginals(Thresholds(0, 120).on('age', missing=True), order=1)"),
    ", or the table that a schema declares",
)


def _no_missing_cut(domain: Domain) -> tuple[Part, ...] | None:
    """Why there is no curve of cuts of a column that may lack entries, and what to say; None for other domains."""
    if not domain.optional or len(domain.column_names) != 1 or domain.columns[0].present.line is None:
        return None
    (name,) = domain.column_names
    return (
        f"entries of {name!r} may be missing (missing = true), and an ROC curve has no place for them; for a curve of "
        "the others, leave out missing and na of this column in a copy of the schema, and say ",
        Setting.to("on_invalid", "default"),
        "; or release the cells of columns of the schema, without a class: ",
        Setting.to("marginals", (name,)),
        InPython(" with the schema in place of the class"),
    )


class LabelQuestion(NamedTuple):
    """The declared labels of records, negative first, and the name of their column."""

    classes: tuple[Hashable, ...]
    label: str = "label"


def sanitizers(concept_class: ConceptClass, terms: Terms, labels: LabelQuestion | None = None) -> list[Sanitizer]:
    """The sanitizers for a class, the preferred one first; with ``labels``, those that say how often rules are wrong.

    >>> import privpac as pp
    >>> [each.name for each in sanitizers(pp.Points(), Terms(pp.Budget(1, 1e-6)))]
    ['PointSanitizer']
    """
    kinds = SANITIZERS if labels is None else LABELED
    candidates = (kind.for_class(concept_class, terms) for kind in kinds if kind.supports(concept_class))
    suitable = [candidate for candidate in candidates if candidate is not None]  # None if the class needs δ > 0
    return suitable if labels is None else [replace(candidate, **labels._asdict()) for candidate in suitable]


def sanitizer(
    concept_class: ConceptClass | Schema, terms: Terms, method: str = "auto", labels: LabelQuestion | None = None
) -> Sanitizer:
    """The sanitizer that ``method`` names, or the preferred one; Refused if there is none."""
    if isinstance(concept_class, Schema):
        concept_class = TableQueries(concept_class)
    if not isinstance(concept_class, ConceptClass):
        example = Setting.to("concept_class", Sketch("Thresholds(low, high)"))
        raise RefusedType("concept_class", "choose a class of queries or a schema, for example ", example)
    by_name = {candidate.name: candidate for candidate in sanitizers(concept_class, terms, labels)}
    if not by_name and any(kind.supports(concept_class) for kind in (SANITIZERS if labels is None else LABELED)):
        δ = Setting.to("delta", 1e-6)
        raise Refused(
            "delta", "values that are not declared, and tables, can be counted only with ", δ, " or another δ above 0"
        )
    if not by_name and labels is not None:
        raise Refused("concept_class", *(_no_missing_cut(concept_class.domain) or UNLABELED))
    if not by_name and concept_class.domain.optional:
        raise Refused("concept_class", *NO_MISSING)
    if not by_name:
        page = 'the guide\'s page "Counts, distributions, and tables"'
        raise Refused("concept_class", f"no release answers all queries of this class; see {page}")
    if method != "auto" and method not in list(by_name):  # a list, because the method need not be hashable
        raise Refused.must("method", f"be auto or, for this class, one of {', '.join(by_name)}")
    return next(iter(by_name.values())) if method == "auto" else by_name[method]
