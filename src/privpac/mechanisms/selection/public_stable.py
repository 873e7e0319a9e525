"""One draw among public, stable, and fallback candidates.

proof: docs/proofs/selection.md

Throughout this file
    r         e^(ε/2), the one base of every weight
    err(v)    records that candidate v gets wrong            q(v)    records that support v, at least 1
    l         the level of v: one record supports at most one candidate per level
    κ_l       shares of the levels, Σ_l 1/κ_l ≤ 1: the number of levels, or (l+1)(l+2) when it is unbounded
    B         the number of fallbacks; each weighs at least 1
    λ_l       at least ln((1−δ)·κ_l/(B·δ)): the discount of level l; a_l = e^(−λ_l) ≤ B·δ/((1−δ)·κ_l)
    C         the cap: any integer that does not depend on the records

A fallback or a public candidate exists for every input, a stable one because records support it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Integers, Weights, integers
from privpac.mechanisms.selection.exponential import Menu, Selection, log_at_least, record_counts
from privpac.privacy.budget import Budget, Number, as_count, mechanism_budget
from privpac.privacy.ledger import Coins, Data, Payer, Release, spend

SHALLOW = 64  # levels whose discounts are computed together, once
FEWEST = 64  # shorter lists of stable candidates are filled up to this length, so that time does not tell them apart
OUT_OF_REACH = 2**62  # a discount that no number of records makes up for
WORST = 2**60  # the errors of an entry that stands for no candidate
CACHED = 64  # mechanisms in the cache


class Stable(NamedTuple):
    """Candidates that come from the data: names, levels l ≥ 0, supports q ≥ 1 and errors, one entry each.

    With ``counts``, entry j stands for the ``counts[j]`` candidates ``names[j][0]``, ``names[j][1]``, … of equal
    support and errors. They may lie on different levels if the selection has a number of levels. ``spare`` counts the
    records that support an ancestor but not the candidate; only regret_exponential reads it.

    >>> Stable(["/usr", "/usr/lib"], level=[0, 1], support=[900, 800], errors=[100, 0]).names
    ['/usr', '/usr/lib']
    """

    names: Sequence[Release]
    level: ArrayLike
    support: ArrayLike
    errors: ArrayLike
    counts: ArrayLike | None = None
    spare: ArrayLike | None = None


class Public(NamedTuple):
    """Candidates that exist for every input: names and errors, one entry each; ``counts`` as in Stable.

    >>> Public([range(0, 40), range(40, 64)], errors=[7, 0], counts=[40, 24]).log_prior
    0.0
    """

    names: Sequence[Release]
    errors: ArrayLike
    counts: ArrayLike | None = None
    log_prior: float = 0.0


NO_STABLE = Stable((), (), (), ())
NO_PUBLIC = Public((), ())


@dataclass(frozen=True)
class Leveled(Selection):
    """A selection among fallbacks and stable candidates: each level discounts candidates that one record can create."""

    cost: Budget
    levels: int | None

    def check_stable(self, fallback: Mapping[Hashable, int], stable: Stable) -> tuple[list[Hashable], Ints, Stable]:
        """The names and the errors of the fallbacks, and the stable candidates, filled up to FEWEST entries."""
        if not isinstance(fallback, Mapping) or not fallback:
            raise ValueError("fallback must map at least one public candidate to its number of errors")
        names, level = stable.names, record_counts(stable.level, "levels")
        support, errors = record_counts(stable.support, "support"), record_counts(stable.errors, "errors")
        if not len(names) == level.size == support.size == errors.size:
            raise ValueError("each stable candidate needs one name, level, support, and error count")
        if self.levels is not None and np.any(level >= self.levels):
            raise ValueError("levels of stable candidates must lie in 0 … levels − 1, counting the root's level")
        if np.any(support < 1):
            raise ValueError("a stable candidate exists only if at least one record supports it")
        spare = None if stable.spare is None else record_counts(stable.spare, "spare")
        if spare is not None and len(names) != spare.size:
            raise ValueError("spare must have one entry for each stable candidate")
        counts = _multiplicities(stable.counts, names)
        checked = Stable(
            names,
            _filled(level, 0),
            _filled(support, 1),
            _filled(errors, WORST),
            None if counts is None else _filled(counts, 0),
            None if spare is None else _filled(spare, 0),
        )
        return list(fallback), record_counts(list(fallback.values()), "errors"), checked

    def log_discounts(self, level: Ints, fallbacks: int) -> NDArray[np.float64]:
        """λ_l of each candidate."""
        odds = (1 - self.cost.delta) / (fallbacks * self.cost.delta)
        if self.levels is not None:
            return np.full(level.shape, log_at_least(odds * self.levels))
        distinct, where = np.unique(level, return_inverse=True)
        return np.array([log_at_least(odds * (l + 1) * (l + 2)) for l in distinct.tolist()])[where]

    def limits(self, level: Ints, fallbacks: int, rate: Fraction) -> tuple[NDArray[np.float64], Ints]:
        """λ_l and ⌊λ_l/rate⌋ of each candidate, in a time that does not depend on which of the first levels occur."""
        if level.max(initial=0) < SHALLOW:
            λ, bound = _shallow(self, fallbacks, rate)
            return λ[level], bound[level]
        λ = self.log_discounts(level, fallbacks)
        return λ, whole_steps(λ, rate, floor)


@lru_cache(CACHED)
def _shallow(mechanism: Leveled, fallbacks: int, rate: Fraction) -> tuple[NDArray[np.float64], Ints]:
    """λ_l and ⌊λ_l/rate⌋ of the first levels."""
    λ = mechanism.log_discounts(np.arange(SHALLOW), fallbacks)
    return λ, whole_steps(λ, rate, floor)


@dataclass(frozen=True)
class PublicStableExponential(Leveled):
    """Fallbacks weigh r^max(0, C−err), stable min(a_l·r^(q−1), r^(C−err)), public prior·r^(C−err); (ε, δ)-DP."""

    cap: int
    name: ClassVar[str] = "public stable exponential"
    theorem: ClassVar[str] = "selection, Theorem 3"

    def check(self, data: tuple[Mapping[Hashable, int], Stable, Public]) -> Data:
        fallback, stable, public = data
        errors, counts = record_counts(public.errors, "errors"), _multiplicities(public.counts, public.names)
        if len(public.names) != errors.size:
            raise ValueError("each public candidate needs one name and one error count")
        if not abs(public.log_prior) <= 2.0**50:
            raise ValueError("log_prior must lie within ±2^50")
        return (*self.check_stable(fallback, stable), Public(public.names, errors, counts, public.log_prior))

    def menu(self, data: Data) -> Menu:
        fallback, fallback_errors, stable, public = data
        rate, C = self.cost.epsilon / 2, self.cap
        # Integers decide the minimum: a_l·r^(q−1) ≤ r^(C−err) exactly when q − 1 − (C − err) ≤ ⌊λ_l/rate⌋.
        λ, bound = self.limits(stable.level, len(fallback), rate)
        supported, correct = stable.support - 1, C - stable.errors
        by_support = supported - correct <= bound
        scores = [np.maximum(0, C - fallback_errors), np.where(by_support, supported, correct), C - public.errors]
        priors = [np.zeros(len(fallback)), np.where(by_support, -λ, 0.0), np.full(len(public.names), public.log_prior)]
        counts = joined_counts(np.ones(len(fallback), np.uint64), members(stable), members(public))

        def outcome(group: int, member: int) -> Release:
            if group < len(fallback):
                return fallback[group]
            group -= len(fallback)
            return member_of(stable, group, member) if group < len(λ) else member_of(public, group - len(λ), member)

        return Weights(np.concatenate(scores), rate, counts, np.concatenate(priors)), outcome


@dataclass(frozen=True)
class DiscountedExponential(Leveled):
    """Fallbacks weigh r^(−err), stable v (a_l/r)·r^(−err); err(first fallback) − err(v) ≤ q(v); (ε, δ)-DP.

    Here a_l is that of B = 1, however many fallbacks there are.
    """

    name: ClassVar[str] = "discounted exponential"
    theorem: ClassVar[str] = "selection, Theorem 4"

    def check(self, data: tuple[Mapping[Hashable, int], Stable]) -> Data:
        fallback, errors, stable = self.check_stable(*data)
        if np.any(errors[0] - stable.errors > stable.support):
            raise ValueError("a candidate may beat the first fallback by at most the number of records that support it")
        return fallback, errors, stable

    def menu(self, data: Data) -> Menu:
        fallback, fallback_errors, stable = data
        B, rate = len(fallback), self.cost.epsilon / 2
        weights = Weights(
            np.concatenate([-fallback_errors, -stable.errors - 1]),
            rate,
            joined_counts(np.ones(B, np.uint64), members(stable)),
            np.concatenate([np.zeros(B), -self.limits(stable.level, 1, rate)[0]]),
        )
        return weights, lambda group, member: member_of(stable, group - B, member) if group >= B else fallback[group]


def member_of(entries: Stable | Public, entry: int, member: int) -> Release:
    """The name of one candidate of an entry."""
    return entries.names[entry] if entries.counts is None else entries.names[entry][member]


def _multiplicities(counts: ArrayLike | None, names: Sequence[Release]) -> Integers | None:
    if counts is None:
        return None
    array = integers(counts, "counts")
    if array.size != len(names) or (array.size and array.min() < 0):
        raise ValueError("counts must be non-negative, one per entry")
    if any(_length(entry) < count for entry, count in zip(names, array, strict=True)):
        raise ValueError("with counts, the name of an entry must list as many candidates as it counts")
    return array


def _length(entry: object) -> int:
    """The length, even of ranges too long for len(); 0 for objects without a length."""
    if isinstance(entry, range):
        return max(entry.stop - entry.start, 0)
    return len(entry) if hasattr(entry, "__len__") else 0


def _filled(entries: Integers, filler: int) -> Integers:
    """The entries, filled up to FEWEST of them."""
    return np.concatenate([entries, np.full(max(FEWEST - entries.size, 0), filler, dtype=entries.dtype)])


def members(entries: Stable | Public) -> Integers:
    """The number of candidates of each entry: one if it has a name, none if it only fills up the list."""
    if entries.counts is None:
        return (np.arange(np.size(entries.errors)) < len(entries.names)).astype(np.uint64)
    return np.asarray(entries.counts)


def joined_counts(*counts: Integers) -> Integers:
    """The multiplicities of all entries, exact integers throughout."""
    wide = any(array.dtype.kind == "O" for array in counts)
    return np.concatenate([array.astype(object if wide else np.uint64) for array in counts])


def whole_steps(λ: NDArray[np.float64], rate: Fraction, rounded: Callable[[Fraction], int], start: float = 0.0) -> Ints:
    """(λ − start)/rate exactly, ``rounded`` to integers; λ holds few distinct floats."""
    distinct, where = np.unique(λ, return_inverse=True)
    steps = [rounded((Fraction(discount) - Fraction(start)) / rate) for discount in distinct.tolist()]
    return np.array([min(max(step, -OUT_OF_REACH), OUT_OF_REACH) for step in steps], dtype=np.int64)[where]


def checked_levels(levels: int | None) -> int | None:
    """The number of levels after a check; None if unbounded."""
    return None if levels is None else as_count(levels, "levels")


def public_stable_exponential(
    fallback: Mapping[Hashable, int],
    stable: Stable = NO_STABLE,
    public: Public = NO_PUBLIC,
    *,
    cap: int,
    epsilon: Number,
    delta: Number,
    levels: int | None = None,
    budget: Payer = None,
    rng: Coins = None,
) -> Release:
    """A candidate with few errors, from public, stable, and fallback ones: (ε, δ)-DP.

    Parameters
    ----------
    fallback
        Public candidates with their errors; at least one.
    stable
        Candidates that come from the data. The caller guarantees that one record supports at most one of them per
        level and changes every support and every error count by at most 1.
    public
        Groups of candidates that exist for every input, with their errors.
    cap
        C, an integer that does not depend on the records; candidates with C or more errors have negligible weight.
    levels
        The number of levels that can hold a candidate, including the root's; None if unbounded.

    Examples
    --------
    >>> nodes = Stable(["/usr", "/usr/lib"], level=[0, 1], support=[900, 800], errors=[100, 0])
    >>> public_stable_exponential({"nothing": 800}, nodes, cap=700, epsilon=1, delta=1e-6, levels=32)
    '/usr/lib'
    """
    if isinstance(cap, bool) or not isinstance(cap, int) or abs(cap) > 2**60:
        raise ValueError("cap must be an integer between -2^60 and 2^60")
    cost = mechanism_budget(epsilon, delta, approximate=True)
    return spend(PublicStableExponential(cost, checked_levels(levels), cap), (fallback, stable, public), budget, rng)


def discounted_exponential(
    fallback: Mapping[Hashable, int],
    stable: Stable,
    *,
    epsilon: Number,
    delta: Number,
    levels: int | None = None,
    budget: Payer = None,
    rng: Coins = None,
) -> Release:
    """A stable candidate with few errors, or the fallback: (ε, δ)-DP, designed for noisy labels.

    For classes where a candidate beats the first fallback by at most the number of records that support it (points,
    subtrees). The caller guarantees that one record supports at most one candidate per level. Further fallbacks are
    public candidates.

    Examples
    --------
    >>> codes = Stable(["J10", "J11"], level=[0, 0], support=[300, 2], errors=[20, 318])
    >>> discounted_exponential({"none": 320}, codes, epsilon=1, delta=1e-6, levels=1)
    'J10'
    """
    cost = mechanism_budget(epsilon, delta, approximate=True)
    return spend(DiscountedExponential(cost, checked_levels(levels)), (fallback, stable), budget, rng)
