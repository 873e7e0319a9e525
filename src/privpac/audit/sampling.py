"""Tests a privacy claim on the outputs of many runs.

[CP34]  docs/references.bib        proof: docs/proofs/audit.md

Throughout this file
    S, T    two neighbors             P, Q    the outputs on them, in one of the two directions
    E       an event: the outputs whose statistic is at least a threshold
    a       the error allowed to each confidence bound

A claim (ε, δ) says Pr[P ∈ E] ≤ e^ε·Pr[Q ∈ E] + δ for every E. Events are proposed on a quarter of the runs and chosen
on another. On the remaining half, which the choice has not seen, the first probability is bounded from below and the
second from above. Anything a run produces is an output: a number, None, NaN, any object (by its repr), any exception
(by its type). With ``timing``, so is the time that a run takes: then events are outputs within an interval of time.
"""

from __future__ import annotations

import math
import reprlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from privpac.audit.neighbors import Pair, hostile
from privpac.audit.observing import Choice, Output, Statistic, epsilon_lower, in_turn
from privpac.audit.timing import choose_timed
from privpac.exact.entropy import SYSTEM
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.refusals.refusal import Refused, RefusedType

THRESHOLDS = 200  # the largest number of thresholds for each statistic
LISTED = 6  # the largest number of outputs in the description of an event


@dataclass(frozen=True)
class Verdict:
    """The result of an audit: with probability ``confidence``, ε is at least ``epsilon_lower`` at the claimed δ.

    >>> verdict = audit(lambda bit: bit, (0, 1), claimed=Budget(1), runs=1000)
    >>> print(verdict)
    REFUTED: ε ≥ 4.091 at δ = 0 (confidence 0.999), where ε = 1 is claimed: 1 against 0, event: output ≥ 1,
    1000 runs each
    >>> verdict.refuted, verdict.epsilon_lower > 4
    (True, True)
    """

    refuted: bool
    epsilon_lower: float
    claimed: Budget
    pair: str
    event: str
    runs: int
    confidence: float

    def __str__(self) -> str:
        least = "no ε is large enough" if math.isinf(self.epsilon_lower) else f"ε ≥ {self.epsilon_lower:.4g}"
        return (
            f"{'REFUTED' if self.refuted else 'NOT_REFUTED'}: {least} at "
            f"δ = {float(self.claimed.delta):.6g} (confidence {self.confidence:.12g}), where {self.claimed} is "
            f"claimed: {self.pair}, event: {self.event}, {self.runs} runs each"
        )

    def _repr_html_(self) -> str:
        """In a notebook: the lower bound beside the claim."""
        from privpac.report.notebook import verdict_view  # noqa: PLC0415  (pictures are for notebooks only)

        axis = f"ε at δ = {float(self.claimed.delta):.6g}"
        measured = "at least", self.epsilon_lower
        return verdict_view(str(self.claimed), float(self.claimed.epsilon), measured, axis, str(self))


def audit(
    mechanism: object,
    pair: Pair | None = None,
    *,
    claimed: Budget,
    universe: Sequence[Any] | None = None,
    n: int = 2,
    runs: int = 20_000,
    confidence: float = 0.999,
    timing: bool = False,
) -> Verdict:
    """Try to refute the claim that ``mechanism`` costs at most ``claimed``, by running it on neighbors.

    Parameters
    ----------
    mechanism
        A function of the sample; or a ``Mechanism``, run with system randomness; or an estimator. For an estimator, a
        sample is the tuple of arguments of ``fit``, and the output is ``hypothesis_`` or else all learned attributes.
        One run must not influence another.
    pair
        Two neighboring samples. If None, hostile pairs of size ``n`` over ``universe`` are tried, and the confidence
        is split over them.
    runs
        How often the mechanism is run on each sample.
    confidence
        A true claim is refuted with probability at most 1 − ``confidence``.
    timing
        Whether the time that a run takes counts as part of its output.

    Examples
    --------
    >>> from privpac.mechanisms.noise.laplace import DiscreteLaplace
    >>> audit(DiscreteLaplace(Budget(1)), (0, 1), claimed=Budget(1), runs=1000, confidence=1 - 1e-9).refuted
    False
    >>> audit(DiscreteLaplace(Budget(4)), (0, 1), claimed=Budget(1), runs=1000).refuted
    True
    >>> audit(max, claimed=Budget(1, 1e-6), universe=range(2**64), n=3, runs=1000).refuted
    True
    """
    if not isinstance(claimed, Budget):
        raise RefusedType.must("claimed", "be a Budget")
    if not 0 < confidence < 1:
        raise Refused.must("confidence", "lie strictly between 0 and 1")
    if runs < 4:
        raise Refused.must("runs", "be at least 4: a quarter proposes events, a quarter chooses one, and half test it")
    if (pair is None) == (universe is None):
        raise Refused("pair", "give either a pair of neighboring samples or a universe of records, but not both")
    pairs = [pair] if pair is not None else hostile(universe or (), n)
    a = (1 - confidence) / (4 * len(pairs))  # two bounds for each of two directions
    choose = choose_timed if timing else _choose
    bounds = (evidence for pair in pairs for evidence in _evidence(mechanism, pair, claimed, runs, a, choose=choose))
    ε, worst_pair, event = max(bounds)
    return Verdict(ε > claimed.epsilon, ε, claimed, worst_pair, event, runs, confidence)


def _evidence(
    mechanism: object, pair: Pair, claimed: Budget, runs: int, a: float, *, choose: Choice
) -> Iterator[tuple[float, str, str]]:
    """A lower bound on ε, the pair and the event, in each direction."""
    S, T = pair
    on_S, on_T = in_turn(_runner(mechanism, S), _runner(mechanism, T), runs)
    half = runs // 2  # these runs choose the event, and the others test it
    for first, second, P, Q in ((S, T, on_S, on_T), (T, S, on_T, on_S)):
        statistic, threshold = choose(P[:half], Q[:half], claimed, a)
        p, q = (sum(statistic.value(output) >= threshold for output in outputs[half:]) for outputs in (P, Q))
        bound = float(epsilon_lower(p, q, runs - half, claimed, a))
        yield bound, f"{reprlib.repr(first)} against {reprlib.repr(second)}", statistic.describe(threshold)


def _runner(mechanism: Any, sample: Any) -> Callable[[], Any]:
    """One run on ``sample``, for any kind of mechanism."""
    if isinstance(mechanism, Mechanism):
        checked = cache(lambda: mechanism.check(sample))  # checked when it runs: an exception is part of the output
        return lambda: mechanism.release(checked(), SYSTEM)
    if hasattr(mechanism, "fit"):
        return lambda: _learned(deepcopy(mechanism).fit(*sample))
    if callable(mechanism):
        return lambda: mechanism(sample)
    raise RefusedType.must("mechanism", "be a function of the sample, a Mechanism, or an estimator with fit")


def _learned(estimator: object) -> Any:
    """The hypothesis of a fitted estimator, or else all attributes that its ``fit`` has set."""
    attributes = {name: value for name, value in vars(estimator).items() if name.endswith("_")}
    return attributes.get("hypothesis_", attributes)


def _choose(P: Sequence[Output], Q: Sequence[Output], claimed: Budget, a: float) -> tuple[Statistic, float]:
    """The most promising event: one half of these outputs proposes events, the other half judges them."""
    half = len(P) // 2
    events: list[tuple[Statistic, float]] = []
    hits = []  # for each event, how many outputs of P and of Q lie in it
    for statistic in (_likelihood(P[:half], Q[:half]), _AT_LEAST, _AT_MOST):
        on_P, on_Q = (np.sort([statistic.value(output) for output in outputs[half:]]) for outputs in (P, Q))
        thresholds = np.unique(on_P[on_P > -math.inf])
        for threshold in thresholds[:: max(1, thresholds.size // THRESHOLDS)].tolist():
            events.append((statistic, threshold))
            hits.append([values.size - np.searchsorted(values, threshold) for values in (on_P, on_Q)])
    if not events:
        return _AT_LEAST, math.inf
    p, q = 2 * np.array(hits).T  # the test has twice as many runs as this choice
    promised = epsilon_lower(p, q, 2 * (len(P) - half), claimed, a)
    return events[int(np.lexsort((p - q, promised))[-1])]  # the largest bound; among equal ones, the largest p − q


def _likelihood(P: Sequence[Output], Q: Sequence[Output]) -> Statistic:
    """Ranks outputs by how much likelier they are under P than under Q.

    By the Neyman–Pearson lemma, no other events tell P from Q better.
    """
    p, q = (Counter(output.label for output in outputs) for outputs in (P, Q))
    ratio = {label: (p[label] + 0.5) / (q[label] + 0.5) for label in p | q}  # + 0.5 keeps ratios finite
    rank = {label: float(i) for i, label in enumerate(sorted(ratio, key=ratio.__getitem__))}

    def describe(threshold: float) -> str:
        labels = [label for label in rank if rank[label] >= threshold]
        return f"output {' or '.join(labels[:LISTED])}" + f" or {len(labels) - LISTED} others" * (len(labels) > LISTED)

    return Statistic(lambda output: rank.get(output.label, -math.inf), describe)


_AT_LEAST = Statistic(
    lambda output: -math.inf if math.isnan(output.number) else output.number, "output ≥ {:.6g}".format
)
_AT_MOST = Statistic(
    lambda output: -math.inf if math.isnan(output.number) else -output.number, lambda t: f"output ≤ {-t:.6g}"
)
