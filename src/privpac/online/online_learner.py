"""What every online learner can do: predict the label of the next point, then learn the true one.

Nothing in this room is private: predictions and state may reveal every label that a learner was given.

Throughout this room
    x, y   a point by its name, and its label        t      the round: x_t is shown, a label predicted, y_t revealed
    T      the number of rounds                      V      a version space: the concepts that agree with the labels
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any, Protocol, Self

import numpy as np

from privpac.classes.hypothesis import Labels
from privpac.classes.matrices import as_label


class OnlineLearner(ABC):
    """A deterministic online learner, unless a subclass says otherwise.

    ``mistakes`` counts the rounds of :meth:`learn_one` in which the prediction would have been wrong.
    """

    mistakes: float = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.mistakes:g} mistakes)"

    @abstractmethod
    def predict_one(self, x: Hashable) -> bool:
        """The label that the learner expects at ``x``. Nothing is learned; ValueError for an unknown point."""

    @abstractmethod
    def _learn(self, x: Hashable, y: bool) -> None:
        """Learn from one round; the point and the label have been checked."""

    def _check(self, x: Hashable) -> None:
        """ValueError for an unknown point. Learners whose predictions are costly override this with a cheaper check."""
        self.probability_one(x)

    def _rounds_left(self) -> float:
        """How many more rounds the learner can take."""
        return math.inf

    def probability_one(self, x: Hashable) -> float:
        """The probability that :meth:`predict_one` says 1; for a deterministic learner, 0 or 1."""
        return bool(self.predict_one(x))

    def learn_one(self, x: Hashable, y: object) -> None:
        """One round: learn that ``x`` has the label ``y``, a boolean or 0 or 1."""
        truth = as_label(y)
        self.mistakes += abs(self.probability_one(x) - truth)
        self._learn(x, truth)

    def predict(self, X: Iterable[Hashable]) -> Labels:
        """The prediction for every point of a column, in the current state."""
        return np.array([self.predict_one(x) for x in X], dtype=bool)

    def partial_fit(self, X: Iterable[Hashable], y: Iterable[Any]) -> Self:
        """One round for each point of a column, in order. If any point or label is invalid, no round takes place."""
        points, labels = list(X), [as_label(label) for label in y]
        if len(points) != len(labels):
            raise ValueError(f"{len(points)} points and {len(labels)} labels: every point needs one label")
        if len(points) > self._rounds_left():
            raise ValueError(f"{len(points)} rounds, but only {self._rounds_left()} are left; choose a longer horizon")
        for x in points:
            self._check(x)
        for x, truth in zip(points, labels, strict=True):
            self.learn_one(x, truth)
        return self


class UniformCoins(Protocol):
    """A source of uniform numbers in [0, 1): a numpy ``Generator`` or a ``random.Random``."""

    def random(self) -> float:
        """The next number."""


class Randomized(OnlineLearner):
    """A learner that tosses a coin for each prediction; ``mistakes`` is then the expected number.

    ``rng`` supplies the coins. Without it, the learner still gives probabilities.
    """

    def __init__(self, rng: UniformCoins | None) -> None:
        self._rng = rng

    @abstractmethod
    def probability_one(self, x: Hashable) -> float:
        """The probability of predicting 1 at ``x``."""

    def predict_one(self, x: Hashable) -> bool:
        """A random label: 1 with probability :meth:`probability_one`."""
        if self._rng is None:
            raise ValueError("this prediction is random: pass rng, a numpy Generator, or call probability_one(x)")
        return self._rng.random() < self.probability_one(x)
