"""Online learners, which predict one point after another, and bounds on their mistakes. Not private.

In each round a learner is shown a point, predicts its label, and then learns the true label. The standard optimal
algorithm (SOA) makes at most as many mistakes as the Littlestone dimension of the class.

Private learning rests on the same dimension, so these learners show what that dimension means.

Parts, each importing only from those below it:
    compositions      learners of G(h₁, …, h_k)
    boosting          majorities, by boosting a weak learner
    experts           weighted majority, Hedge, and agnostic learning
    soa               the standard optimal algorithm and its adversary
    online_learner    what every online learner can do
"""

from privpac.online.boosting import BoostedMajority, boosting_bound
from privpac.online.compositions import ComposedByBoosting, ComposedByHalving, theorem_2_1
from privpac.online.experts import AgnosticOnline, Fixed, Hedge, WeightedMajority, hedge_rate
from privpac.online.soa import Adversary, StandardOptimal

__all__ = [
    "Adversary",
    "AgnosticOnline",
    "BoostedMajority",
    "ComposedByBoosting",
    "ComposedByHalving",
    "Fixed",
    "Hedge",
    "StandardOptimal",
    "WeightedMajority",
    "boosting_bound",
    "hedge_rate",
    "theorem_2_1",
]
