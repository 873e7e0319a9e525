"""A release on records that mostly do not fit says so, wherever its measured bound shows it, and only there."""

import json
from dataclasses import replace

import numpy as np
import pytest

import privpac as pp
from privpac.report.notebook import release_view
from privpac.report.pages.release import release_page
from tests.grid import over

N = 4000
GAPS = {"x": [3] * 40 + [None] * (N - 40), "z": ["a"] * N}
WHOLE = {"x": [3] * N, "z": ["a"] * N}
ONE = pp.Points().on("z", values=("a", "b"))
FRONTS = {
    "a line": (pp.Thresholds(0, 9, direction="above"), {"feature": "x"}),
    "intervals": (pp.Intervals(0, 9), {"feature": "x"}),
    "declared values": (pp.Points().on("x", values=tuple(range(10))), {"delta": 0}),
    "marginals": (pp.Marginals(pp.Points().on("x", values=tuple(range(10))), ONE, order=2), {}),
}


def released(queries, table, unit=None, **given):
    front = pp.PrivateRelease(queries, **{"epsilon": 4, "delta": 1e-6, "on_invalid": "default"} | given)
    return front.fit(table, unit=unit).release_


@over("name", list(FRONTS))
def test_it_is_said_if_most_records_do_not_fit(name):
    queries, given = FRONTS[name]
    release = released(queries, GAPS, **given)
    assert release.misfits("Look").startswith("At least 9")
    assert (
        "% of the records do not fit what you declared, with probability ≥ 0.95. Look. The charge"
        in release.misfits("Look")
    )
    assert str(release.guarantee.certificate.privacy) in release.misfits()
    for text in (str(release), release_page(release), release_view(release), release.to_json()):
        assert "of the records do not fit what you declared" in text
    assert json.loads(release.to_json())["misfits"] == release.misfits()
    assert pp.Release.from_json(release.to_json()) == release


@over("name", list(FRONTS))
def test_it_is_not_said_if_they_fit(name):
    queries, given = FRONTS[name]
    release = released(queries, WHOLE, **given)
    assert release.misfits() == "" and "misfits" not in json.loads(release.to_json())


def test_a_half_is_not_clearly_most():
    half = {"x": [3] * (N // 2) + [None] * (N // 2)}
    assert (
        sum(bool(released(pp.Thresholds(0, 9, direction="above"), half, feature="x").misfits()) for _ in range(5)) <= 2
    )


def test_a_sum_of_several_answers_is_off_by_all_their_errors():
    queries, given = FRONTS["declared values"]
    release = released(queries, GAPS, **given)
    vague = replace(release, guarantee=replace(release.guarantee, measured=N // 15))  # ten times this is more than half
    assert release.misfits() and not vague.misfits()


def test_nothing_is_said_where_nothing_is_measured():
    assert released(pp.Thresholds(0, 9, direction="above"), GAPS, feature="x", certify=0).misfits() == ""
    assert released(pp.Points(), GAPS, feature="x").misfits() == ""  # keys that are not shown may have many records


@pytest.mark.parametrize(("k", "said"), [(1, True), (4, False)])
def test_slots_that_no_record_fills_are_not_misfits(k, said):
    table = {"x": ([None] if k == 1 else [3]) * N, "unit": np.arange(N)}
    release = released(pp.Thresholds(0, 9, direction="above"), table, "unit", feature="x", max_records=k)
    assert bool(release.misfits()) is said
