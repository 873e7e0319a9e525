"""Medians, quantiles, and interior points of private values, for records or for units.

proof: docs/proofs/quantiles.md, docs/proofs/interior_point.md

A few quantiles are drawn together. Many are read off a released distribution, whose price does not depend on their
number. With units, each has ``max_records`` slots, and slots may be empty. So the number of records is private, and a
method is chosen by the number of units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from privpac.classes.lines.thresholds import Thresholds
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.data.samples.units import Quota, slots_of
from privpac.data.values.columns import cells
from privpac.exact.entropy import entropy
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.quantiles.joint_quantiles import JointQuantiles
from privpac.mechanisms.quantiles.median import RARE, interior_mechanism, quantile_mechanism
from privpac.mechanisms.quantiles.one_quantile import LineValue, QuantileDyadic, QuantileExponential
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree, SeparateQuantiles
from privpac.privacy.accounting.group_privacy import PerUnit, per_record
from privpac.privacy.budget import Budget, Number, as_count, as_rational, mechanism_budget
from privpac.privacy.ledger import Coins, Mechanism, Opened, Payer, Sealed, spend
from privpac.refusals.option_words import LineRule, QuantileMethod
from privpac.refusals.refusal import InOtherWords, Refused, Setting
from privpac.release.lines.answers import LineCounts
from privpac.release.lines.sanitizer import LineSanitizer
from privpac.requests.conditions import Terms, fit_ledger
from privpac.requests.paying import protected
from privpac.requests.request import UNIT_AND_LIMIT_TOGETHER

# The longest line whose released distribution has good quantiles. On longer lines, a tree of cuts draws them, unless a
# unit may contribute several records.
LONGEST_SPLIT = 2**900


@dataclass(frozen=True)
class ReleasedQuantiles(Algorithm):
    """Quantiles of a released distribution; ε-DP. ``slots`` is the public number of records, void ones included."""

    cost: Budget
    line: Line
    taus: tuple[Fraction, ...]
    slots: int
    units: bool = False  # whether slots may be void
    name: ClassVar[str] = "quantiles of a distribution"
    theorem: ClassVar[str] = "split tree, Theorem 2"

    def check(self, data: ArrayLike) -> Sample:
        ordered = QuantileExponential(self.cost, self.line).check(data)
        return Sample(ordered, np.ones(len(ordered), dtype=bool), None, self.slots)

    def run(self, data: Sample, ask: Ask) -> list[Any]:
        cuts = Thresholds(self.line.low, self.line.high, step="finest")
        answers = LineSanitizer(cuts, Terms(self.cost, units=self.units)).run(Opened(data, data.size), ask)
        assert isinstance(answers, LineCounts)
        return [answers.quantile(τ) for τ in self.taus]


class PublicTerms(NamedTuple):
    """The public numbers that decide which mechanism releases a value."""

    cost: Budget  # per record
    n: int  # the number of records; with units, of units
    slots: int | None = None  # if a unit may contribute several records: how many slots there are, void ones included


class ValueRequest(NamedTuple):
    """The public parameters of a release of a few values, and who pays."""

    line: Line
    cost: Budget  # per record, or per unit
    unit: Any
    max_records: int | None
    budget: Payer
    rng: Coins

    def release(self, x: Any, mechanism_for: Callable[[PublicTerms], Mechanism]) -> Any:
        """What the mechanism for the public terms of x releases about x."""
        unit, k = self.unit, self.max_records
        if (unit is None) != (k is None):
            raise Refused("max_records" if unit is None else "unit", *UNIT_AND_LIMIT_TOGETHER)
        if unit is None or k is None:
            return spend(mechanism_for(PublicTerms(self.cost, len(x))), x, self.budget, self.rng, len(x))
        k, whom, values = as_count(k, "max_records"), protected(self.budget, unit, "this release"), cells(x, "x")
        quota = Quota(cells(unit, "unit"), k, entropy(self.rng).octets(16).hex())
        with InOtherWords(_clamping, Refused):
            rows, slots = slots_of(quota, [values], "raise" if self.line.on_invalid == "raise" else "default")
        if not slots:
            raise Refused("unit", "there are no units; give one for each record")
        inner = mechanism_for(PublicTerms(per_record(self.cost, k), slots // k, None if k == 1 else slots))
        mechanism = PerUnit(inner, k) if k > 1 else inner
        if self.budget is None:
            return mechanism.release(mechanism.check(values[rows]), entropy(self.rng))
        # Not ``spend``, whose charge protects records: this one protects ``whom``, the units.
        ledger = fit_ledger(self.budget, cast("int | None", self.rng), mechanism.cost, whom, mechanism.name)
        return ledger.spend(mechanism, Sealed(values[rows], slots))


def _clamping(refusal: Refused) -> Refused:
    """The refusal of records without a unit, with the rule that drops them here."""
    default, clamp = (Setting.to("on_invalid", rule) for rule in ("default", "clamp"))
    return Refused("unit", *(clamp if part == default else part for part in refusal.sentence.parts))


def _keeps_too_many(mechanism: Mechanism, terms: PublicTerms) -> bool:
    """Whether a dyadic method keeps more records than there are sure to be: each unit is sure to have only one."""
    return terms.slots is not None and isinstance(mechanism, QuantileDyadic) and mechanism.window > terms.n


def one_mechanism(line: Line, τ: Fraction, method: QuantileMethod, terms: PublicTerms) -> Mechanism:
    """The mechanism for one quantile; with too few units for the dyadic method, the exponential one."""
    mechanism = quantile_mechanism(terms.cost, line, τ, terms.n, method)
    exponential = QuantileExponential(Budget(terms.cost.epsilon), line, τ)
    return exponential if _keeps_too_many(mechanism, terms) else mechanism


def quantiles_mechanism(
    line: Line, taus: tuple[Fraction, ...], method: QuantileMethod, terms: PublicTerms
) -> Mechanism:
    """A joint draw of a few quantiles, a distribution or a tree of cuts for many, or the dyadic method."""
    pure, n = Budget(terms.cost.epsilon), terms.n
    separate, tree = SeparateQuantiles(terms.cost, line, taus, n, method), QuantileTree(pure, line, taus)
    if terms.slots is None and JointQuantiles.suits(line, len(taus), n):
        together: Mechanism = JointQuantiles(pure, line, taus)
    elif terms.slots is None and line.size > LONGEST_SPLIT:
        together = tree
    else:
        together = ReleasedQuantiles(pure, line, taus, terms.slots or n, terms.slots is not None)
    first = separate.parts[0]
    # If the first is dyadic, so are the others, because certificates do not depend on τ.
    if isinstance(first, QuantileDyadic) and not _keeps_too_many(first, terms):
        # A released distribution has no estimate of its rank error; that of a tree of cuts stands in for it.
        estimate = together if isinstance(together, JointQuantiles) else tree
        error, separate_error = estimate.expected_rank_error(n), first.rank_error(n, RARE)
        # A rank error of at most a quarter of the records is good enough. Otherwise the errors are compared.
        separate_is_better = (n if separate_error is None else separate_error) < error
        if method == "dyadic" or (4 * error > n and separate_is_better):
            return separate
    return together


def interior_point(
    x: object,
    *,
    low: LineValue,
    high: LineValue,
    epsilon: Number,
    delta: Number = 0,
    method: QuantileMethod = "auto",
    on_invalid: LineRule = "raise",
    unit: object = None,
    max_records: int | None = None,
    budget: Payer = None,
    rng: Coins = None,
) -> Any:
    """A value with records at or below it and records at or above it: ε-DP, or (ε, δ)-DP by the dyadic method.

    The parameters are those of ``private_median``; ``interior_size`` gives the number of records it takes.

    Examples
    --------
    >>> 5 <= interior_point([5] * 200 + [9] * 200, low=0, high=2**1024, epsilon=1, delta=1e-6) <= 9
    True
    """
    cost, line = mechanism_budget(epsilon, delta), Line(low, high, on_invalid)
    request = ValueRequest(line, cost, unit, max_records, budget, rng)
    return request.release(x, lambda terms: interior_mechanism(terms.cost, line, terms.n, method))


def private_median(
    x: object,
    *,
    low: LineValue,
    high: LineValue,
    epsilon: Number,
    delta: Number = 0,
    method: QuantileMethod = "auto",
    on_invalid: LineRule = "raise",
    unit: object = None,
    max_records: int | None = None,
    budget: Payer = None,
    rng: Coins = None,
) -> Any:
    """A value in the middle of the records: ε-DP, or (ε, δ)-DP by the dyadic method.

    Parameters
    ----------
    x
        One value per record: integers of any width, floats, dates or datetimes, like the bounds.
    low, high
        Public bounds on the possible values. Declare them; never compute them from the records.
    method
        "exponential" (pure), "dyadic" (for huge lines; needs δ > 0) or "auto".
    on_invalid
        What to do with values that are missing, out of bounds, or of another kind: "raise" before anything is spent, or
        "clamp", which moves them to the nearest bound, and to ``low`` if there is none.
    unit, max_records
        The unit of each record, such as a patient, and how many records each unit may contribute. The guarantee is then
        per unit. Records without a unit are refused, or dropped if values are clamped.

    Examples
    --------
    >>> from datetime import date, timedelta
    >>> private_median([40] * 400 + [41] * 600 + [99] * 9, low=0, high=120, epsilon=1)
    41
    >>> days = [date(2026, 3, 1)] * 1000
    >>> private_median(days, low=date(1900, 1, 1), high=date(2100, 1, 1), epsilon=1)
    datetime.date(2026, 3, 1)
    >>> private_median([41] * 999, low=0, high=120, epsilon=1, unit=[i // 3 for i in range(999)], max_records=2)
    41
    """
    cost, line = mechanism_budget(epsilon, delta), Line(low, high, on_invalid)
    request = ValueRequest(line, cost, unit, max_records, budget, rng)
    return request.release(x, partial(one_mechanism, line, Fraction(1, 2), method))


def private_quantiles(
    x: object,
    q: Sequence[Number],
    *,
    low: LineValue,
    high: LineValue,
    epsilon: Number,
    delta: Number = 0,
    method: QuantileMethod = "auto",
    on_invalid: LineRule = "raise",
    unit: object = None,
    max_records: int | None = None,
    budget: Payer = None,
    rng: Coins = None,
) -> list[LineValue]:
    """Several quantiles of the records, in the order of ``q``: ε-DP, or (ε, δ)-DP by the dyadic method.

    ``epsilon`` and ``delta`` cover all quantiles together. Quantiles lie strictly between 0 and 1, in increasing
    order; the answers are in order too. A quantile within the rank error of 0 or 1 may fall beyond all records. The
    other parameters are those of ``private_median``.

    The dyadic method draws each quantile by itself. Otherwise, up to 19 quantiles are drawn together, unless the table
    or the line is very large; others are read off a released distribution or, on very long lines, drawn by a tree of
    cuts. If a unit may contribute several records, all that the dyadic method does not draw are read off one.

    Examples
    --------
    >>> ages = [20] * 1000 + [40] * 2000 + [60] * 1000
    >>> private_quantiles(ages, [0.1, 0.5, 0.9], low=0, high=120, epsilon=1)
    [20, 40, 60]
    """
    taus = tuple(as_rational(τ, "q") for τ in (q if isinstance(q, Iterable) and not isinstance(q, str) else [q]))
    if not taus or not all(0 < τ < 1 for τ in taus) or any(a >= b for a, b in pairwise(taus)):
        raise Refused("q", "quantiles must lie strictly between 0 and 1, in increasing order")
    cost, line = mechanism_budget(epsilon, delta), Line(low, high, on_invalid)
    request = ValueRequest(line, cost, unit, max_records, budget, rng)
    if len(taus) == 1:
        return [request.release(x, partial(one_mechanism, line, taus[0], method))]
    return list(request.release(x, partial(quantiles_mechanism, line, taus, method)))
