"""What the runs of a mechanism show, and what their numbers prove.

[CP34]  docs/references.bib        proof: docs/proofs/audit.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.privacy.budget import Budget


class Output(NamedTuple):
    """Equal outputs have equal labels; the number is NaN if the output is not a number; the time is in nanoseconds."""

    label: str
    number: float
    time: int


class Statistic(NamedTuple):
    """The events "the ``value`` of the output is at least a threshold", and ``describe``, which puts one into words."""

    value: Callable[[Output], float]  # −∞ for an output that lies in no event
    describe: Callable[[float], str]


# (outputs on one sample, outputs on its neighbor, the claim, the error of a bound) → a statistic and a threshold
Choice = Callable[[Sequence[Output], Sequence[Output], Budget, float], tuple[Statistic, float]]


def in_turn(first: Callable[[], Any], second: Callable[[], Any], runs: int) -> tuple[list[Output], list[Output]]:
    """The outputs of two functions that run in turn: one, two, two, one, … so that a busy machine slows down both.

    >>> ones, twos = in_turn(lambda: 1, lambda: 2, 3)
    >>> [output.label for output in ones], [output.number for output in twos]
    (['1', '1', '1'], [2.0, 2.0, 2.0])
    """
    outputs: tuple[list[Output], list[Output]] = ([], [])
    for i in range(runs):
        for k in ((0, 1), (1, 0))[i % 2]:
            outputs[k].append(observe((first, second)[k]))
    return outputs


def observe(run: Callable[[], Any]) -> Output:
    """The output of one run, and its time.

    >>> observe(lambda: 1 / 0).label
    'raises ZeroDivisionError'
    """
    start = perf_counter_ns()
    try:
        value = run()
    except Exception as error:  # an exception is an output too: whoever sees outputs sees its type
        return Output(f"raises {type(error).__name__}", math.nan, perf_counter_ns() - start)
    time = perf_counter_ns() - start
    number: Any = min(max(value, -1e300), 1e300) if isinstance(value, Real) else math.nan
    return Output(repr(value), float(number), time)


def epsilon_lower(p: ArrayLike, q: ArrayLike, runs: int, claimed: Budget, a: float) -> NDArray[np.float64]:
    """A lower bound on ε if p of ``runs`` outputs on one sample hit an event, and q on its neighbor; at least 0.

    The two probabilities have Clopper–Pearson bounds, each with error ``a``.

    >>> float(epsilon_lower(900, 300, 1000, Budget(1), 0.001).round(3))
    0.918
    """
    from scipy.special import betainccinv, betaincinv  # noqa: PLC0415  (an audit is rare, its import slow)

    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    least = np.where(p > 0, betaincinv(np.maximum(p, 1), runs - p + 1, a), 0)
    most = np.where(q < runs, betainccinv(q + 1, np.maximum(runs - q, 1), a), 1)
    bound: NDArray[np.float64] = np.log(np.maximum(least - float(claimed.delta), most) / most)
    return bound
