"""Online learners, which predict one point after another, and bounds on their mistakes. Not private."""

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
