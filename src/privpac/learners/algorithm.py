"""The contract of a learning algorithm: its pseudo-code, and what is proved about it.

Throughout this room
    H      the concept class            n      number of records, public
    ε, δ   privacy cost of the rule, per record; if errors have weights, per copy of a record
    α, β   a certificate: with probability at least 1 − β, the error is at most α (with noisy labels: at most α above
           the error of the best rule in H)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import floor, log
from typing import ClassVar, Self

from privpac.classes.hypothesis import Hypothesis
from privpac.learners.audit_cases import Universe
from privpac.learners.certificates.deviation import MOST, Groups, chance, log_flipped
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.accounting.group_privacy import per_record
from privpac.privacy.bisection import smallest_between
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Records
from privpac.requests.conditions import LEAST_EPSILON, ForClass
from privpac.requests.weights import LARGEST, ErrorWeights

LEAST_CERTIFIED = Fraction(1, 10**4)  # the smallest ε per record with certified errors
FINENESS = 10_000  # certified errors are multiples of 1/FINENESS
# The end of an assumption about how the best rule labels a value.
STANDS_FOR_MISFITS = "which stands for records that do not fit"


class Assumption(StrEnum):
    """Assumptions that most certificates share.

    Certificates also state others: how the best rule labels a value, or which rules it is chosen from.
    """

    INDEPENDENT = "records are drawn independently from one distribution"
    UNITS = "units are drawn independently from one distribution, and one record of each counts"
    REALIZABLE = "some rule of the class makes no error"
    REALIZABLE_BY_REFERENCE = "some such rule makes no error"
    PUBLIC = "the public records are drawn independently from the distribution of the private ones"
    FITTING = "errors are counted on records that fit what is declared, and divided by the number of all records"


def is_usual(assumption: str) -> bool:
    """Whether most certificates make this assumption; its text may come from a model file."""
    return assumption in set(Assumption) - {Assumption.PUBLIC}


@dataclass(frozen=True)
class Learner(ForClass):
    """An algorithm that learns a rule of ``concept_class``; ``theorem`` names the one that certifies its error."""

    proper: ClassVar[bool] = True  # its rules are rules of the class
    with_constants: ClassVar[bool] = False  # both constant rules are among those that its certificate compares with
    automatic: ClassVar[bool] = True  # a good first choice, not a last resort
    turns: ClassVar[tuple[int, ...]] = ()  # at these values of ε·n, it changes to another algorithm
    aims: ClassVar[bool] = False  # it aims at α: however many records there are, no smaller error is certified
    audited: ClassVar[tuple[Universe, ...]]  # small cases, for audits, where its claims are tight
    least_epsilon: ClassVar[Fraction] = LEAST_EPSILON  # with weights, for each copy of a record
    most_records: ClassVar[int] = 2**38  # with weights, the most copies of records

    @abstractmethod
    def run(self, records: Records, ask: Ask) -> Hypothesis:
        """The algorithm; every ``ask(mechanism, records.see(view))`` is a release."""

    @abstractmethod
    def failure(self, n: int, alpha: float) -> float:
        """An upper bound on the probability of an error above α with n records; 1.0 if nothing is proved."""

    def for_records(self, n: int) -> Self:
        """The algorithm for n records; one that chooses by n can then say what it chooses."""
        return self

    @property
    def acting(self) -> Learner:
        """The algorithm that does the work: itself, or the one that it chooses."""
        return self

    @property
    def choice(self) -> str:
        """What it chooses, and by which numbers; nothing if there is no choice, or if n is not known."""
        return ""

    @property
    def described(self) -> str:
        """What the algorithm does, in words, with its choice if it makes one."""
        return f"{self.acting.title} ({self.choice})" if self.choice else self.title

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """For each column, the numbers at which its cells begin; () for a column that has no cells.

        No rule that may be released tells two values of a cell apart. An empty tuple says that no column has cells.
        """
        return ()

    @property
    def copies(self) -> int:
        """C: a record counts up to C times, and costs are those of a single copy."""
        return self.terms.weights.most

    @property
    def log_r(self) -> float:
        """ln r, where r = e^(ε/2): each additional error makes a rule r times less likely."""
        return float(self.cost.epsilon / 2)

    @property
    def cheapest(self) -> float:
        """p₀: the best rule costs at most p₀·C per record, on average; p₀ = ½ says nothing.

        One of the constant rules costs no more than min(a, b)/(a + b), if errors on the two labels cost a and b.
        """
        weights = self.terms.weights.by_label
        return min(weights) / sum(weights) if self.with_constants and len(weights) == 2 else 0.5

    def heaviest(self, n: int) -> int:
        """The largest weight that a noisy count may give to a label if n records are learned from; it is public.

        A fit with larger weights would be refused, but only after the count was paid for.
        """
        heaviest = max(min(LARGEST, int(self.cost.epsilon / self.least_epsilon), self.most_records // max(n, 1)), 1)
        while self.cost.delta and heaviest > 1 and not per_record(self.cost, heaviest).delta:
            heaviest //= 2  # the δ for each copy of a record was rounded down to 0
        return heaviest

    def weighted(self, weights: ErrorWeights) -> Self:
        """The algorithm with these weights of errors, at the same cost per record; itself if labels are realizable."""
        if self.terms.regime == "realizable":
            return self
        cost = per_record(self.terms.cost, weights.most)  # its δ, too: an algorithm that chooses may leave it unspent
        return replace(self, terms=replace(self.terms, cost=cost, weights=weights))

    def chance(
        self,
        log_candidates: float,
        n: int,
        alpha: float,
        handicap: float = 0,
        *,
        determined_by: int = 0,
        groups: Iterable[Groups] = (),
        log_r: float | None = None,
    ) -> float:
        """An upper bound on the probability of an error above α when the rule is selected by its errors alone.

        A candidate with D errors more than the best rule weighs at most r^(handicap − D) times as much as that rule.
        If candidates come from the records, ``determined_by`` of the records determine each candidate.
        """
        return chance(
            log_candidates,
            handicap,
            n,
            alpha,
            self.log_r if log_r is None else log_r,
            self.terms.regime,
            copies=self.copies,
            determined_by=determined_by,
            groups=groups,
            cheapest=self.cheapest,
        )

    def log_flipped(self, candidates: int) -> float:
        """ln M for permute-and-flip: M is half the number of candidates or, if errors have weights, their number."""
        return log_flipped(candidates) + (0 if self.copies == 1 else log(2))

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """Which rules the best rule is chosen from, if not from the whole class."""
        return ()

    @property
    def within(self) -> str:
        """``reference_rules`` in a few words; empty if the best rule is that of the whole class."""
        return "on a public grid" if self.reference_rules else ""

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        """Further assumptions of the certificate."""
        return ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """All assumptions of the certificate about records and labels."""
        exact = Assumption.REALIZABLE_BY_REFERENCE if self.reference_rules else Assumption.REALIZABLE
        return (
            Assumption.UNITS if self.terms.units else Assumption.INDEPENDENT,
            *self.reference_rules,
            *([exact] if self.terms.regime == "realizable" else []),
            *([Assumption.FITTING] if self.terms.on_invalid != "raise" else []),
            *self.extra_assumptions,
        )

    def certified_alpha(self, n: int, beta: Fraction | None = None) -> Fraction | None:
        """The smallest error certified with n records; None if no error below 1 is certified."""
        β = float(self.terms.beta if beta is None else beta)
        if self.copies * self.cost.epsilon < LEAST_CERTIFIED or n < 1:
            return None
        return _certified_alpha(self, min(n, MOST), β)

    def certifies(self, n: int, alpha: float, beta: float) -> bool:
        """Whether n records certify an error of at most α, which is rounded down as in a certificate, but not to 0."""
        rounded = floor(Fraction(str(alpha)) * FINENESS) / FINENESS or alpha
        sizes = {n, min(n, MOST)}  # certificates count at most MOST records
        return self.copies * self.cost.epsilon >= LEAST_CERTIFIED and all(
            self.failure(size, rounded) <= beta for size in sizes
        )

    def utility(self, n: int) -> Utility | None:
        """The certificate for n records."""
        α = self.certified_alpha(n)
        if α is None:
            return None
        assumptions = tuple(map(str, self.assumptions))
        weights = () if self.terms.weights.even else self.terms.weights.by_label
        return Utility(α, self.terms.beta, self.terms.regime, self.theorem, assumptions, self.within, weights)


@lru_cache(maxsize=64)
def _certified_alpha(learner: Learner, n: int, beta: float) -> Fraction | None:
    step = smallest_between(lambda k: learner.failure(n, k / FINENESS) <= beta, 0, FINENESS)
    return Fraction(step, FINENESS) if step < FINENESS else None
