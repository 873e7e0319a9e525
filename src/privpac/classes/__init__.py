"""Concept classes, explicit and implicit, and their hypotheses.

A hypothesis is a boolean function as a value: it has a sentence, a JSON form, a picture, and often a form in SQL and
Python. A concept class is a set of such functions on a domain. It knows its size, its dimensions where they are proved,
and its patterns on finitely many points.

Nothing in this room knows about privacy.

Parts, each importing only from those below it:
    exports           rules as SQL, Python, and conditions of an engine
    schemas           the declared columns of a table, and the classes over them
    regions           the public regions of a rule
    tables            marginals, and the cells of columns
    decision_trees    decision trees and scorecards
    vectors           boxes, half-spaces, parities, and subspaces
    tree_orders       paths, prefixes, taxonomies, and spiders
    lines             thresholds and intervals
    compositions      classes made of classes
    values            points, sets, lists of codes, declared values, and hashes
    finite            boolean matrices, boolean functions of concepts, and listed patterns
    shell_options     classes on the command line
    concept_class     what every concept class can do
    hypothesis        what every hypothesis can do
    typed_fields      fields of dataclasses, converted to their types
    matrices          matrices of labels, read strictly
    plain_values      values to JSON and back
    picture_shapes    shapes in the picture of a rule
"""

from privpac.classes.compositions.compose import And, Compose, Majority, Not, OnColumn, Or, Union, Xor
from privpac.classes.compositions.equalities import Equalities
from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.concept_class import ConceptClass, Known
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import Scorecard, Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.exports.python import to_python
from privpac.classes.exports.sql import to_sql
from privpac.classes.finite.explicit import ExplicitClass, Listed, dual, explicit
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tables.marginals import Marginals
from privpac.classes.tree_orders.paths import EndsWith, HasPrefix, HasSuffix, OnPath, RootPaths, StartsWith
from privpac.classes.tree_orders.spider import GroupFrom, Spider
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow, Taxonomy
from privpac.classes.tree_orders.tree_class import TreeClass, TwoSided
from privpac.classes.values.code_lists import HasAny, Includes
from privpac.classes.values.declared_values import Candidates
from privpac.classes.values.hashes import InBucket, Keyed
from privpac.classes.values.points import Categories, CategorySets, OneOf, Points, Seen, SparseSets
from privpac.classes.vectors.boxes import Box, Conjunction, Conjunctions, Rectangles
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpace, HalfSpaces
from privpac.classes.vectors.parities import Parities, Parity
from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces, VersionSpace

__all__ = [
    "AffineSubspace",
    "AffineSubspaces",
    "And",
    "AtOrAbove",
    "AtOrBelow",
    "Auto",
    "Box",
    "Candidates",
    "Categories",
    "CategorySets",
    "CentralHalfPlanes",
    "ColumnRule",
    "Compose",
    "Composed",
    "ConceptClass",
    "Conjunction",
    "Conjunctions",
    "Constant",
    "EndsWith",
    "Equalities",
    "ExplicitClass",
    "GroupFrom",
    "HalfPlanes",
    "HalfSpace",
    "HalfSpaces",
    "HasAny",
    "HasPrefix",
    "HasSuffix",
    "Hypothesis",
    "InBucket",
    "Includes",
    "Interval",
    "Intervals",
    "Keyed",
    "Known",
    "Listed",
    "Majority",
    "Marginals",
    "Not",
    "OnColumn",
    "OnPath",
    "OneOf",
    "Or",
    "Parities",
    "Parity",
    "Points",
    "Rectangles",
    "RootPaths",
    "Scorecard",
    "Scorecards",
    "Seen",
    "SparseSets",
    "Spider",
    "Split",
    "StartsWith",
    "Taxonomy",
    "Threshold",
    "Thresholds",
    "TreeClass",
    "Trees",
    "TwoSided",
    "Union",
    "VersionSpace",
    "Xor",
    "dual",
    "explicit",
    "to_python",
    "to_sql",
]
