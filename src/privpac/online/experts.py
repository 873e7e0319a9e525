"""Prediction with experts, and online learning of labels that need not fit any concept.

[LW94; BPS09], [CL06]  docs/references.bib        proofs: docs/theory/online.md

Throughout this file
    n      the number of experts            d      Ldim(H)
    β, η   how much a wrong expert loses: its weight is multiplied by β, or by e^(−η)
    C(T, ≤ d)   the number of sets of at most d of T rounds
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from privpac.classes.finite.explicit import ClassOrMatrix, explicit
from privpac.dimensions.closure import tree_sauer
from privpac.online.online_learner import OnlineLearner, Randomized, UniformCoins
from privpac.online.soa import VersionSpaces

Floats = NDArray[np.float64]


class Fixed(OnlineLearner):
    """An expert that follows one concept of a class, whatever the labels.

    >>> Fixed([[0, 1, 1], [0, 0, 1]], concept=1).predict([0, 1, 2])
    array([False, False,  True])
    """

    def __init__(self, concept_class: ClassOrMatrix, concept: Hashable) -> None:
        self._class = explicit(concept_class)
        self._labels = self._class[concept]

    def predict_one(self, x: Hashable) -> bool:
        return bool(self._labels[self._class.columns([x])[0]])

    def _learn(self, x: Hashable, y: bool) -> None:
        pass


class _Followers(OnlineLearner):
    """The common part of learners that follow experts: the experts, which learn too, and the loss of each."""

    experts: tuple[OnlineLearner, ...]

    def _follow(self, experts: Iterable[OnlineLearner]) -> None:
        self.experts = tuple(experts)
        if not self.experts:
            raise ValueError("there are no experts to follow; give at least one")
        self._losses = np.zeros(len(self.experts))

    def _advice(self, x: Hashable) -> Floats:
        """The probability with which each expert predicts 1."""
        return np.array([expert.probability_one(x) for expert in self.experts], dtype=float)

    def _check(self, x: Hashable) -> None:
        for expert in self.experts:
            expert._check(x)

    def _learn(self, x: Hashable, y: bool) -> None:
        self._losses += abs(self._advice(x) - y)
        for expert in self.experts:
            expert.learn_one(x, y)


class WeightedMajority(_Followers):
    """Vote by weight; multiply the weight of every wrong expert by β, 0 ≤ β < 1.

    Mistakes  at most (ln n + m·ln(1/β)) / ln(2/(1 + β)) if some expert makes m mistakes [LW94]; log₂ n if β = m = 0

    The experts learn too. When all of them have been wrong and β = 0, those with the fewest mistakes vote.

    >>> thresholds = explicit([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> halving = WeightedMajority([Fixed(thresholds, c) for c in thresholds.concepts], beta=0)
    >>> halving.partial_fit([1, 0, 2], [False, False, True]).mistakes, halving.mistake_bound(best=0)
    (1, 2.0)
    """

    def __init__(self, experts: Iterable[OnlineLearner], beta: float = 0.5) -> None:
        if not 0 <= beta < 1:
            raise ValueError("beta must lie in [0, 1): a wrong expert loses weight")
        self._follow(experts)
        self.beta = beta

    def mistake_bound(self, best: int) -> float:
        """The largest number of mistakes if some expert makes ``best`` mistakes."""
        if best < 0:
            raise ValueError("best must be 0 or more: it is a number of mistakes")
        n, β = len(self.experts), self.beta
        loss_per_mistake = math.inf if β == 0 else -math.log(β)
        best_loss = best * loss_per_mistake if best else 0.0  # not 0 · ∞
        return (math.log(n) + best_loss) / math.log(2 / (1 + β))

    def predict_one(self, x: Hashable) -> bool:
        """The prediction with the larger total weight; 1 in case of a tie."""
        ones = self._advice(x) > 0
        weights = np.power(self.beta, self._losses - self._losses.min())
        return bool(weights[ones].sum() >= weights[~ones].sum())

    def _advice(self, x: Hashable) -> Floats:
        """The likelier prediction of each expert."""
        return (super()._advice(x) >= 1 / 2).astype(float)


class Hedge(_Followers, Randomized):
    """Predict as an expert drawn with probability proportional to e^(−η·its loss so far).

    Regret    expected mistakes − those of the best expert ≤ ln n/η + ηT/8, for every T and all labels [CL06, Thm 2.2]

    >>> constants = explicit([[0, 0], [1, 1]])
    >>> hedge = Hedge([Fixed(constants, c) for c in constants.concepts], rate=hedge_rate(2, 8))
    >>> hedge.partial_fit([0] * 8, [1] * 8).mistakes < hedge.regret_bound(8)
    True
    """

    def __init__(self, experts: Iterable[OnlineLearner], rate: float, *, rng: UniformCoins | None = None) -> None:
        super().__init__(rng)
        if not 0 <= rate < math.inf:
            raise ValueError("the rate must be 0 or more and finite; hedge_rate(n, T) is the best one for T rounds")
        self._follow(experts)
        self.rate = rate

    def regret_bound(self, rounds: int) -> float:
        """ln n/η + ηT/8, which is √(½·T·ln n) for η = hedge_rate(n, T)."""
        if len(self.experts) == 1:
            return 0.0
        return (math.log(len(self.experts)) / self.rate if self.rate else math.inf) + self.rate * rounds / 8

    def probability_one(self, x: Hashable) -> float:
        weights = np.exp(-self.rate * (self._losses - self._losses.min()))
        return float(weights @ self._advice(x) / weights.sum())


def hedge_rate(n: int, rounds: int) -> float:
    """η = √(8·ln n/T), for which ln n/η + ηT/8 is least: √(½·T·ln n).

    >>> round(hedge_rate(2, 8), 3)
    0.833
    """
    if n < 1 or rounds < 1:
        raise ValueError("n and rounds must be at least 1: a rate needs an expert and a round")
    return math.sqrt(8 * math.log(n) / rounds)


class SoaExperts:
    """The experts of [BPS09], and the weights that several independent Hedge players give them.

    There is an expert for each set of at most d rounds: it runs SOA on its own predictions, and in the rounds of its
    set it predicts the opposite, which is called a flip. Every concept agrees in all rounds with one of the experts:
    the one whose set has the rounds in which SOA would err on the concept. Experts with the same version space and the
    same number of flips have the same future, so one weight for all of them is enough: their state is (V, flips).
    """

    def __init__(self, spaces: VersionSpaces, rounds: int, players: int = 1) -> None:
        self._H = spaces
        self.rounds_left = rounds
        self.count = tree_sauer(rounds, spaces.dimension)
        self.rate = hedge_rate(self.count, rounds)
        self._pasts = {(spaces.everything, 0): np.zeros(players)}  # log Σ e^(−η·loss) over all experts in the state

    def _steps(self, ones: int) -> Iterator[tuple[Floats, bool, tuple[int, int]]]:
        """All moves in this round: the log weights before it, the prediction, and the state afterwards."""
        for (V, flips), past in self._pasts.items():
            for label, state in self._H.moves(V, flips, ones):
                yield past, label, state

    def probabilities(self, ones: int) -> Floats:
        """For each player, the share of the weight that predicts 1, at the point that the concepts ``ones`` label 1."""
        pasts, labels, states = zip(*self._steps(ones), strict=True)
        d = self._H.dimension
        # Each expert counts once for every set of later rounds that it may still choose.
        futures = np.array([math.log(tree_sauer(self.rounds_left - 1, d - flips)) for flips in range(d + 1)])
        log_weights = np.array(pasts) + futures[[flips for _, flips in states], None]
        weights = np.exp(log_weights - log_weights.max(axis=0))
        return np.asarray(weights[np.array(labels)].sum(axis=0) / weights.sum(axis=0))

    def learn(self, ones: int, y: bool, importance: Floats) -> None:
        """Wrong experts lose weight; each player gives the round its own importance in [0, 1]."""
        pasts: dict[tuple[int, int], Floats] = {}
        for past, label, state in self._steps(ones):
            log_weight = past - self.rate * importance * (label != y)
            pasts[state] = np.logaddexp(pasts.get(state, -np.inf), log_weight)
        self._pasts = pasts
        self.rounds_left -= 1


class AgnosticOnline(Randomized):
    """Online learning without a true concept: Hedge over the SOA experts.

    Regret    expected mistakes − those of the best concept ≤ √(½·T·ln C(T, ≤ d)), for all labels [BPS09]
    Time      the number of states for a round: at most (d + 1)·(version spaces reached), far fewer than experts

    ``horizon`` is T, the number of rounds to learn from; it refuses further rounds.

    >>> learner = AgnosticOnline([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], horizon=50)
    >>> learner.partial_fit([0, 1, 2, 1] * 5, [0, 1, 1, 0] * 5).probability_one(2) > 0.9
    True
    """

    def __init__(self, concept_class: ClassOrMatrix, horizon: int, *, rng: UniformCoins | None = None) -> None:
        super().__init__(rng)
        if horizon < 1:
            raise ValueError("horizon must be at least one round")
        self.horizon = horizon
        self._H = VersionSpaces(concept_class)
        self._experts = SoaExperts(self._H, horizon)

    def regret_bound(self) -> float:
        """√(½·T·ln C(T, ≤ d)) for T = horizon."""
        return math.sqrt(self.horizon * math.log(self._experts.count) / 2)

    def probability_one(self, x: Hashable) -> float:
        if not self._experts.rounds_left:
            raise ValueError(f"all {self.horizon} rounds are over; start a learner with a longer horizon")
        return float(self._experts.probabilities(self._H.ones(x))[0])

    def _check(self, x: Hashable) -> None:
        self._H.ones(x)

    def _rounds_left(self) -> int:
        return self._experts.rounds_left

    def _learn(self, x: Hashable, y: bool) -> None:
        self._experts.learn(self._H.ones(x), y, np.ones(1))
