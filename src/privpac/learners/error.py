"""The error of a released rule on new records, measured on records that learning did not see.

proof: docs/proofs/holding_out.md

Given the rule, each held-out record is a true or false positive, a true or false negative, or void: it counts toward n,
and no rule errs on it. The counts are released with noise. From them follow the error with an interval that covers the
error on new records, and how the rule compares with the better of the two constant rules.

Main declarations
    ErrorEstimate     the measured error of a rule, and that of the best constant
    TrainingError     what earlier versions measured: the error on the records that the rule was learned from
    error_estimate    releases the counts and reads them
    in_python         a parameter and its value, as Python writes them
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

from privpac.classes.base import Hypothesis
from privpac.learners.certificates.held_out import NoiseSum, clearly_more, error_interval, nearest_counts
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.certainty import certainty
from privpac.privacy.ledger import Records
from privpac.privacy.printed import no_less, no_more

TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE, TRUE_NEGATIVE = range(4)


def in_python(name: str, value: str) -> str:
    """A parameter and its value, as Python writes them.

    >>> print(in_python("direction", "either"))
    direction="either"
    """
    return f'{name}="{value}"'


@dataclass(frozen=True)
class ErrorEstimate:
    """How often a rule errs on new records, and how often the better of the two constant rules does.

    ``low`` to ``high`` covers the error on new records with probability at least ``confidence``. With units, a new
    record is a random record of a new unit. Void records count as records on which nothing errs. ``sensitivity`` is the
    share of positive records that the rule labels positive, and ``specificity`` the share of negative ones that it
    labels negative; ``positives`` is the share of positive records, ``constant`` the error of the best constant, and
    ``better`` says whether the rule is clearly better than both constants, with the same confidence.

    >>> found = ErrorEstimate(0.083, 0.069, 0.099, Fraction(95, 100), 0.81, 0.95, 0.22, 0.22, better=True, held=1000)
    >>> print(found)
    errs on about 8.3 % of new records (between 6.9 % and 9.9 % with 95 % confidence); always answering no would err \
on about 22.0 %
    >>> print(found.named("on time", "late"))
    errs on about 8.3 % of new records (between 6.9 % and 9.9 % with 95 % confidence); always answering on time would \
err on about 22.0 %
    """

    error: float
    low: float
    high: float
    confidence: Fraction
    sensitivity: float
    specificity: float
    positives: float
    constant: float
    better: bool
    held: int  # how many records were held out
    wider: tuple[str, ...] = ()  # a parameter of the class and its value, which allow more rules

    def __post_init__(self) -> None:
        shares = (self.sensitivity, self.specificity, self.positives, self.constant)
        if not (0 <= self.low <= self.error <= self.high <= 1 and all(0 <= share <= 1 for share in shares)):
            raise ValueError("error must lie within its interval, and all shares between 0 and 1")
        if self.held < 0:
            raise ValueError("the number of records that were held out must not be negative")

    @property
    def in_words(self) -> str:
        """The error with its interval."""
        if not self.held:
            return "errs on an unknown share of new records, because there were too few records to hold any out"
        return f"errs on about {_percent(self.error)} of new records ({_between(self)})"

    def named(self, negative: str, positive: str) -> Self:
        """The same estimate, which knows the two labels when it is printed."""
        other = copy(self)
        object.__setattr__(other, "_labels", (negative, positive))
        return other

    def sentence(self, negative: str = "no", positive: str = "yes", spelled: Callable[..., str] = in_python) -> str:
        """What people should know first; ``spelled`` writes a parameter and its value as the caller does."""
        answer = negative if self.positives <= self.constant else positive
        if self.better:
            return f"{self.in_words}; always answering {answer} would err on about {_percent(self.constant)}"
        told = f"This rule is not clearly better than always answering {answer}"
        if self.held:
            told += f", which would err on about {_percent(self.constant)} of new records"
        more = f" {spelled(*self.wider)} allows more rules." if self.wider else ""
        return f"{told}. It {self.in_words}.{more}"

    @property
    def rates(self) -> str:
        """How the rule treats records of either label; unknown if no held-out record seems to have that label.

        >>> print(ErrorEstimate(0.1, 0.08, 0.12, Fraction(19, 20), 0.5, 0.9, 0.0, 0.0, False, 200).rates)
        labels an unknown share of the positive records and about 90.0 % ...
        """
        unknown = "an unknown share"
        positive = f"about {_percent(self.sensitivity)}" if self.positives else unknown
        negative = f"about {_percent(self.specificity)}" if self.constant or not self.positives else unknown
        right = f"labels {positive} of the positive records and {negative} of the negative ones correctly"
        return f"{right}; about {_percent(self.positives)} of all records are positive"

    def __str__(self) -> str:
        return self.sentence(*getattr(self, "_labels", ()))


@dataclass(frozen=True)
class TrainingError:
    """What models of earlier versions say: the share of the records learned from that the rule labels wrongly.

    >>> print(TrainingError(0.083, 0.08, 0.086, Fraction(95, 100)))
    errs on about 8.3 % of the records that it was learned from (between 8.0 % and 8.6 % with 95 % confidence)
    """

    value: float
    low: float
    high: float
    confidence: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.value <= self.high <= 1:
            raise ValueError("error must lie within its interval, and the interval between 0 and 1")

    def __str__(self) -> str:
        return f"errs on about {_percent(self.value)} of the records that it was learned from ({_between(self)})"


def error_estimate(
    rule: Hypothesis, cost: Budget, beta: Fraction, held: Records, ask: Ask, *, void: bool, wider: tuple[str, ...] = ()
) -> ErrorEstimate:
    """The estimate, with confidence 1 − β; the counts are released at this cost. ``void``: some records may be."""
    n, kinds = held.size, 5 if void else 4
    mechanism = DisjointCounts(cost, n)
    noisy = ask(mechanism, held.see(lambda sample: sample.outcomes(rule)[:kinds])) if n else (0,) * kinds
    return read_counts(noisy, n, mechanism.rate, beta, wider)


@lru_cache(maxsize=1024)  # audits read the same counts over and over
def read_counts(
    noisy: tuple[int, ...], n: int, rate: Fraction, beta: Fraction, wider: tuple[str, ...] = ()
) -> ErrorEstimate:
    """The estimate from noisy counts that add up to about n."""
    hit, alarm, miss, rest, *_ = (count / max(n, 1) for count in nearest_counts(noisy, n).tolist())
    wrong = noisy[FALSE_POSITIVE] + noisy[FALSE_NEGATIVE]
    low, high = error_interval(2 * wrong + n - sum(noisy), n, NoiseSum(rate, len(noisy)), beta)
    than_no = clearly_more(noisy, (TRUE_POSITIVE, FALSE_POSITIVE), n, rate, beta)
    than_yes = clearly_more(noisy, (TRUE_NEGATIVE, FALSE_NEGATIVE), n, rate, beta)
    return ErrorEstimate(
        error=min(max(alarm + miss, low), high) if n else 0.5,
        low=low,
        high=high,
        confidence=1 - beta,
        sensitivity=_share(hit, hit + miss),
        specificity=_share(rest, rest + alarm),
        positives=min(hit + miss, 1.0),
        constant=min(hit + miss, rest + alarm) if n else 0.5,
        better=than_no and than_yes,
        held=n,
        wider=wider,
    )


def _share(part: float, whole: float) -> float:
    """A share; 1/2 if nothing is known about it."""
    return min(part / whole, 1.0) if whole > 0 else 0.5


def _between(found: ErrorEstimate | TrainingError) -> str:
    """The interval, rounded outward, and its confidence, rounded down."""
    low, high = _percent(no_less(found.low, 3)), _percent(no_more(found.high, 3))
    return f"between {low} and {high} with {certainty(1 - found.confidence, percent=True)} confidence"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
