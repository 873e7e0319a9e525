"""The inner learner of [BBKN14, Example 5.7]."""

from dataclasses import dataclass
from fractions import Fraction

from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import Coin
from privpac.papers.bbkn14.intervals import interval
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class Sampled(PaperLearner):
    """The inner learner of [BBKN14, Example 5.7], for intervals: few examples, then a consistent concept.

    It is not private, and noise does not make it so.
    """

    T: int
    alpha: Fraction
    cost: Budget
    name, theorem, N = "sampled", "none", 1

    @property
    def domain(self):
        return Line(1, self.T)

    def run(self, data, ask):
        if ask(Coin(self.alpha / 8), None):
            return None
        S = [example for example in data if ask(Coin(self.alpha / 4), None)]
        last, first = max((x for x, y in S if y), default=0), min((x for x, y in S if not y), default=self.T + 1)
        return interval(self.T, last + 1) if last < first else None
