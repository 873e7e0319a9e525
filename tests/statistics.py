"""Goodness of fit with a stated size and a stated power.

The test of a law p on n draws counts each outcome and asks, for each, whether its binomial count lies in an interval
that fails with probability at most α/m, for m outcomes. Its size is at most α for every p and n, by the union bound and
without any limit theorem. Its power against a mutant law is computed, not simulated: some one outcome must leave its
interval with probability at least 1 − α under the mutant. So a test that passes could have failed, and it depends on
no seed.

Main declarations
    assert_matches    a sampler follows a law, and would have been caught following a mutant
    Rejected          the sampler does not follow the law
    Powerless         the test could not tell the mutant from the law: more draws, or a coarser mutant
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Mapping

from scipy.special import bdtr, bdtrc

Law = Mapping[Hashable, float]
OTHER = "any other outcome"


class Rejected(AssertionError):
    """The sampler does not follow the law."""


class Powerless(AssertionError):
    """The mutant would pass."""


def assert_matches(
    sampler: Callable[[], Hashable], pmf: Law, *, must_reject: Law, draws: int = 5000, alpha: float = 1e-9
) -> None:
    """``sampler`` follows ``pmf``. Rejecting one that does, or passing one that follows ``must_reject``: w.p. ≤ alpha.

    Outcomes that ``pmf`` does not list are counted together.
    """
    law, mutant = completed(pmf, pmf), completed(must_reject, pmf)
    intervals = {outcome: interval(p, draws, alpha / len(law)) for outcome, p in law.items()}
    if not any(inside(mutant[outcome], draws, *ends) <= alpha for outcome, ends in intervals.items()):
        raise Powerless(f"{draws} draws cannot tell the mutant from the law")
    counts = Counter(outcome if outcome in pmf else OTHER for outcome in (sampler() for _ in range(draws)))
    for outcome, (least, most) in intervals.items():
        if not least <= counts[outcome] <= most:
            raise Rejected(f"{outcome!r}: {counts[outcome]} of {draws} draws, expected {least} … {most}")


def completed(pmf: Law, outcomes: Law) -> dict[Hashable, float]:
    """``pmf`` on the listed outcomes as floats, and what is left for all others."""
    law = {outcome: float(pmf.get(outcome, 0)) for outcome in outcomes}
    return law | {OTHER: max(0.0, 1 - sum(law.values()))}


def interval(p: float, n: int, level: float) -> tuple[int, int]:
    """The counts k of Binomial(n, p) with Pr[≤ k] > level/2 and Pr[≥ k] > level/2; outside lies at most ``level``."""
    least = bisect_left(range(n), True, key=lambda k: at_most(k, n, p) > level / 2)
    missing = bisect_left(range(n), True, key=lambda k: at_least(n - k, n, p) > level / 2)
    return least, n - missing


def inside(p: float, n: int, least: int, most: int) -> float:
    """Pr[least ≤ Binomial(n, p) ≤ most]."""
    return min(at_most(most, n, p), at_least(least, n, p), at_most(most, n, p) - at_most(least - 1, n, p))


def at_most(k: int, n: int, p: float) -> float:
    """Pr[Binomial(n, p) ≤ k]."""
    return 0.0 if k < 0 else float(bdtr(k, n, p))


def at_least(k: int, n: int, p: float) -> float:
    """Pr[Binomial(n, p) ≥ k]."""
    return 1.0 if k <= 0 else float(bdtrc(k - 1, n, p))
