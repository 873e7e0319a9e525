"""Whole learners, audited as they run: their own lines, their own views, every stage, over all neighbours.

What is audited is everything that a learner releases, one release after another. Noise from ±reach on is one outcome,
after which the learner is asked nothing more. This is a function of what it releases: what refutes it refutes the
learner.

Throughout this file
    records    a sample: a tuple of n labelled records (x, y), or None for a void one; where the learner promises
               something per unit, a tuple of units, each of which is a tuple of labelled records

Main declarations
    Learned    a learner as one mechanism whose output is everything it released
    learner    the case that claims the learner's own ε and δ
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from privpac.audit.cases import Case, Records
from privpac.data.columns import objects
from privpac.data.sample import Sample
from privpac.data.units import Quota, slots_of
from privpac.exact.entropy import Entropy
from privpac.learners.base import PrivateLearner
from privpac.mechanisms.adaptive import Ask, law_of
from privpac.privacy.budget import Budget
from privpac.privacy.groups import per_record
from privpac.privacy.ledger import Mechanism

KEY = "any"  # of the hash that chooses among a unit's records: what is claimed holds for every key


@dataclass(frozen=True)
class Learned:
    """``learner`` on samples of n records, or of n units; the output is the tuple of all that it released.

    >>> from privpac.classes.explicit import ExplicitClass
    >>> from privpac.learners.finite import FiniteLearner
    >>> learned = Learned(FiniteLearner(ExplicitClass([[0, 1], [1, 1]]), epsilon=2), 2)
    >>> law = learned.law(learned.sample(((0, 1), (1, 1))))
    >>> {outcome: round(float(law[outcome]), 3) for outcome in sorted(law)}
    {(0,): 0.184, (1,): 0.816}
    """

    learner: PrivateLearner
    n: int
    reach: int = 8  # at least n, so that no count is lumped

    @property
    def name(self) -> str:
        """The learner's class."""
        return type(self.learner).__name__

    @property
    def cost(self) -> Budget:
        """What a fit costs, per record or per unit."""
        return self.learner._cost(self.n * self.slots)

    @property
    def slots(self) -> int:
        """How many records of a unit count; 1 where records are protected one by one."""
        return self.learner.max_records or 1

    def sample(self, records: Records) -> Sample:
        """The records as the learner reads them."""
        if self.learner.max_records is None:
            return self._sample([record for record in records if record is not None], len(records))
        # a unit is called by what it holds, so that it keeps its name when another one is substituted
        names = [f"{unit}, number {records[:i].count(unit)}" for i, unit in enumerate(records)]
        rows = [(name, record) for name, unit in zip(names, records, strict=True) for record in unit]
        return self._sample(*self.chosen([number for number, _ in rows], [record for _, record in rows]))

    def chosen(self, units: list[str], records: list[Any]) -> tuple[list[Any], int]:
        """The records that count, and n."""
        content = [objects(x for x, _ in records), objects(y for _, y in records)]
        rows, n = slots_of(Quota(np.array(units), self.slots, KEY), content, "raise")
        return [records[row] for row in rows], n

    def _sample(self, valid: Sequence[Any], n: int) -> Sample:
        values = [x for x, _ in valid]
        points = self.learner.concept_class.domain.points(values)
        return Sample(points, np.array([bool(y) for _, y in valid], dtype=bool), None, n, values)

    def law(self, sample: Sample) -> dict[Any, arb]:
        """The probability of every sequence of releases."""
        return law_of(lambda ask: self._released(sample, ask), self.reach)

    def check(self, sample: Sample) -> Sample:
        """A sample is checked already."""
        return sample

    def release(self, sample: Sample, coins: Entropy) -> tuple[Any, ...]:
        """All that one fit releases."""
        return self._released(sample, lambda mechanism, seen: mechanism.release(mechanism.check(seen), coins))

    def _released(self, sample: Sample, ask: Ask) -> tuple[Any, ...]:
        released: list[Any] = []

        def spend(mechanism: Mechanism, view: Callable[[Sample], Any]) -> Any:
            released.append(ask(mechanism, view(sample)))
            return released[-1]

        self.learner._release(per_record(self.cost, self.slots), sample.size, spend)
        return tuple(released)


def learner(
    learner: PrivateLearner, about: str, universe: Sequence[Any], n: int, claimed: Budget | None = None
) -> Case:
    """The claim that this learner costs what it says, on all samples of n records of ``universe``.

    >>> from privpac.classes.explicit import ExplicitClass
    >>> from privpac.learners.finite import FiniteLearner
    >>> rules = ExplicitClass([[0, 1], [1, 1]])
    >>> print(learner(FiniteLearner(rules, epsilon=1), "2 rules", [(0, 0), (0, 1), (1, 1)], 2).exact())
    NOT_REFUTED: ...
    """
    learned = Learned(learner, n)
    return Case(learned, learned.sample, about, universe, n, learned.cost if claimed is None else claimed)
