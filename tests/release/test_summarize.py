"""Summaries: what they say about records, coverage, prices, units, refusals, and neighbors."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Label, Schema, Unit
from privpac.exact.entropy import SYSTEM
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.release.lines.answers import LineCounts
from privpac.release.summarize import summary_request
from tests.grid import over

WARD = Column("ward", "category", values=("A", "B", "C"))
SCHEMA = Schema((WARD, Column("stay", "integer", low=0, high=60), Column("cost", "float64", low=0, high=500, step=0.5)))
FAR = Column("far", "integer", low=10**400, high=10**400 + 9)


def visits(n=6000, seed=1):
    rng = np.random.default_rng(seed)
    ward = rng.choice(list("ABC"), n, p=[0.6, 0.3, 0.1])
    stay = np.clip(rng.gamma(2, 3 + 3 * (ward == "B"), n), 0, 60).astype(int)
    return {"ward": ward, "stay": stay, "cost": np.floor(np.clip(stay * 7.3, 0, 500) * 2) / 2}


@pytest.mark.slow
@pytest.mark.parametrize("of", ["stay", "cost"])
@pytest.mark.parametrize("quartiles", [True, False])
def test_intervals_hold_the_true_numbers(of, quartiles):
    table = visits()
    found = pp.summarize(table, schema=SCHEMA, of=of, by="ward", epsilon=2, quartiles=quartiles, beta=1e-6)
    assert [each.group for each in found.groups] == [("A",), ("B",), ("C",)]
    for each in found.groups:
        mine = np.sort(table[of][table["ward"] == each.group[0]])
        for estimate, true in ((each.records, len(mine)), (each.sum, mine.sum()), (each.mean, mine.mean())):
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.low <= true <= estimate.high
        assert len(each.quartiles) == 3 * quartiles
        for q, estimate in zip((1, 2, 3), each.quartiles, strict=False):
            true = mine[-(-q * len(mine) // 4) - 1]
            assert estimate.low <= true <= estimate.high
            assert estimate.low <= estimate.value <= estimate.high
    assert found.certificate.privacy == Budget(2)


def test_without_groups_the_count_is_public_and_sums_get_the_rest():
    table = visits(1000)
    (each,) = pp.summarize(table, schema=SCHEMA, of="stay", epsilon=1, quartiles=False).groups
    assert each.records == (1000, 1000, 1000)
    width = each.mean.high - each.mean.low
    assert width == pytest.approx(2 * 60 * np.log(1 / 0.025) / 1000, rel=0.02)  # Laplace noise of scale (U − L)/ε


@pytest.mark.slow
@over(["by", "quartiles"], product([("ward",), ()], [True, False]))
def test_the_width_of_intervals_is_foreseen(by, quartiles):
    """Groups of equal size whose mean is a quarter up the range, as the forecast assumes."""
    table = {"ward": ["A", "B", "C"] * 2000, "stay": [15] * 6000}
    asked = {"quartiles": quartiles, "epsilon": 2, "on_invalid": "default"}
    ahead = summary_request(SCHEMA, "stay", by, **asked).algorithm(6000).sanitizer.foreseen(6000)
    first = pp.summarize(table, schema=SCHEMA, of="stay", by=by, **asked).groups[0]
    assert ahead.records.value == (2000 if by else 6000) > ahead.records.low
    assert ahead.mean.high - ahead.mean.low == pytest.approx(first.mean.high - first.mean.low, rel=0.15)


GAPS = Schema((WARD, Column("stay", "integer", low=0, high=60, missing=True)))


@pytest.mark.slow
@over(["by", "quartiles", "on_invalid"], product(["ward", None], [True, False], ["raise", "default"]))
def test_missing_values_are_counted_by_group(by, quartiles, on_invalid):
    table = visits()
    lacking = np.random.default_rng(2).random(6000) < np.where(table["ward"] == "C", 0.5, 0.1)
    table["stay"] = [None if gap else int(stay) for gap, stay in zip(lacking, table["stay"], strict=True)]
    request = {"schema": GAPS, "of": "stay", "by": by, "quartiles": quartiles, "on_invalid": on_invalid}
    found = pp.summarize(table, epsilon=2, beta=1e-6, **request)
    assert found.certificate.privacy == Budget(2)
    for each in found.groups:
        mine = [
            v for v, ward in zip(table["stay"], table["ward"], strict=True) if not each.group or ward == each.group[0]
        ]
        there = np.sort([value for value in mine if value is not None])
        numbers = ((each.records, len(there)), (each.missing, len(mine) - len(there)), (each.sum, there.sum()))
        quarters = [(each.quartiles[q - 1], there[-(-q * len(there) // 4) - 1]) for q in (1, 2, 3) if quartiles]
        for estimate, true in (*numbers, (each.mean, there.mean()), *quarters):
            assert estimate.low <= true <= estimate.high
    assert {"records", "missing", "missing low"} <= {*found.table()}
    if quartiles and on_invalid == "raise":
        blanks = sum(value is None for value in found.release.synthetic(1000)["stay"])
        assert 100 < blanks < 190


def test_synthetic_records_need_no_group_whose_missing_values_are_seen():
    """Noise often takes every M of a table without missing values below 1, while the distribution tells of some."""
    found = pp.summarize(visits(300), schema=GAPS, of="stay", by="ward", random_state=1).release.answers_
    hidden = replace(found, gaps=(0, -2, 0), values=LineCounts(300, found.values.domain, (0,), (0, 299), True, False))
    drawn = hidden.rows(300, SYSTEM)
    assert drawn["stay"].count(None) == 1
    assert set(drawn["ward"]) == {"A", "B", "C"}


@pytest.mark.slow
def test_an_empty_group_is_told_as_unknown():
    table = {"ward": ["A"] * 500, "stay": [5] * 500, "cost": [1.0] * 500}
    first, *others = pp.summarize(table, schema=SCHEMA, of="stay", by="ward", epsilon=1, random_state=1).groups
    assert first.mean.low <= 5 <= first.mean.high
    assert all((each.mean.low, each.mean.high) == (0, 60) for each in others)
    assert all(each.sum.low == 0 for each in others)


@pytest.mark.audit
@pytest.mark.parametrize("by", ["ward", ()])
def test_coverage(by):
    """All counts, sums, and means at once, and all quartiles: each in at least 95 % of 200 summaries, up to chance."""
    table, good, runs = visits(1500), np.zeros(2), 200
    groups = [table["stay"][table["ward"] == ward] for ward in "ABC"] if by else [table["stay"]]
    for _ in range(runs):
        found = pp.summarize(table, schema=SCHEMA, of="stay", by=by, epsilon=1).groups
        pairs = list(zip(found, map(np.sort, groups), strict=True))
        sums = (
            each.low <= true <= each.high
            for row, x in pairs
            for each, true in ((row.records, len(x)), (row.sum, x.sum()), (row.mean, x.mean()))
        )
        quartiles = (
            row.quartiles[q - 1].low <= x[-(-q * len(x) // 4) - 1] <= row.quartiles[q - 1].high
            for row, x in pairs
            for q in (1, 2, 3)
        )
        good += [all(sums), all(quartiles)]
    assert (good >= 0.95 * runs - 3 * np.sqrt(0.05 * 0.95 * runs)).all()


@pytest.mark.slow
def test_one_price_is_charged_once(tmp_path):
    table, store = visits(400), pp.BudgetStore(f"sqlite:///{tmp_path}/b.db")
    account = store.account("clinic", Budget(1))
    twice = [pp.summarize(table, schema=SCHEMA, of="stay", by="ward", budget=account.once("stays")) for _ in range(2)]
    assert twice[0].table() == twice[1].table()
    assert account.spent == Budget(1)
    with pytest.raises(pp.BudgetExceeded):
        pp.summarize(table, schema=SCHEMA, of="stay", by="ward", epsilon=0.1, budget=account)


@pytest.mark.slow
def test_a_preview_and_a_file(tmp_path):
    request = summary_request(SCHEMA, "stay", ["ward"], epsilon=1)
    assert request.preview(1000).cost == Budget(1)
    found = pp.summarize(visits(500), schema=SCHEMA, of="stay", by=["ward"])
    found.save(tmp_path / "stays.json")
    assert type(found)(pp.load(tmp_path / "stays.json")).table() == found.table()
    assert pp.load(tmp_path / "stays.json").counts() == found.table()
    ward_a = request.concept_class.hypothesis("A", 5)
    assert 0 <= found.release.answer(ward_a) <= 1
    assert set(found.release.synthetic(5)) == {"ward", "stay"}


@pytest.mark.slow
def test_units_of_the_schema_are_protected():
    schema = Schema(SCHEMA.columns, unit=Unit("patient", 2))
    table = visits(900) | {"patient": np.arange(900) // 3}
    found = pp.summarize(table, schema=schema, of="stay", by="ward", epsilon=2)
    assert found.certificate.unit_records == 2
    assert found.certificate.privacy == Budget(2)
    counted = sum(each.records.value for each in found.groups)
    assert abs(counted - 600) < 200
    with pytest.raises(Refused, match="declares the unit"):
        pp.summarize(table, schema=schema, of="stay", unit="patient", max_records=1)


@over(
    "asked",
    [
        ({"of": "nosuch"}, "of", "no column 'nosuch'"),
        ({"of": "ward"}, "of", "a column of numbers"),
        ({"of": "stay", "by": "cost"}, "by", "declared values"),
        ({"of": "stay", "by": ["ward", "ward"]}, "by", "once"),
        ({"of": "stay", "beta": 2}, "beta", "strictly between"),
        ({"of": "stay", "max_records": 2}, "max_records", "belong together"),
        ({"of": "far"}, "of", "not too far from 0"),  # floats would overflow after it was paid for
    ],
)
def test_refusals_name_the_parameter_and_spend_nothing(asked):
    parameters, parameter, match = asked
    ledger = pp.Ledger(Budget(1))
    with pytest.raises(Refused, match=match) as caught:
        pp.summarize(visits(50), schema=Schema((*SCHEMA.columns, FAR)), budget=ledger, **parameters)
    assert caught.value.parameter == parameter
    assert ledger.spent == Budget(0)


def test_records_that_do_not_fit_are_refused_or_void():
    table = visits(300)
    table["stay"][0] = 999
    with pytest.raises(Refused):
        pp.summarize(table, schema=SCHEMA, of="stay", by="ward")
    found = pp.summarize(table, schema=SCHEMA, of="stay", epsilon=50, on_invalid="default", quartiles=False)
    assert found.groups[0].records.value in (298, 299, 300)


def test_most_records_that_do_not_fit_are_told():
    table = {"ward": ["A"] * 900, "stay": [5] * 90 + [999] * 810}
    found = pp.summarize(table, schema=SCHEMA, of="stay", by="ward", epsilon=9, on_invalid="default")
    assert "of the records do not fit what you declared" in found.release.misfits()


def test_no_groups_may_be_none():
    (each,) = pp.summarize(visits(100), schema=SCHEMA, of="stay", by=None, quartiles=False).groups
    assert each.group == ()


def test_a_total_of_n_says_that_no_record_is_void():
    """The interval of a mean divides by n then, so the total of slots that may be void must be less than n."""
    void = pp.PrivateRelease(pp.Thresholds(0, 9), epsilon=100, on_invalid="default", feature=None).fit([3] * 40)
    full = pp.PrivateRelease(pp.Thresholds(0, 9), epsilon=100).fit([3] * 40)
    assert [each.release_.answers_.below[-1] for each in (void, full)] == [39, 40]


def test_a_mean_beyond_all_floats_is_a_whole_number():
    release = pp.PrivateRelease(pp.Thresholds(0, 10**400), epsilon=1).fit([10**399] * 50)
    low, high = release.mean_interval()
    assert low <= release.mean() <= high


@pytest.mark.slow
def test_the_mean_of_a_distribution_lies_in_its_certificate():
    x = visits(8000)["stay"]
    release = pp.PrivateRelease(pp.Thresholds(0, 60), epsilon=2, beta=1e-6).fit(x)
    low, high = release.mean_interval()
    assert low <= x.mean() <= high
    assert low <= release.mean() <= high
    assert high - low == pytest.approx(2 * 60 * (release.guarantee_.measured + 2) / 8000, rel=1e-9)
    with pytest.raises(Refused, match="on a line"):
        pp.PrivateRelease(pp.Points(), delta=1e-6).fit(["a"] * 99).mean()


def test_groups_may_be_those_of_the_label_and_a_refusal_names_the_columns_of_numbers():
    schema = Schema((WARD, Column("stay", "integer", low=0, high=60)), Label("back", ("no", "yes")))
    table = visits(1000) | {"back": np.array(["no", "yes"])[np.arange(1000) % 2]}
    found = pp.summarize(table, schema=schema, of="stay", by=["ward", "back"], epsilon=5)
    assert [each.group for each in found.groups] == list(product("ABC", ("no", "yes")))
    for of in ("ward", "back"):
        with pytest.raises(Refused, match=r"must be a column of numbers .* here, these are stay$"):
            pp.summarize(table, schema=schema, of=of)


def test_groups_may_be_a_few_whole_numbers(tmp_path):
    schema = Schema((Column("male", "integer", low=0, high=1), Column("stay", "integer", low=0, high=60)))
    table = visits(1000)
    table = {"male": np.arange(1000) % 2, "stay": table["stay"]}
    (tmp_path / "visits.csv").write_text(
        "male,stay\n" + "".join(f"{a},{b}\n" for a, b in zip(*table.values(), strict=True))
    )
    for given in (table, schema.open(tmp_path / "visits.csv")):
        found = pp.summarize(given, schema=schema, of="stay", by="male", epsilon=5)
        assert [each.group for each in found.groups] == [(0,), (1,)]
        assert all(each.records.low <= 500 <= each.records.high for each in found.groups)
    far = Schema((Column("year", "integer", low=0, high=2100), Column("stay", "integer", low=0, high=60)))
    with pytest.raises(Refused, match="whole numbers of which at most 100 are declared"):
        pp.summarize(table, schema=far, of="stay", by="year")


@pytest.mark.parametrize("quartiles", [True, False])
def test_sums_beyond_machine_integers_are_refused_by_the_number_of_records(quartiles):
    """Where 2^31 − 1 values are declared, 2^31 + 10 records may have a sum beyond 2^62, and their neighbors may not."""
    wide = Schema((Column("stay", "integer", low=0, high=2**31 - 2),))
    request = summary_request(wide, "stay", quartiles=quartiles)
    most = 2**62 // (2**31 - 2)
    assert request.preview(most).n == most
    with pytest.raises(Refused, match="may not fit into 62 bits"):
        request.preview(most + 1)
