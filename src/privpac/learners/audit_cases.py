"""Small universes in which an audit tries an algorithm on all pairs of neighbors; there, its claims are tight.

A sample is a crowd, equal records at the first point, and up to three records that may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from privpac.classes.concept_class import ConceptClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.privacy.budget import Number


class Trial(NamedTuple):
    """What an audit tries: ε and δ, the number n of records that may be anything, and the size of the crowd."""

    epsilon: Number
    delta: Number
    n: int
    crowd: int


# The crowd makes all rules but its own unlikely, so one more record changes the odds by e^ε.
CROWDED = Trial(1, 1e-6, 1, 14), Trial(0.2, 0.3, 2, 70), Trial(6, 0.3, 3, 0)
# A few records are enough with permute-and-flip, or if a rule is a candidate only when a record supports it.
ALONE = Trial(1, 1e-6, 1, 0), Trial(0.2, 0.3, 2, 0), Trial(6, 0.3, 3, 0), Trial(1, 1e-6, 1, 14)
FEW = Trial(6, 0.3, 2, 3), Trial(1, 0.3, 1, 14)  # fewer trials, for algorithms with many outcomes
CUTS = Thresholds(0, 2, direction="above").on(0), Thresholds(0, 1, direction="above").on(1)  # of two columns
EQUAL = ("a", 1, True)  # two values, since 1 == True


class Path(NamedTuple):
    """For an algorithm on trees: a point whose rule is learned, and one off that rule."""

    on: Any
    off: Any


@dataclass(frozen=True)
class Universe:
    """The records that an audit chooses from: each label at each of ``points``, and a void record."""

    concept_class: ConceptClass
    about: str  # a few words that name it
    points: Iterable[Any]
    trials: tuple[Trial, ...] = CROWDED  # in each of them, the audit refutes a cost of a tenth more than is charged
    path: Path | None = None  # decides the trials of an algorithm on trees, instead of ``trials``
    settings: Mapping[str, Any] = field(default_factory=dict)  # further conditions of the fit, by their names
    crowd_label: int = 1
    labels: int = 2
