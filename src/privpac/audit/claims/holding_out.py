"""Audits of whole fits that hold out records: the choice of the records, the rule, and the counts, all together.

The law of everything that is released is the mean over all choices, computed over all neighbors. Beside it stand the
mistakes that are easy to make, each of which the same audit refutes.

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
from privpac.audit.claims.fits import Halves, Learned, fit_of
from privpac.audit.controls.mechanisms import Control
from privpac.audit.exact import BITS
from privpac.data.samples.sample import NEGATIVE, POSITIVE, Sample
from privpac.exact.entropy import Entropy
from privpac.learners.finite import FiniteLearner
from privpac.privacy.budget import Budget

Choice = tuple[Records, Records]  # learned from, and held out


@dataclass(frozen=True)
class HeldOut:
    """The output is the number of records held out and everything that is released.

    >>> case, _ = (case for case in HELD_OUT if case.n == 2 and case.claimed == Budget(1))
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

    def halves(self, learned: Records, held: Records) -> Halves:
        """The two parts as a fit reads them."""
        return self.learned.halves(learned, held)

    def check(self, records: Records) -> Records:
        return records

    def release(self, records: Records, coins: Entropy) -> Any:
        choices = list(self.choices(records))
        learned, held = choices[coins.below(len(choices))]
        return len(held), *self.learned.release(self.halves(learned, held), coins)

    def law(self, records: Records) -> dict[Any, arb]:
        """The mean of the laws of all choices."""
        law: defaultdict[Any, arb] = defaultdict(lambda: arb(0))
        choices = list(self.choices(records))
        with ctx.workprec(BITS):
            for learned, held in choices:
                for released, p in self.learned.law(self.halves(learned, held)).items():
                    law[len(held), *released] += p / len(choices)
        return dict(law)


class ByContent(HeldOut):
    """A record's value decides whether it is held out, as with any hash of its content."""

    def choices(self, records: Records) -> Iterator[Choice]:
        held = tuple(record for record in records if record[0] == "b")
        yield tuple(record for record in records if record[0] != "b"), held


class SameSizeByContent(HeldOut):
    """The values decide which m records are held out; how many is fixed."""

    def choices(self, records: Records) -> Iterator[Choice]:
        ordered = tuple(sorted(records))
        yield ordered[: -self.m], ordered[-self.m :]


class UntilBothLabels(HeldOut):
    """The coins are tossed again until both labels are among the records learned from, if that is possible."""

    def choices(self, records: Records) -> Iterator[Choice]:
        every = list(super().choices(records))
        both = [choice for choice in every if len({y for _, y in choice[0]}) == 2]
        yield from both or every


class Stratified(HeldOut):
    """Half of the records of each label are held out."""

    def choices(self, records: Records) -> Iterator[Choice]:
        ones, zeros = (tuple(record for record in records if record[1] == y) for y in (1, 0))
        half = len(ones) // 2, len(zeros) // 2
        yield ones[half[0] :] + zeros[half[1] :], ones[: half[0]] + zeros[: half[1]]


class NotHeldOut(HeldOut):
    """The error is measured on records that were also learned from, and nothing is charged for that."""

    def choices(self, records: Records) -> Iterator[Choice]:
        yield records, records


class CountedTwice(Sample):
    """Counts records that do not fit by themselves, and again among those that the rule answers no."""

    def outcomes(self, rule: Any) -> tuple[int, ...]:
        hits, alarms, misses, rest, *void = super().outcomes(rule)
        return hits, alarms, misses + void[POSITIVE], rest + void[NEGATIVE], *void


class UnfitTwice(HeldOut):
    """Held-out records that do not fit are counted twice."""

    def halves(self, learned: Records, held: Records) -> Halves:
        part, measured = super().halves(learned, held)
        return Halves(part, CountedTwice(**vars(measured)))


RULES = FiniteLearner.audited[0].concept_class
AB = labelled("ab")
UNFIT = (None, 0), (None, 1)


def _claims() -> Iterator[Case]:
    few: list[Any] = [*labelled("a"), None]
    for ε, n, m, universe in ((1, 2, 1, [*AB, None]), (6, 2, 1, [*AB, None]), (6, 3, 1, few), ("0.2", 3, 2, few)):
        made = HeldOut(Learned(fit_of(FiniteLearner, RULES, epsilon=ε, report_error=True), n), m)
        yield Case(made, tuple, f"whole fits, {m} of {n} held out", universe, n, made.cost)
    for price, some in ((1, [*AB, *UNFIT]), (6, [*few, *UNFIT])):
        made = HeldOut(_telling_misfits(price))
        yield Case(made, tuple, "whole fits, records that do not fit measured", some, 2, made.cost)


def _telling_misfits(ε: int) -> Learned:
    """A fit of two records; those that do not fit are measured by their labels."""
    return Learned(fit_of(FiniteLearner, RULES, epsilon=ε, report_error=True, on_invalid="default"), 2)


def _controls() -> Iterator[Control]:
    told = (
        (ByContent, "records held out by their content", 3, "how many are held out reveals how many have that content"),
        (SameSizeByContent, "the largest records held out", 3, "one record moves another to the other part"),
        (UntilBothLabels, "coins tossed until both labels appear", 3, "a label that is alone is never held out"),
        (Stratified, "half of each label held out", 4, "how many are held out depends on the labels"),
        (NotHeldOut, "measured on the records learned from", 2, "each record pays twice, and one payment is charged"),
    )
    for kind, about, n, why in told:
        made = kind(Learned(fit_of(FiniteLearner, RULES, epsilon=1, report_error=True), n))
        yield Control(made, tuple, about, AB, n, made.cost, why)
    twice, why = UnfitTwice(_telling_misfits(1)), "another label of a record that does not fit moves four counts"
    yield Control(twice, tuple, "records that do not fit counted twice", UNFIT, 2, twice.cost, why)


HELD_OUT = tuple(_claims())
HELD_OUT_CONTROLS = tuple(_controls())
