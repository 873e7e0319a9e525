"""WHAT TO USE: private learners as scikit-learn classifiers."""

from privpac.learners.auto import LEARNERS, PrivateClassifier
from privpac.learners.base import PrivateLearner
from privpac.learners.boxes import RectangleLearner
from privpac.learners.buckets import BucketLearner
from privpac.learners.category_rules import NamedRuleLearner
from privpac.learners.central_half_planes import ArcLearner
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces import NetLearner
from privpac.learners.intervals import IntervalLearner
from privpac.learners.points import PointLearner, ProperPointLearner
from privpac.learners.rules import RuleLearner
from privpac.learners.stumps import StumpLearner
from privpac.learners.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.trees import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner

__all__ = [
    "LEARNERS",
    "ArcLearner",
    "BucketLearner",
    "FiniteLearner",
    "IntervalLearner",
    "NameLearner",
    "NamedRuleLearner",
    "NetLearner",
    "OrderLearner",
    "PathLearner",
    "PointLearner",
    "PrivateClassifier",
    "PrivateLearner",
    "ProperPointLearner",
    "PureThresholdLearner",
    "RectangleLearner",
    "RuleLearner",
    "SpiderLearner",
    "StumpLearner",
    "SubtreeLearner",
    "ThresholdLearner",
]
