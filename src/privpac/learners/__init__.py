"""WHAT TO USE: private learning algorithms, and the scikit-learn classifier that runs them."""

from privpac.learners.algorithm import Learner, Terms
from privpac.learners.choice import LEARNERS
from privpac.learners.classifier import PrivateClassifier

__all__ = ["LEARNERS", "Learner", "PrivateClassifier", "Terms"]
