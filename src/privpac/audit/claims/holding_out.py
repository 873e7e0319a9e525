"""Audits of whole fits that hold out records: the choice of the records, the rule, and the counts, all together.

The law of everything that is released is the mean over all choices, computed over all neighbors.

Throughout this file
    m    how many records are held out
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from flint import arb, ctx

from privpac.audit.claims.case import Case, Records, labelled
from privpac.audit.claims.fits import Learned, fit_of
from privpac.audit.exact_divergence import BITS
from privpac.exact.entropy import Entropy
from privpac.learners.finite import FiniteLearner
from privpac.privacy.budget import Budget

Choice = tuple[Records, Records]  # learned from, and held out


@dataclass(frozen=True)
class HeldOut:
    """The output is the number of records held out and everything that is released.

    >>> case, _ = (case for case in HOLDING_OUT_CLAIMS if case.n == 2 and case.claimed == Budget(1))
    >>> round(float(case.exact().ratio), 3)
    0.979
    """

    learned: Learned
    m: int = 1

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def cost(self) -> Budget:
        return self.learned.cost

    def choices(self, records: Records) -> Iterator[Choice]:
        """What may be learned from and what may be held out, all equally likely."""
        for places in combinations(range(len(records)), self.m):
            learned = tuple(record for i, record in enumerate(records) if i not in places)
            yield learned, tuple(records[i] for i in places)

    def check(self, records: Records) -> Records:
        return records

    def release(self, records: Records, coins: Entropy) -> Any:
        choices = list(self.choices(records))
        learned, held = choices[coins.below(len(choices))]
        return len(held), *self.learned.release(self.learned.halves(learned, held), coins)

    def law(self, records: Records) -> dict[Any, arb]:
        """The mean of the laws of all choices."""
        law: defaultdict[Any, arb] = defaultdict(lambda: arb(0))
        choices = list(self.choices(records))
        with ctx.workprec(BITS):
            for learned, held in choices:
                for released, p in self.learned.law(self.learned.halves(learned, held)).items():
                    law[len(held), *released] += p / len(choices)
        return dict(law)


RULES = FiniteLearner.audited[0].concept_class
AB = labelled("ab")
UNFIT = (None, 0), (None, 1)


def _claims() -> Iterator[Case]:
    few: list[Any] = [*labelled("a"), None]
    for ε, n, m, universe in ((1, 2, 1, [*AB, None]), (6, 2, 1, [*AB, None]), (6, 3, 1, few), ("0.2", 3, 2, few)):
        fits = HeldOut(Learned(fit_of(FiniteLearner, RULES, epsilon=ε, report_error=True), n), m)
        yield Case(fits, tuple, f"whole fits, {m} of {n} held out", universe, n, fits.cost)
    for price, some in ((1, [*AB, *UNFIT]), (6, [*few, *UNFIT])):
        fits = HeldOut(_fit_with_misfits(price))
        yield Case(fits, tuple, "whole fits, records that do not fit measured", some, 2, fits.cost)


def _fit_with_misfits(ε: int) -> Learned:
    """A fit of two records; those that do not fit are measured by their labels."""
    return Learned(fit_of(FiniteLearner, RULES, epsilon=ε, report_error=True, on_invalid="default"), 2)


HOLDING_OUT_CLAIMS = tuple(_claims())
