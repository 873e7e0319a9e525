"""Learners with a cap that are deliberately broken, each in one place: cuts, paths, legs, subtrees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flint import arb

from privpac.audit.controls.broken_learners import Broken, CountedTwice, View
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import Entropy
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.learners.tree_orders.learners import PathLearner, SpiderLearner
from privpac.mechanisms.lines.cuts import CutStable
from privpac.mechanisms.noise.laplace import DiscreteLaplace


class BrokenCapped(Broken):
    """A learner that asks for noise, which decides the cap, and then for a selection; either may be changed."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return (self.noise if isinstance(mechanism, DiscreteLaplace) else self.selection)(mechanism, view)

    def noise(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """What is asked for in place of the noise."""
        return mechanism, view

    def selection(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """What is asked for in place of the selection."""
        return mechanism, view


@dataclass(frozen=True)
class Unnoised(DiscreteLaplace):
    """A number as it is, charged like noise."""

    def release(self, data: int, coins: Entropy) -> int:
        return data

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        return {data: arb(1)}


class ExactErrors(Broken, ThresholdLearner):
    """The cap is computed from the errors of the best cut, not from a noisy version of them."""

    instead = Unnoised


class OneLevel(Broken):
    """δ is not divided by the levels on which one record supports a candidate."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return replace(mechanism, levels=1), view


class Doubled(BrokenCapped):
    """The errors of the best rule, times two, for noise that hides a change by one."""

    def noise(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return mechanism, lambda sample: 2 * view(sample)


class PaidTwice(BrokenCapped):
    """The selection costs all that the learner may, as if the noise before it cost nothing."""

    def selection(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return replace(mechanism, cost=self.cost), view


class TwiceSelected(BrokenCapped, CountedTwice, ThresholdLearner):
    """The selection counts every record twice."""

    def selection(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return mechanism, lambda sample: view(self.sample(sample))


@dataclass(frozen=True)
class Middles(CutStable):
    """Levels without finer cuts."""

    @property
    def levels(self) -> int:
        return CutStable(**vars(self) | {"proposals": self.proposals[:1]}).levels


class FinerUncounted(Broken, ThresholdLearner):
    """δ is divided by the nodes that a record lies in, not by the finer cuts that they propose."""

    instead = Middles


@dataclass(frozen=True)
class OneWay(CutStable):
    """Levels of one direction."""

    @property
    def levels(self) -> int:
        return CutStable(**vars(self) | {"directions": self.directions[:1]}).levels


class OneDirection(Broken, ThresholdLearner):
    """δ is divided by the cuts of one direction, though those of both are proposed."""

    instead = OneWay


class GroupAsWritten(Broken, SpiderLearner):
    """The group is released in the form that its first record has: 1 or True."""

    def sample(self, sample: Sample) -> Sample:
        written = zip(sample.values, sample.points.tolist(), strict=True)
        return replace(sample, points=objects((held[0], code[1]) for held, code in written))


class FallbackTwice(BrokenCapped, PathLearner):
    """The errors of the root's rule are counted twice."""

    def selection(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return mechanism, lambda sample: _fallback(view(sample), 2, 0)


class VoidErrors(BrokenCapped, PathLearner):
    """Void records are errors of the root's rule, and two each."""

    def selection(self, mechanism: Any, view: View) -> tuple[Any, View]:
        return mechanism, lambda sample: _fallback(view(sample), 1, 2 * (sample.size - len(sample.labels)))


def _fallback(seen: Any, times: int, more: int) -> Any:
    """What the selection sees, with other errors of the fallback."""
    fallback, *others = seen
    return {rule: times * errors + more for rule, errors in fallback.items()}, *others
