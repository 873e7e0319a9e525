"""Concept classes, explicit and implicit, and their hypotheses."""

from privpac.classes.affine import AffineSubspace
from privpac.classes.algebra import Parities, Parity
from privpac.classes.any_code import HasAny, Includes
from privpac.classes.base import ConceptClass, Constant, Hypothesis, Known
from privpac.classes.boxes import Box, Conjunction, Conjunctions, Rectangles
from privpac.classes.buckets import InBucket
from privpac.classes.central_half_planes import CentralHalfPlanes
from privpac.classes.compose import And, Compose, Majority, Not, OnColumn, Or, Xor
from privpac.classes.composed import ColumnRule, Composed
from privpac.classes.cuts import Interval, Threshold
from privpac.classes.decision_trees import Trees
from privpac.classes.declared import Candidates, Categories, CategorySets
from privpac.classes.equalities import Equalities
from privpac.classes.explicit import ExplicitClass, Listed, dual, explicit
from privpac.classes.keyed import Keyed
from privpac.classes.line import Intervals, Thresholds
from privpac.classes.marginals import Marginals
from privpac.classes.paths import EndsWith, HasPrefix, HasSuffix, OnPath, RootPaths, StartsWith
from privpac.classes.plane import HalfPlanes, HalfSpace, HalfSpaces
from privpac.classes.points import OneOf, Points, Seen, SparseSets
from privpac.classes.scorecard_rules import Scorecard
from privpac.classes.scorecards import Scorecards
from privpac.classes.spider import GroupFrom, Spider
from privpac.classes.subspaces import AffineSubspaces, VersionSpace
from privpac.classes.taxonomy import AtOrAbove, AtOrBelow, Taxonomy
from privpac.classes.tree import TreeClass, TwoSided
from privpac.classes.tree_rules import Split
from privpac.classes.union import Union

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
]
