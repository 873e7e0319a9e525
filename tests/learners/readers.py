"""A learner that only reads: for tests of what becomes of records before a learner sees them."""

from privpac.learners.base import PrivateLearner


class Reader(PrivateLearner):
    """A learner of anything, which never learns."""

    @classmethod
    def applies(cls, concept_class, regime):
        return True

    def _learn(self, cost, n, spend):
        raise AssertionError("nothing is learned here")

    def _failure(self, cost, n, alpha):
        return 1.0
