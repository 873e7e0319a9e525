"""WHAT TO USE: algorithms that learn privately, and a scikit-learn classifier that holds one."""

from privpac.learners.algorithm import Learner, Terms
from privpac.learners.choice import LEARNERS
from privpac.learners.classifier import PrivateClassifier

__all__ = ["LEARNERS", "Learner", "PrivateClassifier", "Terms"]
