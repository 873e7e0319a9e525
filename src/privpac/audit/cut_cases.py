"""Private cuts and a rule with such cuts, from the first release to the last, on a line short enough to list all.

The learners of rules with private cuts need long lines, where only their first release can be listed. Here the same
steps run on six values, and the outcome of a run is everything that it releases.

Main declarations
    CutThenChosen    private cuts, then permute-and-flip over all thresholds with such cuts
    cut_cases        its claim, near which some neighbors come
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privpac.audit.cases import Case, Records
from privpac.classes.line import Thresholds
from privpac.data.line import Line
from privpac.data.sample import Sample
from privpac.learners.private_cut_rules import SHARES
from privpac.learners.private_cuts import FEWEST, PrivateCuts
from privpac.learners.views.grids import Reads, rules_of
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.mechanisms.permute_and_flip import PermuteAndFlip
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism, Opened

LINE = Line(0, 5)


@dataclass(frozen=True)
class CutThenChosen(Algorithm):
    """What ``PrivateCutRules`` does, on six values; the outcome is the tuple of all releases."""

    cost: Budget
    name: ClassVar[str] = "private cuts and a rule"
    theorem: ClassVar[str] = "private cuts, Theorem 2"

    def run(self, data: Opened, ask: Ask) -> tuple[Any, ...]:
        told: list[Any] = []

        def noted(mechanism: Mechanism, seen: Any) -> Any:
            told.append(ask(mechanism, seen))
            return told[-1]

        cuts, selection = self.cost.split(SHARES)
        rules = rules_of((Reads.of(Thresholds(0, 5)),), LINE, FEWEST)
        assert rules is not None
        (found,) = PrivateCuts(cuts, (LINE,), lambda sample: [sample.points], FEWEST).run(data, noted)
        private = rules.cut_at({None: found})
        noted(PermuteAndFlip(selection), data.see(lambda sample: -private.errors(sample, (False, True)).ravel()))
        return tuple(tuple(each) if isinstance(each, list) else each for each in told)


def labeled_values(records: Records) -> Opened:
    """Labeled values on the line, None if void.

    >>> labeled_values(((3, 1), None)).records.points
    array([3], dtype=uint64)
    """
    kept = [record for record in records if record is not None]
    points, labels = np.array([x for x, _ in kept], dtype=np.uint64), np.array([y for _, y in kept], dtype=bool)
    return Opened(Sample(points, labels, None, len(records)), len(records))


def cut_cases() -> Iterator[Case]:
    """Zoom, quantile and rule reveal the same record, so neighbors come within a tenth of the claim."""
    steep, positive, negative = Budget(12), ((0, 1),) * 5 + ((2, 1),) * 3 + ((4, 1),) * 5, ((0, 0), (4, 0), (5, 0)) * 2
    universe, crowd = [(1, 0), (4, 1), None], positive + negative
    yield Case(CutThenChosen(steep), labeled_values, "6 values, 19 more records", universe, 1, steep, crowd=crowd)
