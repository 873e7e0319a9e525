"""Sensitivity audit: how far one record moves the numbers that a learner passes to its mechanism.

A mechanism keeps its promise only if one record changes its input by little: a value by at most the declared
sensitivity; an error, a support, or a score by at most 1; and the list of candidates by at most one new candidate per
level, of support 1. The learner's code must ensure this. The law of a release may hide a violation: it shows one only
where the law is near its bound, and a violation often moves it away from there. So we compare the numbers themselves,
over all neighbors.

Throughout this file
    change    the largest of all changes, each as a share of what the mechanism allows. At most 1 if the claim holds
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from privpac.audit.claims.case import Case, labeled
from privpac.audit.claims.fits import Stage, fit_of, stages
from privpac.audit.exact_divergence import Worst, once
from privpac.audit.neighbors import neighbor_pairs
from privpac.audit.sampling import Verdict
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Universe
from privpac.learners.choice import LEARNERS
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import Leveled, Stable
from privpac.mechanisms.selection.votes import VoteExponential
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from privpac.refusals.option_words import Regime, words_of

AUDITED = (DiscreteLaplace, PermuteAndFlip, Leveled)
MOST_SCORES = 1000  # Longer lists of scores are not compared.


@dataclass(frozen=True)
class MechanismInput:
    """The numbers that a mechanism gets.

    ``plain`` has numbers by name, in units of the largest change that one record may cause. Stable candidates have a
    support and a level; ``levels`` is the number of levels, None if it is unbounded.
    """

    plain: Mapping[Any, Fraction]
    support: Mapping[Any, int] = field(default_factory=dict)
    level: Mapping[Any, int] = field(default_factory=dict)
    levels: int | None = 1

    @staticmethod
    def of(mechanism: Any, data: Any) -> MechanismInput:
        if isinstance(mechanism, DiscreteLaplace):
            return MechanismInput({"value": Fraction(data, mechanism.sensitivity)})
        if isinstance(mechanism, PermuteAndFlip):
            return MechanismInput({i: Fraction(int(score)) for i, score in enumerate(data)})
        fallback, stable = data[:2]
        errors = dict([fallback] if isinstance(fallback, tuple) else fallback)
        return _candidates({name: Fraction(int(wrong)) for name, wrong in errors.items()}, stable, mechanism.levels)

    def change(self, other: MechanismInput) -> Fraction:
        """The largest change from ``other`` to these numbers, as a share of what is allowed."""
        names = self.plain.keys() & other.plain.keys()
        new = self.support.keys() - other.support.keys()
        common = self.support.keys() & other.support.keys()
        changes = [
            *(abs(self.plain[name] - other.plain[name]) for name in names),
            *(Fraction(abs(self.support[v] - other.support[v])) for v in common),
            *(Fraction(self.support[v]) for v in new),
        ]
        if self.levels is not None:  # here it is enough that levels gain one candidate on average
            return max([*changes, Fraction(len(new), self.levels)])
        return max([*changes, *map(Fraction, Counter(self.level[v] for v in new).values())], default=Fraction(0))


def _candidates(plain: dict[Any, Fraction], stable: Stable, levels: int | None) -> MechanismInput:
    support, level = {}, {}
    columns = (np.asarray(column).tolist() for column in (stable.level, stable.support, stable.errors))
    counts = None if stable.counts is None else np.asarray(stable.counts).tolist()
    for j, (l, q, wrong) in enumerate(zip(*columns, strict=True)):
        for v in [stable.names[j]] if counts is None else [stable.names[j][i] for i in range(counts[j])]:
            support[v], level[v], plain["errors", v] = q, l, Fraction(wrong)
    return MechanismInput(plain, support, level, levels)


@dataclass(frozen=True)
class SensitivityCase(Case):
    """The claim that one record changes the input of a stage's mechanism by at most what is allowed.

    >>> case = next(case for case in SENSITIVITIES if case.name == "PathLearner")
    >>> largest = case.exact()
    >>> float(largest.value), largest.refuted
    (1.0, False)
    """

    def exact(self) -> Worst:
        """The largest change, in the form of a privacy audit: a loss that must not exceed the claimed ε of 1.

        Laplace noise that is calibrated to ε = 1 would lose exactly this much privacy.
        """
        numbers = once(self._numbers)
        pairs = list(neighbor_pairs(self.universe, self.n))
        both_ways = [direction for pair in pairs for direction in (pair, pair[::-1])]
        changes = [numbers(S).change(numbers(T)) for S, T in both_ways]
        worst = max(range(len(changes)), key=changes.__getitem__)
        return Worst(self.claimed, ball(changes[worst]), both_ways[worst], len(pairs), [_coins(changes[worst])])

    def sampled(self, runs: int, confidence: float) -> Verdict:
        """What the outputs of the stage show about its charge; the numbers themselves are never released."""
        stage: Stage = self.mechanism
        claimed = stage.claimed(self.data((self.universe[0],) * self.n))
        return Case(stage, self.view, self.about, self.universe, self.n, claimed).sampled(runs, confidence)

    def _numbers(self, records: Any) -> MechanismInput:
        request = self.mechanism.request(self.data(records))
        return MechanismInput.of(request.mechanism, request.data)


def _coins(change: Fraction) -> tuple[dict[int, arb], dict[int, arb]]:
    """Two laws of a coin whose privacy loss is ``change``: 0 is e^change times as likely under the first."""
    rare = (-ball(change)).exp() / 2
    return {0: arb(1) / 2, 1: arb(1) / 2}, {0: rare, 1: 1 - rare}


def _sensitivities(kind: type[Learner], universe: Universe) -> Iterator[Case]:
    """The cases of one learner: its first release in each regime, if the mechanism gets numbers."""
    for regime in words_of(Regime):
        fit = fit_of(kind, universe.concept_class, epsilon=1, delta=1e-6, regime=regime, **universe.settings)
        records = [*labeled(universe.points), None]
        (case,) = stages(fit, f"{universe.about}, {regime}", records, 2)
        request = case.mechanism.request(case.data((records[0],) * 2))
        short = not isinstance(request.mechanism, PermuteAndFlip) or len(request.data) <= MOST_SCORES
        # VoteExponential counts its votes inside the release, so it gets no numbers that could be compared.
        votes = isinstance(request.mechanism, VoteExponential)
        if isinstance(request.mechanism, AUDITED) and short and not votes:
            about = f"sensitivity, {case.about}"
            yield SensitivityCase(case.mechanism, case.view, about, records, 2, Budget(1))


SENSITIVITIES = tuple(case for kind in LEARNERS for universe in kind.audited for case in _sensitivities(kind, universe))
