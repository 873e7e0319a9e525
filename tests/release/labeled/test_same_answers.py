"""Every labeled sanitizer on neighbors, with the same answers: it asks the same, and says the same."""

import random

import pytest

import privpac as pp
from privpac.release.choice import LABELED
from privpac.release.private_release import PrivateRelease
from privpac.report.pages.frame import PageNames
from privpac.report.pages.release import release_page
from tests.release.test_same_answers import CITIES, JOBS, TABLE, record
from tests.replays import SEEDS, Tape, column, said, spoiled

ANSWERED = {  # classes, with values of their domain; of columns, by name
    "LabeledLineSanitizer": [
        (pp.Thresholds(0, 9, direction="above"), [0, 3, 9]),
        (pp.Thresholds(0, 2**40, direction="above"), [5, 2**39]),
    ],
    "LabeledMarginalSanitizer": [(pp.Marginals(JOBS, CITIES, order=2), {"job": "ab", "city": "xy"})],
    "LabeledExplicitSanitizer": [(pp.ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc"), "abc")],
    "LabeledTableSanitizer": [(TABLE, {"job": ["clerk", "nurse"], "age": [0, 30, 120], "city": ["Oslo", "Rome"]})],
}


def labeled_record(values, hostile, rng):
    label = rng.choice(("no", "no", "yes"))
    return record(values, hostile, rng), spoiled(label, rng) if rng.random() < hostile else label


def released(queries, values, records, unit, **asked):
    """All that a labeled release makes public."""
    rows, labels = zip(*records, strict=True)
    X = column(rows)
    if isinstance(values, dict):
        X = {name: column([row[name] for row in rows]) for name in values}
    front = PrivateRelease(queries, classes=("no", "yes"), allow_large_delta=True, **asked).fit(X, column(labels), unit)
    page, best = release_page(front.release_, PageNames("flights", {}, None)), front.best(weights=(1, 9))
    return front.to_json(), page, *map(str, (front.guarantee_, front.ledger_, front.counts(), best))


def test_every_labeled_sanitizer_is_tried():
    assert set(ANSWERED) == {each.__name__ for each in LABELED}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERED)
def test_neighbors_with_the_same_answers_are_the_same_to_everyone(name):
    """One record changes: to nothing, to anything, and to another label."""
    for queries, values in ANSWERED[name]:
        for rule, seed in ((rule, seed) for rule in ("clamp", "default") for seed in range(SEEDS)):
            rng = random.Random(f"{name} {queries} {rule} {seed}")
            one = [labeled_record(values, 0.05, rng) for _ in range(rng.choice((10, 61, 300)))]
            asked = {"epsilon": rng.choice((1, 6)), "delta": 1e-6, "method": name, "on_invalid": rule}
            asked |= {"random_state": seed}
            tape, at = Tape(), rng.randrange(len(one))
            none = dict.fromkeys(values) if isinstance(values, dict) else None
            with tape.recorded():
                here = said(lambda: released(queries, values, one, None, **asked))  # noqa: B023
            anew = [(none, None), (one[at][0], "yes"), (one[at][0], "no"), (one[at][0], None)]
            for other in (*anew, *(labeled_record(values, 0.5, rng) for _ in range(2))):
                changed = [*one[:at], other, *one[at + 1 :]]
                with tape.replayed():
                    there = said(lambda: released(queries, values, changed, None, **asked))  # noqa: B023
                assert here == there, (one, other, asked)
                assert tape.too_far() == [], (one, other, asked)
