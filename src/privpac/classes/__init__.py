"""Concept classes, explicit and implicit, and their hypotheses."""

from privpac.classes.base import ConceptClass, Constant, Hypothesis, Known
from privpac.classes.compositions.compose import And, Compose, Majority, Not, OnColumn, Or, Xor
from privpac.classes.compositions.equalities import Equalities
from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.compositions.union import Union
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import Scorecard, Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.exports.exports import to_python, to_sql
from privpac.classes.finite.explicit import ExplicitClass, Listed, dual, explicit
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tables.marginals import Marginals
from privpac.classes.tree_orders.base import TreeClass, TwoSided
from privpac.classes.tree_orders.paths import EndsWith, HasPrefix, HasSuffix, OnPath, RootPaths, StartsWith
from privpac.classes.tree_orders.spider import GroupFrom, Spider
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow, Taxonomy
from privpac.classes.values.buckets import InBucket
from privpac.classes.values.code_lists import HasAny, Includes
from privpac.classes.values.declared import Candidates
from privpac.classes.values.keyed import Keyed
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
