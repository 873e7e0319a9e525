"""Advice: what to type instead of a class that no learner supports, or whose rules are no better than a constant."""

from __future__ import annotations

from privpac.classes.compositions.compose import Compose, OnColumn, Union
from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.finite.boolean_functions import name_of
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import StartsWith
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.classes.values.points import Categories, Points
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.learners.decision_trees.public_tests import MOST_TESTS
from privpac.learners.half_spaces.perceptron import LEAST_MARGIN, WIDEST

OTHERWISE = 'choose one from the table on the guide\'s page "Which learner for which class"'


def wider_setting(concept_class: ConceptClass) -> tuple[str, ...]:
    """A parameter and its value that allow more rules, for classes that often have too few; () for other classes.

    >>> wider_setting(Thresholds(0, 9, direction="above")), wider_setting(Thresholds(0, 9, direction="either"))
    (('direction', 'either'), ())
    """
    one_way = isinstance(concept_class, Thresholds) and concept_class.direction != "either"
    return ("direction", "either") if one_way else ()


def advice(concept_class: ConceptClass) -> str:
    """What to type in place of a class that no learner supports, or where to find the classes that are learned.

    >>> print(advice(Points().on("carrier")))
    a class on one column is learned by itself: PrivateClassifier(Points(domain_size=None), feature='carrier')
    >>> from privpac.classes.compositions.compose import And
    >>> print(advice(And(Points().on("carrier"), Points().on("origin"))))
    for values that are not declared, use Equalities('carrier', 'origin', at_most=2)
    """
    if concept_class.domain.optional:
        return _advice_on_missing(concept_class)
    if isinstance(concept_class, OnColumn):
        return f"a class on one column is learned by itself: {_single_column_call(concept_class)}"
    parts = concept_class.leaves if isinstance(concept_class, Compose) else _parts(concept_class)
    prefixes = [part for part in parts if isinstance(part, OnColumn) and isinstance(part.concept_class, TreeClass)]
    names = [part for part in parts if isinstance(part, OnColumn) and isinstance(part.concept_class, Points)]
    if prefixes:
        return _advice_on_paths(prefixes[0])
    if names:
        return _advice_on_names(concept_class, parts, names)
    if isinstance(concept_class, HalfSpaces):
        return _advice_on_half_spaces(concept_class)
    return _fewer_tests(concept_class)


def _advice_on_missing(concept_class: ConceptClass) -> str:
    """The advice for columns that may lack entries."""
    if isinstance(concept_class, Trees | Auto | Scorecards):
        return "declare the values, or the bounds, of every column"
    leaves = concept_class.leaves if isinstance(concept_class, Compose) else (concept_class,)
    parts = ", ".join(f"{part!r}" for part in leaves)
    one_line = isinstance(concept_class, OnColumn) and isinstance(concept_class.concept_class, Thresholds)
    depth = 1 if one_line else 2
    return f"entries that may be missing are tested by decision trees and scorecards: Trees({parts}, depth={depth})"


def _advice_on_paths(part: OnColumn) -> str:
    alone = f"learn the part on paths by itself, {_single_column_call(part)}"
    if not isinstance(part.concept_class, StartsWith):
        return alone
    declared = f"{type(part.concept_class).__name__}().on({part.column!r}, values=[…])"
    return f"{alone}, or declare its nodes in Trees({declared}, …)"


def _advice_on_names(concept_class: ConceptClass, parts: tuple[ConceptClass, ...], names: list[OnColumn]) -> str:
    """The advice for a class in which the parts ``names`` read columns whose values are not declared."""
    columns = list(dict.fromkeys(part.column for part in names))
    declared = " and ".join(f"Points().on({column!r}, values=[…])" for column in columns)
    if not isinstance(concept_class, Compose):
        return f"declare the values that rules may name: {declared}"
    if len(columns) == len(parts) and name_of(concept_class.table) == "and":
        return (
            f"for values that are not declared, use Equalities({', '.join(map(repr, columns))}, at_most={len(parts)})"
        )
    return f"declare the values in all columns of names but one: {declared}"


def _parts(concept_class: ConceptClass) -> tuple[ConceptClass, ...]:
    return concept_class.parts if isinstance(concept_class, Union | Trees | Auto | Scorecards) else ()


def _fewer_tests(concept_class: ConceptClass) -> str:
    """The advice for trees and scorecards with too many tests; for other classes, where to look."""
    parts = [part.concept_class for part in _parts(concept_class) if isinstance(part, OnColumn)]
    if not parts or not all(isinstance(part, Thresholds | Categories) for part in parts):
        return OTHERWISE
    if isinstance(concept_class, Scorecards):
        rules, depth = ("scorecards of pairs", 3) if concept_class.pairs else ("scorecards", 1)
    elif isinstance(concept_class, Trees | Auto):
        depth = concept_class.deepest if isinstance(concept_class, Trees) else 2
        rules = f"trees of depth {depth}"
    else:
        return OTHERWISE
    limit = f"{rules} choose from at most {MOST_TESTS[depth]} tests: declare fewer values"
    needed = sum(part.size if isinstance(part, Categories) else 1 for part in parts)  # a line needs at least one
    depths = range(depth - 1, 0, -1) if isinstance(concept_class, Trees) else ()
    shallower = next((d for d in depths if needed <= MOST_TESTS[d]), None)
    return f"{limit}, or say depth={shallower}" if shallower else limit


def _advice_on_half_spaces(H: HalfSpaces) -> str:
    margin = H.margin if H.margin and H.margin >= LEAST_MARGIN else 0.1
    changes = []
    if H.side > WIDEST:
        changes.append("round coordinates to a smaller grid")
    if margin != H.margin:
        changes.append("declare a larger margin" if H.margin else "declare a margin")
    return f"{' and '.join(changes)}, as in {HalfSpaces(H.dim, min(H.side, WIDEST), margin)!r}"


def _single_column_call(part: OnColumn) -> str:
    return f"PrivateClassifier({part.concept_class!r}, feature={part.column!r})"
