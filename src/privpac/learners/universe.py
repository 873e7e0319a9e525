"""Small universes where audits try an algorithm on all neighbors: there, its claims are tight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from privpac.classes.concept_class import ConceptClass
from privpac.privacy.budget import Number


class Tried(NamedTuple):
    """ε and δ, the number n of arbitrary records, and the number of identical records beside them."""

    epsilon: Number
    delta: Number
    n: int
    beside: int


# copies of one record make all other rules unlikely, so one more record changes the odds by e^ε
CROWDED = Tried(1, 1e-6, 1, 14), Tried(0.2, 0.3, 2, 70), Tried(6, 0.3, 3, 0)
# if rules exist only when a record brings them, or with permute-and-flip, a few records are enough
ALONE = Tried(1, 1e-6, 1, 0), Tried(0.2, 0.3, 2, 0), Tried(6, 0.3, 3, 0), Tried(1, 1e-6, 1, 14)
FEW = Tried(6, 0.3, 2, 3), Tried(1, 0.3, 1, 14)  # for many outcomes
EQUAL = ("a", 1, True)  # one value fewer than it seems, since 1 == True


class Path(NamedTuple):
    """For an algorithm on trees: a point whose rule is learned, and one off that rule."""

    on: Any
    off: Any


@dataclass(frozen=True)
class Universe:
    """All labels at each of these points, and a void record; the records beside them are all at the first point.

    >>> from privpac.learners.lines.intervals import IntervalLearner
    >>> [(each.about, list(each.points)) for each in IntervalLearner.audited]
    [('4 values', [0, 1, 3])]
    """

    concept_class: ConceptClass
    about: str
    points: Iterable[Any]
    tried: tuple[Tried, ...] = CROWDED  # each a place where a tenth more than is charged is refuted
    path: Path | None = None  # instead of ``tried``
    given: Mapping[str, Any] = field(default_factory=dict)  # other conditions
    crowd_label: int = 1  # of the records beside
    labels: int = 2
