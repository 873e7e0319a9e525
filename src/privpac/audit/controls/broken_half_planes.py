"""The half-plane learner, deliberately broken, each time in one place."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any

from flint import arb

from privpac.audit.controls.broken_learners import Broken, View
from privpac.exact.weighted import Weights, probabilities
from privpac.learners.half_spaces.half_planes import HalfPlaneLearner
from privpac.mechanisms.half_spaces.half_planes import HalfPlaneExponential, PlaneTally, Rule, grid_gaps
from privpac.mechanisms.selection.exponential import Menu


@dataclass(frozen=True)
class Reweighed(HalfPlaneExponential):
    """Other weights of the same candidates, which are all listed."""

    def menu(self, data: PlaneTally) -> Menu:
        charts, everything = data.charts(self.N, self.bits), grid_gaps(self.N, self.bits)
        at = cache(lambda flat, j: charts[flat].gaps(j))
        scores, counts, priors = [], [], []
        for gap in everything:
            values, levels = at(gap.flat, gap.j)
            i = bisect_left(values, gap.following) - 1  # the records that enclose these candidates
            scores.append(levels[i] - charts[0].total if gap.other else -levels[i])
            counts.append((gap.following - gap.value) * self.offered(i, len(levels)))
            priors.append(self.log_prior(values[i + 1] - values[i]))
        return Weights(scores, self.cost.epsilon / 2, counts, priors), lambda group, _: everything[group].rule

    def law(self, data: Any) -> dict[Rule, arb]:
        weights, outcome = self.menu(self.check(data))
        law: defaultdict[Rule, arb] = defaultdict(lambda: arb(0))
        for group, probability in enumerate(probabilities(weights)):
            law[outcome(group, 0)] += probability
        return dict(law)

    @abstractmethod
    def offered(self, gap: int, gaps: int) -> bool:
        """Whether the candidates of a gap between records are offered."""

    @abstractmethod
    def log_prior(self, width: int) -> float:
        """What each candidate of a gap weighs."""


class EvenGaps(Reweighed):
    """Every gap between neighboring records weighs the same."""

    def offered(self, gap: int, gaps: int) -> bool:
        return True

    def log_prior(self, width: int) -> float:
        return -log(width)


class InnerGaps(Reweighed):
    """No candidate beyond the first and the last record, unless there are no others."""

    def offered(self, gap: int, gaps: int) -> bool:
        return 0 < gap < gaps - 1 or gaps <= 2

    def log_prior(self, width: int) -> float:
        return 0.0


class EvenCells(Broken, HalfPlaneLearner):
    """Cells of the records' arrangement count, and not the candidates in them."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return EvenGaps(**vars(mechanism)), view


class BetweenRecords(Broken, HalfPlaneLearner):
    """Only candidates between the records."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return InnerGaps(**vars(mechanism)), view
