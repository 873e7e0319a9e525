"""Votes of disjoint subsets that are deliberately broken, each in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privpac.audit.controls.broken_learners import Broken
from privpac.data.samples.sample import Ints
from privpac.exact.entropy import Entropy
from privpac.exact.weighted import Weights
from privpac.learners.subspaces.flats import FlatLearner
from privpac.mechanisms.selection.exponential import Outcome
from privpac.mechanisms.selection.votes import Ballots, VoteExponential, records_of


@dataclass(frozen=True)
class VotesOnOneLevel(VoteExponential):
    """δ for one candidate."""

    def log_discounts(self, level: Ints, fallbacks: int) -> NDArray[np.float64]:
        return VoteExponential(**vars(self) | {"levels": 1}).log_discounts(level, fallbacks)


class LevelsUncounted(Broken, FlatLearner):
    """δ is not divided by the sizes of subsets."""

    instead = VotesOnOneLevel


@dataclass(frozen=True)
class UnshuffledVotes(VoteExponential):
    """Deals in the order in which records are counted: points in order, then negative and void records."""

    def dealt(self, data: Ballots, coins: Entropy) -> Ints:
        return records_of(data)

    def all_deals(self, data: Ballots) -> Iterator[tuple[Sequence[Ints], Fraction]]:
        yield [records_of(data)] * self.deals, Fraction(1)


class DealtSorted(Broken, FlatLearner):
    """Records are dealt after they were sorted."""

    instead = UnshuffledVotes


@dataclass(frozen=True)
class VotesWithoutFloor(VoteExponential):
    """Never weighs r^(C − P), no matter how small that is."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        return replace(weights, scores=np.concatenate([self.cap - data[1], weights.scores[1:]])), outcome


class FloorlessVotes(Broken, FlatLearner):
    """Never may weigh less than 1."""

    instead = VotesWithoutFloor


@dataclass(frozen=True)
class CapOfNegatives(VoteExponential):
    """C is twice the number of records that are not positive."""

    def _capped(self, data: Ballots) -> VoteExponential:
        return VoteExponential(**vars(self) | {"cap": 2 * (data.n - int(data.positives.sum()))})

    def release(self, data: Ballots, coins: Entropy) -> Any:
        return self._capped(data).release(data, coins)

    def law(self, data: Ballots) -> dict[Any, arb]:
        return self._capped(data).law(data)


class CapFromRecords(Broken, FlatLearner):
    """The cap depends on the number of positive records."""

    instead = CapOfNegatives
