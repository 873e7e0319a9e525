"""Every learner on neighbors, with the same answers: it asks the same, hands on what is allowed, and says the same.

Records hold anything, and change into anything. Neither may show: not in the rule, the model, its page, the account, or
a warning.
"""

import random

import numpy as np
import pytest

from privpac.learners import holding_out
from privpac.learners.choice import LEARNERS
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import model_of
from tests.replays import SEEDS, Tape, column, said, spoiled

FITS = [("clamp", None, True), ("default", 2, True)]  # rule, records that count per unit, whether the error is told
LABELS = (0, 1, 0, 1, None, 2, "yes", float("nan"), True, 0.5, "")  # both declared ones, and others
FEW_RECORDS = {"FlatLearner", "PrivateCutBoxes"}  # whose laws or rules take long


def first(counts, m, _):
    """The first m records instead of random ones, so that both parts of neighbors are neighbors."""
    return np.clip(m - (np.cumsum(counts) - counts), 0, counts)


def first_of_each(units, counts, _):
    there = np.flatnonzero(counts)
    found = np.zeros(len(units), dtype=np.int64)
    found[there[np.unique(units[there], return_index=True)[1]]] = 1
    return found


def neighbors(points, k, n, rng):
    """Two samples (values, labels, units) that differ in one record, or in one unit of about two records."""

    def record(hostile):
        value = rng.choice(points)
        return spoiled(value, rng) if rng.random() < hostile else value

    one = [(record(0.1), rng.choice((0, 1)), i // 2) for i in range(n)]
    at = rng.randrange(n)
    where = [i for i, (_, _, unit) in enumerate(one) if i == at or (k and unit == one[at][2])]
    other = [(record(0.7), rng.choice(LABELS), each[2]) if i in where else each for i, each in enumerate(one)]
    if k and rng.random() < 0.5:
        other.append((record(0.5), 1, one[at][2]))  # a unit may have more records
    return one, other


def fitted(kind, universe, records, **asked):
    """All that a fit makes public."""
    values, labels, units = zip(*records, strict=True)
    clf = PrivateClassifier(universe.concept_class, method=kind.__name__, classes=(0, 1), **asked, **universe.given)
    clf.fit(column(values), list(labels), unit=None if clf.max_records is None else list(units))
    model = model_of(clf)
    told = (clf.hypothesis_, clf.error_, clf.guarantee_, clf.ledger_)
    return model.to_json(), model._repr_html_(), *map(repr, told), *map(str, told)


@pytest.fixture
def coupled(monkeypatch):
    monkeypatch.setattr(holding_out, "chosen_of", first)
    monkeypatch.setattr(holding_out, "_one_of_each", first_of_each)


@pytest.mark.usefixtures("coupled")
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_neighbors_with_the_same_answers_are_the_same_to_everyone(kind):
    for universe in kind.audited:
        for (rule, k, told), seed in ((fit, seed) for fit in FITS for seed in range(SEEDS)):
            rng = random.Random(f"{kind.__name__} {universe.about} {rule} {k} {seed}")
            n = 6 if kind.__name__ in FEW_RECORDS else rng.choice((6, 12, 30))
            one, other = neighbors(list(universe.points), k, n, rng)
            asked = {"on_invalid": rule, "max_records": k, "report_error": told, "allow_large_delta": True}
            asked |= {"epsilon": rng.choice((1, 8, 30)), "delta": rng.choice((1e-3, 0.2))}
            asked |= {} if "random_state" in universe.given else {"random_state": seed}  # of units; answers are given
            tape = Tape()
            with tape.recorded():
                here = said(lambda: fitted(kind, universe, one, **asked))  # noqa: B023
            with tape.replayed():
                there = said(lambda: fitted(kind, universe, other, **asked))  # noqa: B023
            assert here == there, (one, other, asked)
            assert tape.too_far() == [], (one, other, asked)
