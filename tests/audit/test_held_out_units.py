"""Whole fits that hold out units, with the choice made by the code that runs: all units, all coins, all releases."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import log

import numpy as np
import pytest

from privpac.audit.claims.fits import AuditedFit, SampleParts, fit_of
from privpac.classes.hypothesis import Constant
from privpac.data.samples.units import Quota
from privpac.exact.entropy import Entropy
from privpac.learners.finite import FiniteLearner
from privpac.requests import holding_out
from privpac.requests.reading import Reading
from tests.grid import over

pytestmark = pytest.mark.audit

RULES = FiniteLearner.audited[0].concept_class
RECORDS = ZERO, ONE, UNFIT_ZERO, UNFIT_ONE = ("a", 0), ("a", 1), ("nowhere", 0), ("nowhere", 1)
UNDECLARED = "a", 2
NEVER = Constant(False)
MIXED = [(ZERO,), (ZERO, UNFIT_ONE), (ONE, UNFIT_ZERO), (UNFIT_ONE, UNDECLARED), (UNDECLARED,)]
UNITS = [*((record, record) for record in RECORDS), *MIXED]


class Undecided(Exception):
    """One more coin is needed."""


class Followed(Entropy):
    """Coins that follow a path; a byte is below one half, or it is not."""

    private = True

    def __init__(self, path):
        self.path, self.at = path, 0

    def octets(self, count):
        return bytes(255 * self.below(2) for _ in range(count))

    def below(self, bound):
        if self.at == len(self.path):
            raise Undecided(bound)
        self.at += 1
        return self.path[self.at - 1]


def choices(sample, k):
    """Every choice of the code that runs, with its probability."""
    waiting = [((), Fraction(1))]
    while waiting:
        path, chance = waiting.pop()
        try:
            yield holding_out.split_sample(sample, RULES.domain, k, Followed(path)), chance
        except Undecided as more:
            (bound,) = more.args
            waiting += [((*path, i), chance / bound) for i in range(bound)]


def fit_law(units, learned, laws):
    """The law of all releases; a unit is named by what it holds, as the worst case."""
    rows = [(2 * UNITS.index(unit) + i, *record) for i, unit in enumerate(units) for record in unit]
    name, x, y = (np.array(column) for column in zip(*rows, strict=True))
    X = {"x": x, "y": y, "unit": name}
    reading = Reading(RULES.domain, "x", "default", ("y", "unit"))
    sample = reading.gathered(X, reading.table(X), "y", Quota("unit", 2, "any"), (0, 1), apart=True).sample
    total = defaultdict(float)
    for both, chance in choices(sample, 2):
        seen = tuple(
            (part.size, *part.outcomes(NEVER), *map(tuple, (part.points.tolist(), part.labels))) for part in both
        )
        if seen not in laws:
            laws[seen] = {outcome: float(p) for outcome, p in learned.law(SampleParts(*both)).items()}
        for outcome, p in laws[seen].items():
            total[outcome] += float(chance) * p
    return total


def worst_ratio(ε):
    """The largest ln P/P', in units of ε, over all pairs of two units that differ in one."""
    asked = {"epsilon": ε, "max_records": 2, "report_error": True, "on_invalid": "default"}
    learned, laws = AuditedFit(fit_of(FiniteLearner, RULES, **asked), 4, reach=3), {}
    law = {pair: fit_law(pair, learned, laws) for pair in combinations_with_replacement(UNITS, 2)}

    def of(*units):
        return law[tuple(sorted(units, key=UNITS.index))]

    pairs = ((of(a, c), of(b, c)) for a, b in permutations(UNITS, 2) for c in UNITS)
    return max(log(P[outcome] / Q[outcome]) for P, Q in pairs for outcome in P) / ε


@over("ε", (1, 4))
def test_units_are_protected_together_with_the_choice(ε, monkeypatch):
    """One of two units is held out. Claims are nearly attained, and none is exceeded."""
    monkeypatch.setattr(holding_out, "SHARE", 2)
    assert 0.9 < worst_ratio(ε) <= 1 + 1e-9


def test_units_held_out_by_their_names_are_refuted(monkeypatch):
    """A unit with another name moves the other unit to the other part."""
    monkeypatch.setattr(holding_out, "SHARE", 2)
    monkeypatch.setattr(holding_out, "chosen_of", lambda counts, m, coins: np.arange(len(counts)) >= len(counts) - m)
    assert worst_ratio(1) > 1.5
