"""Every learner on neighbors, with the same answers: it asks the same, hands on what is allowed, and says the same.

Records hold anything, and change into anything. Neither may show: not in the rule, the model, its page, the account, or
a warning.
"""

import random

import numpy as np
import pytest

from privpac.learners.choice import LEARNERS
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import model_of
from privpac.requests import holding_out
from tests.replays import SEEDS, Tape, column, said, spoiled

FITS = [("clamp", None, True), ("default", 2, True)]  # rule, records that count per unit, whether the error is told
LABELS = (None, 2, "yes", float("nan"), True, 0.5, "")  # besides the declared ones
FEW_RECORDS = {"FlatLearner", "PrivateCutBoxes", "PrivateCutRules"}  # whose laws or rules take long


def first(counts, m, _):
    """The first m records instead of random ones, so that both parts of neighbors are neighbors."""
    return np.clip(m - (np.cumsum(counts) - counts), 0, counts)


def first_of_each(units, counts, _):
    there = np.flatnonzero(counts)
    found = np.zeros(len(units), dtype=np.int64)
    found[there[np.unique(units[there], return_index=True)[1]]] = 1
    return found


def value(points, hostile, rng):
    found = rng.choice(points)
    return spoiled(found, rng) if rng.random() < hostile else found


def sample(points, n, rng):
    """Values, labels, and units of two records each."""
    return [(value(points, 0.1, rng), rng.choice((0, 1)), i // 2) for i in range(n)]


def neighbors(one, points, k, rng):
    """One record or unit changes: to nothing at all, to the other label, or to anything, with more or fewer records."""
    at = rng.randrange(len(one))
    unit, place = one[at][2], at - at % 2 if k else at
    before, own, after = one[:place], one[place : place + (2 if k else 1)], one[place + (2 if k else 1) :]
    flipped = [(rng.choice(points), 1 - label, unit) for _, label, _ in own]
    labels = (0, 1, rng.choice(LABELS))
    anew = [(value(points, 0.4, rng), rng.choice(labels), unit) for _ in range(rng.randrange(1, 4) if k else 1)]
    for instead in ([(None, None, unit) for _ in own], flipped, anew):
        yield [*before, *instead, *after]


def fitted(kind, universe, records, **asked):
    """All that a fit makes public."""
    values, labels, units = zip(*records, strict=True)
    clf = PrivateClassifier(universe.concept_class, method=kind.__name__, classes=(0, 1), **asked, **universe.settings)
    clf.fit(column(values), list(labels), unit=None if clf.max_records is None else list(units))
    model = model_of(clf)
    told = (clf.hypothesis_, clf.error_, clf.guarantee_, clf.ledger_)
    return model.to_json(), model._repr_html_(), *map(repr, told), *map(str, told)


@pytest.fixture
def coupled(monkeypatch):
    monkeypatch.setattr(holding_out, "chosen_of", first)
    monkeypatch.setattr(holding_out, "_one_of_each", first_of_each)


@pytest.mark.slow
@pytest.mark.usefixtures("coupled")
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_neighbors_with_the_same_answers_are_the_same_to_everyone(kind):
    for universe in kind.audited:
        for (rule, k, told), seed in ((fit, seed) for fit in FITS for seed in range(SEEDS)):
            rng = random.Random(f"{kind.__name__} {universe.about} {rule} {k} {seed}")
            n = 6 if kind.__name__ in FEW_RECORDS else rng.choice((6, 12, 30))
            points = list(universe.points)
            one = sample(points, n, rng)
            asked = {"on_invalid": rule, "max_records": k, "report_error": told, "allow_large_delta": True}
            asked |= {"epsilon": rng.choice((1, 8, 30)), "delta": rng.choice((1e-3, 0.2))}
            asked |= (
                {} if "random_state" in universe.settings else {"random_state": seed}
            )  # of units; answers are given
            tape = Tape()
            with tape.recorded():
                here = said(lambda: fitted(kind, universe, one, **asked))  # noqa: B023
            for other in neighbors(one, points, k, rng):
                with tape.replayed():
                    there = said(lambda: fitted(kind, universe, other, **asked))  # noqa: B023
                assert here == there, (one, other, asked)
                assert tape.too_far() == [], (one, other, asked)
