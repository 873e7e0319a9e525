"""Records that do not fit are measured with the labels that predictions give them, wherever the records live."""

import json
from dataclasses import replace

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import privpac as pp
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.data.engines.views import is_table
from privpac.data.open_table import open_table
from privpac.data.samples.sample import Sample, Void
from privpac.data.samples.units import Quota
from privpac.exact.entropy import SYSTEM
from privpac.learners.model import EARLIER_ERROR
from privpac.report.pages.frame import PageNames
from privpac.report.pages.rule import fit_page
from privpac.requests.holding_out import split_sample
from privpac.requests.labels import Against
from privpac.requests.reading import Reading
from tests.grid import over
from tests.statistics import assert_matches

LINE, CUT, NEVER = pp.Thresholds(0, 9, direction="above").domain, Threshold(4), Constant(False)
RNG = np.random.default_rng(1)
N = 60
X = [None if lost else int(x) for x, lost in zip(RNG.integers(-5, 15, N), RNG.random(N) < 0.2, strict=True)]
Y = [None if lost else int(y) for y, lost in zip(RNG.integers(0, 3, N), RNG.random(N) < 0.1, strict=True)]
COLUMNS = {"x": X, "y": Y, "unit": [int(each) for each in RNG.integers(0, 20, N)]}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    ibis = pytest.importorskip("ibis")
    file = tmp_path_factory.mktemp("misfits") / "records.csv"
    polars.DataFrame(COLUMNS).write_csv(file)
    found = {
        "lists": COLUMNS,
        "pandas": pandas.DataFrame(COLUMNS),
        "Int64": pandas.DataFrame(COLUMNS).astype("Int64"),
        "polars": polars.DataFrame(COLUMNS),
        "pyarrow": pyarrow.table(COLUMNS),
        "ibis": ibis.memtable(pyarrow.table(COLUMNS)),
        "csv": open_table(file),
    }
    polars.DataFrame(COLUMNS).write_parquet(file.with_suffix(".parquet"))
    return found | {"parquet": open_table(file.with_suffix(".parquet"))}


def sample_of(table, rule, k=None, classes=(0, 1)):
    reading = Reading(LINE, "x", rule, ("y", "unit"))
    quota = None if k is None else Quota("unit", k, "any")
    return reading.gathered(
        table, None if is_table(table) else reading.table(table), "y", quota, classes, apart=True
    ).sample


def rows(table):
    """What each unit holds: (outcome of its records, number)."""
    units = np.append(table.units, table.void.units)
    kinds = np.append(np.where(table.labels, -1, -2), table.void.kinds)
    counts = np.append(np.ones(len(table.labels), int) if table.counts is None else table.counts, table.void.counts)
    held = [sorted(np.repeat(kinds[units == unit], counts[units == unit]).tolist()) for unit in np.unique(units)]
    return sorted(held)


@pytest.mark.slow
@over("rule", ["default", "clamp"])
@over("k", [None, 1, 3])
def test_all_ways_of_reading_tell_the_labels_of_misfits_alike(rule, k, tables):
    samples = {name: sample_of(table, rule, k) for name, table in tables.items()}
    outcomes = {name: (sample.size, *sample.outcomes(CUT)) for name, sample in samples.items()}
    assert set(outcomes.values()) == {outcomes["lists"]}
    if k == 3:
        assert all(rows(sample) == rows(samples["lists"]) for sample in samples.values())


@pytest.mark.slow
@over("rule", ["default", "clamp"])
def test_what_is_measured_is_what_predict_says(rule, tables):
    """False and true answers, counted from the labels of the fitted classifier and of its model."""
    clf = pp.PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature="x", on_invalid=rule, epsilon=20).fit(
        tables["pandas"], "y"
    )
    model = pp.model_of(clf)
    declared = np.array([y in (0, 1) for y in Y])
    for name, table in tables.items():
        hits, alarms, misses, rest, unfit_ones, unfit_zeros, others = sample_of(table, rule).outcomes(clf.hypothesis_)
        for predicted in (clf.predict(table), model.predict(table)):
            wrong = int((predicted[declared] != np.array(Y)[declared].astype(int)).sum())
            assert (alarms + misses + unfit_ones, int((~declared).sum())) == (wrong, others), name
        if is_table(table):
            labels = np.concatenate([some.labels for some in model.labeled(table)])
            assert int((labels[declared] != np.array(Y)[declared].astype(int)).sum()) == wrong
            if name in ("ibis", "parquet"):  # text in a CSV file spells numbers
                told = model.in_engine(table).to_pandas()["predicted"].to_numpy()
                assert (told[declared] != np.array(Y)[declared].astype(int)).sum() == wrong
    assert hits + rest + unfit_zeros + wrong + others == N


@over("rule", ["default", "clamp"])
def test_each_record_is_measured_by_itself(rule):
    """Whatever stands beside it: two tables together have the sum of their outcomes, also where types differ."""
    tables = COLUMNS, {"x": [1.5, "4", True, None], "y": [1, 0, "1", 1], "unit": [1, 2, 3, 4]}, {"x": [4], "y": [1]}
    for made in (dict, pandas.DataFrame):
        apart = [sample_of(made({name: each[name] for name in "xy"}), rule).outcomes(CUT) for each in tables]
        whole = {name: [entry for each in tables for entry in each[name]] for name in "xy"}
        assert tuple(map(sum, zip(*apart, strict=True))) == sample_of(made(whole), rule).outcomes(CUT)


def test_one_of_several_labels_against_the_rest_has_void_records_of_both_kinds(tables):
    for table in tables.values():
        *cells, ones, zeros, others = sample_of(table, "default", classes=Against(2, (0, 1))).outcomes(NEVER)
        unfit = [y for x, y in zip(X, Y, strict=True) if y is not None and (x is None or not 0 <= x <= 9)]
        assert (ones, zeros, others) == (unfit.count(2), len(unfit) - unfit.count(2), Y.count(None))
        assert sum(cells) == N - len(unfit) - others


def test_all_void_records_are_divided_by_the_same_coins():
    """Two of ten records are held out, of which four are void. False alarms: 10⁻⁹."""
    points, void = np.array([1]), Void(np.arange(2), np.array([2, 1]))
    sample = Sample(points, np.array([True]), np.array([6]), 10, points, void=void)
    kinds = {"fits": 6, "positive": 2, "negative": 1, "undeclared": 1}
    law = {}
    for i, (one, some) in enumerate(kinds.items()):
        for j, (other, more) in enumerate(kinds.items()):
            pairs = some * (some - 1) / 2 if one == other else some * more
            if i <= j and pairs:
                law[one, other] = pairs / 45

    def chosen():
        hits, _, misses, _, *voids = split_sample(sample, LINE, 1, SYSTEM)[1].outcomes(NEVER)
        return tuple(name for name, count in zip(kinds, (hits + misses, *voids), strict=True) for _ in range(count))

    assert_matches(chosen, law, must_reject=dict.fromkeys(law, 1 / len(law)), draws=1000)


@pytest.mark.slow
def test_a_held_out_unit_is_measured_by_any_of_its_records():
    """A unit of a positive record, a void negative one, and one without a declared label; each a third of the time."""
    five = np.arange(5)
    void = Void(np.tile([1, 2], 5), np.ones(10, dtype=np.int64), np.repeat(five, 2))
    sample = Sample(five, np.ones(5, dtype=bool), None, 20, five, five, void)

    def measured():
        outcomes = split_sample(sample, LINE, 4, SYSTEM)[1].outcomes(NEVER)
        assert sum(outcomes) == 1
        return outcomes.index(1)

    third = dict.fromkeys((2, 5, 6), 1 / 3)
    assert_matches(measured, third, must_reject={2: 0.5, 5: 0.25, 6: 0.25}, draws=2000)


def learned(**given):
    """A fit in which nearly all labels are misspelled."""
    x = np.arange(2000) % 10
    y = np.where(np.arange(2000) % 400 == 0, "yes", "Yes")
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 9, direction="above"),
        feature="x",
        classes=("no", "yes"),
        on_invalid="default",
        report_error=True,
        **given,
    )
    return clf.fit({"x": x, "y": y}, "y")


@pytest.mark.slow
def test_most_records_that_do_not_fit_are_the_headline_everywhere():
    clf = learned()
    model = pp.model_of(clf, "late")
    headline = model.headline
    assert headline.startswith("About 9") or headline.startswith("About 100")
    assert "of the records do not fit what you declared; about" in headline
    said = 'Nothing useful was learned. Run `privpac schema check`, or set on_invalid="raise"'
    assert said in model.verdict() and model.verdict().endswith("The charge stands: ε = 1.")
    for text in (model._repr_html_(), fit_page(clf, model, PageNames())):
        assert f"{headline}</" in text
        assert "Certified error" not in text
    assert json.loads(model.to_json())["verdict"] == model.verdict()
    assert pp.Model.from_json(model.to_json()) == model


def test_a_model_of_an_earlier_version_says_how_it_counted_misfits():
    model = pp.model_of(learned(epsilon=2), "late")
    old = replace(model, error=replace(model.error, unfit=None, undeclared=None))
    assert old.misfits_in_words == EARLIER_ERROR
    assert EARLIER_ERROR in old._repr_html_()
    assert replace(old, on_invalid="raise").misfits_in_words == ""


def test_without_a_measurement_nothing_is_said():
    clf = learned().set_params(report_error=False)
    model = pp.model_of(clf.fit({"x": np.arange(2000) % 10, "y": np.full(2000, "Yes")}, "y"))
    assert (model.error, model.misfits_in_words, model.mostly_unfit) == (None, "", False)


@over("rule", ["raise", "default"])
def test_columns_by_their_positions_need_not_be_in_order(rule):
    records = np.stack([np.arange(400) % 10, np.arange(400) % 100], axis=1)
    late = records[:, 1] >= 50
    trees = pp.Trees(pp.Thresholds(0, 99).on(1), pp.Thresholds(0, 99).on(0), depth=1)
    clf = pp.PrivateClassifier(trees, epsilon=50, classes=(False, True), on_invalid=rule, report_error=True)
    clf.fit(records, late)
    assert str(clf.hypothesis_) == "column 1 ≥ 50" and clf.error_.error < 0.1
    assert (clf.predict(records) == late).all()
