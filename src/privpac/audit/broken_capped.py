"""Learners with a cap that are deliberately broken, each in one place: cuts, paths, legs, subtrees.

Main declarations
    Doubled, PaidTwice, OneLevel    what is broken in several of them; all others are such learners and their requests
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from flint import arb

from privpac.audit.broken_learners import Broken, CountedTwice, View
from privpac.data.columns import objects
from privpac.data.sample import Sample
from privpac.exact.entropy import Entropy
from privpac.learners.thresholds import ThresholdLearner
from privpac.learners.trees import PathLearner, SpiderLearner, SubtreeLearner
from privpac.mechanisms.cuts import CutStable
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism


@dataclass(frozen=True)
class Unnoised(Mechanism):
    """A number as it is, charged like noise."""

    cost: Budget
    name: ClassVar[str] = "discrete Laplace"
    theorem: ClassVar[str] = "none"

    def release(self, data: int, coins: Entropy) -> int:
        return data

    def law(self, data: int) -> dict[int, arb]:
        """Certainty."""
        return {data: arb(1)}


class ExactErrors(Broken, ThresholdLearner):
    """The cap is computed from the errors of the best cut, not from a noisy version of them."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The errors as they are."""
        return Unnoised(mechanism.cost) if isinstance(mechanism, DiscreteLaplace) else mechanism, view


class OneLevel(Broken):
    """δ is not divided by the levels on which one record supports a candidate."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection as if there were only one."""
        return replace(mechanism, levels=1), view


class OneLevelPaths(OneLevel, PathLearner):
    """Paths."""


class OneLevelSubtrees(OneLevel, SubtreeLearner):
    """Subtrees."""


class OneLevelSpider(OneLevel, SpiderLearner):
    """Legs."""


class Doubled(Broken):
    """The errors of the best rule, times two, with noise that hides a change by one."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """Twice the errors."""
        return mechanism, (lambda sample: 2 * view(sample)) if isinstance(mechanism, DiscreteLaplace) else view


class DoubledCuts(Doubled, ThresholdLearner):
    """Cuts."""


class DoubledPaths(Doubled, PathLearner):
    """Paths."""


class PaidTwice(Broken):
    """The selection spends the learner's whole budget, as if the noise before it cost nothing."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection at the whole cost."""
        return mechanism if isinstance(mechanism, DiscreteLaplace) else replace(mechanism, cost=self.cost), view


class PaidTwiceCuts(PaidTwice, ThresholdLearner):
    """Cuts."""


class PaidTwicePaths(PaidTwice, PathLearner):
    """Paths."""


class TwiceSelected(CountedTwice, ThresholdLearner):
    """The selection counts every record twice."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The noise as it should be."""
        return (mechanism, view) if isinstance(mechanism, DiscreteLaplace) else super().changed(mechanism, view)


class FinerUncounted(Broken, ThresholdLearner):
    """δ is divided by the nodes that a record lies in, not by the finer cuts that they propose."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection as if each node proposed one cut."""
        return Middles(**vars(mechanism)) if isinstance(mechanism, CutStable) else mechanism, view


@dataclass(frozen=True)
class Middles(CutStable):
    """Levels without finer cuts."""

    @property
    def levels(self) -> int:
        return CutStable(**vars(self) | {"proposals": self.proposals[:1]}).levels


class OneDirection(Broken, ThresholdLearner):
    """δ is divided by the cuts of one direction, although cuts of both directions are proposed."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection as if there were only one."""
        return OneWay(**vars(mechanism)) if isinstance(mechanism, CutStable) else mechanism, view


@dataclass(frozen=True)
class OneWay(CutStable):
    """Levels of one direction."""

    @property
    def levels(self) -> int:
        return CutStable(**vars(self) | {"directions": self.directions[:1]}).levels


class GroupAsWritten(Broken, SpiderLearner):
    """The group is released in the form that its first record has: 1 or True."""

    def sample(self, sample: Sample) -> Sample:
        """Groups whose equal values keep different forms."""
        written = zip(sample.values, sample.points.tolist(), strict=True)
        return replace(sample, points=objects((held[0], code[1]) for held, code in written))


class FallbackTwice(Broken, PathLearner):
    """The errors of the root's rule are counted twice."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection with such a fallback."""
        return mechanism, view if isinstance(mechanism, DiscreteLaplace) else lambda s: _fallback(view(s), 2, 0)


class VoidErrors(Broken, PathLearner):
    """Each void record counts as two errors of the root's rule."""

    def changed(self, mechanism: Any, view: View) -> tuple[Any, View]:
        """The selection with such a fallback."""
        if isinstance(mechanism, DiscreteLaplace):
            return mechanism, view
        return mechanism, lambda s: _fallback(view(s), 1, 2 * (s.size - len(s.labels)))


def _fallback(seen: Any, times: int, more: int) -> Any:
    """What the selection sees, with other errors of the fallback."""
    fallback, *others = seen
    return {rule: times * errors + more for rule, errors in fallback.items()}, *others
