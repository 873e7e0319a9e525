"""Suggested schemas from tables of every kind: what is charged, what the file says, and what neighbors may change."""

import sqlite3
from contextlib import closing
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Schema
from privpac.data.open_table import open_table
from privpac.mechanisms.histograms.column_histograms import ColumnHistograms
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded, Ledger
from privpac.privacy.store.accounts import BudgetStore
from privpac.refusals.refusal import Refused, RefusedType
from privpac.release.suggestions import suggested_columns
from privpac.release.suggestions.suggested_schema import SuggestedSchema
from privpac.release.suggestions.suggestion_request import SuggestionRequest, _streamed

N = 1200
I = np.arange(N)
VISITS = pd.DataFrame(
    {
        "patient": I // 2,
        "age": 18 + I * 37 % 72,
        "stay": I * 7 % 97 / 10,
        "ward": np.array(["A", "B", "C"])[I % 3],
        "day": [f"202{i % 2}-0{1 + i % 9}-11" for i in range(N)],
        "name": [f"person {i}" for i in range(N)],
        "late": np.where(I * 37 % 72 > 40, "yes", "no"),
    }
)
SURE = {"epsilon": 30, "delta": "1e-6", "random_state": 1}  # with so much ε, noise moves counts by a few records
TYPES = dict.fromkeys(VISITS, "TEXT") | {"patient": "INTEGER", "age": "INTEGER", "stay": "REAL"}
KINDS = {"patient": "integer", "age": "integer", "stay": "float64", "ward": "category", "day": "date"}


def as_csv(folder, frame):
    frame.to_csv(folder / "visits.csv", index=False)
    return folder / "visits.csv"


def as_parquet(folder, frame):
    frame.to_parquet(folder / "visits.parquet")
    return folder / "visits.parquet"


def as_sqlite(folder, frame):
    (folder / "visits.sqlite").unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / "visits.sqlite")) as connection, connection:
        connection.execute(f"CREATE TABLE visits ({', '.join(f'{name} {kind}' for name, kind in TYPES.items())})")
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?, ?)", frame.astype(object).values.tolist())
    return open_table(folder / "visits.sqlite")


SOURCES = {
    "csv": as_csv,
    "parquet": as_parquet,
    "sqlite": as_sqlite,
    "pandas": lambda _, frame: frame,
    "polars": lambda _, frame: pl.from_pandas(frame),
    "arrow": lambda _, frame: pa.Table.from_pandas(frame, preserve_index=False),
    "dict": lambda _, frame: {name: list(values) for name, values in frame.items()},
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m-%d-%Y %H:%M", "%Y.%m.%d"])
@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_written_dates_are_suggested_and_read(tmp_path, source, form):
    """The share that fits is that of the schema when it reads the file; one odd date is no other one's business."""
    days = pd.date_range("2020-03-05 08:30", periods=N, freq="D")
    written = [*days.strftime(form)[:-3], "31/02/2021", "soon", ""]
    place = SOURCES[source](tmp_path, VISITS.assign(day=written))
    schema = Schema.suggest(place, y="late", **SURE)
    column = schema.column("day")
    assert (column.format, column.low.year, column.high.year) == (form, 2020, 2024)
    rows = pp.Thresholds(column.low, column.high).domain.spell(schema.open(place).day.to_pandas().to_numpy(object))
    assert pd.notna(rows).sum() == N - 3


READ = [" 05/03/2020\t", "\f5/3/2020", "2020-03-05", "2020-03-05 08:30"]
SPACED = [*READ, "\v05/03/2020", "\xa005/03/2020", "5/3/20", "NA"]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_dates_are_said_to_fit_exactly_if_the_schema_reads_them(tmp_path, source):
    """Not more: a vertical tab is no space to DuckDB. And not fewer: a format leaves 2020-03-05 as it is."""
    written = [*pd.date_range("2020-03-05", periods=N - len(SPACED)).strftime("%d/%m/%Y"), *SPACED]
    place = SOURCES[source](tmp_path, VISITS.assign(day=written))
    found = SuggestionRequest(**SURE, columns=["day"]).fit(place).suggestion_
    (column,) = found.schema.columns
    (days,), n = _streamed(open_table(place), ["day"])
    (suggestion,) = found.algorithm.suggestions(found.released[0])
    rows = column.concept_class.domain.spell(found.schema.open(place).day.to_pandas().to_numpy(object))
    assert column.format == "%d/%m/%Y"
    assert n == N and days.fitting(suggestion) == pd.notna(rows).sum() == N - len(SPACED) + len(READ)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_columns_of_every_source_are_suggested(tmp_path, source):
    schema = Schema.suggest(SOURCES[source](tmp_path, VISITS), y="late", **SURE)
    kinds = {column.name: column.kind for column in schema.columns}
    spelled = source in ("csv", "parquet", "sqlite")  # in memory, a text is a text
    assert (
        kinds == KINDS
        if spelled
        else kinds
        == {name: kind for name, kind in KINDS.items() if name != "day"}
        | ({"day": "category"} if "day" in kinds else {})
    )
    assert schema.label.classes == ("no", "yes")
    assert (schema.column("age").low, schema.column("age").high) == (0, 200)
    assert schema.column("ward").values == ("A", "B", "C")
    assert "# [columns.name]\n# not suggested: " in schema.to_toml()


def test_one_price_is_charged_once(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path / 'budget.db'}").account("clinic", Budget(50, "1e-5"))
    request = SuggestionRequest(**SURE, y="late", budget=account.once("schema")).fit(VISITS)
    again = SuggestionRequest(**SURE, y="late", budget=account.once("schema")).fit(VISITS)
    assert account.spent == Budget(30, "1e-6") == request.privacy_ == again.privacy_
    assert again.suggestion_.text == request.suggestion_.text
    assert [entry.theorem for entry in request.ledger_.entries] == ["suggestions, Theorem 2"]
    with pytest.raises(BudgetExceeded, match="this suggestion costs"):
        SuggestionRequest(**SURE | {"random_state": None}, budget=account).fit(VISITS)


@pytest.mark.parametrize("other", [{"columns": ["ward"]}, {"table": VISITS[[*VISITS][::-1]]}])
def test_a_stored_suggestion_is_of_these_columns_in_this_order(tmp_path, other):
    """Released numbers have no names, so the names and types of the columns are part of the question."""
    account = BudgetStore(f"sqlite:///{tmp_path / 'budget.db'}").account("clinic", Budget(90, "1e-5"))
    table, asked = other.get("table", VISITS), {"columns": ["age"]} if "columns" in other else {}
    SuggestionRequest(**SURE | asked, budget=account.once("schema")).fit(VISITS)
    with pytest.raises(ValueError, match="schema"):
        SuggestionRequest(**SURE, columns=other.get("columns"), budget=account.once("schema")).fit(table)


PERIODS = pd.period_range("2020-01-01", periods=N // 4, freq="D").tolist()


@pytest.mark.parametrize(
    ("entries", "kind", "fit"),
    [
        (I % 2 == 0, "category", 1),
        ([i % 2 == 0 if i % 3 else None for i in range(N)], "category", 1),
        ([i if i % 4 else True for i in range(N)], "integer", 0.75),
        ([[PERIODS[i // 4], None, i, i][i % 4] for i in range(N)], "integer", 0.75),
        ([[10**5000, None, "a", "b"][i % 4] for i in range(N)], "code", 0.75),
    ],
)
def test_entries_in_memory_fit_where_a_classifier_reads_them(entries, kind, fit):
    """Bounds hold no truth values, and what cannot be read is not missing."""
    request = SuggestionRequest(**SURE).fit(pd.DataFrame({"entry": pd.Series(list(entries), dtype=object)}))
    found = request.suggestion_
    assert found.columns[0].kind == kind and fit - 0.02 < found.at_least["entry"] <= fit


@pytest.mark.slow
def test_a_suggested_schema_is_learned_from_at_once(tmp_path):
    file = as_csv(tmp_path, VISITS)
    schema = pp.Schema.suggest(file, y="late", **SURE)
    schema.save(tmp_path / "schema.toml")
    assert pp.Schema.read(tmp_path / "schema.toml") == schema and schema.on_invalid == "clamp"
    clf = pp.PrivateClassifier(schema.trees(depth=1), epsilon=8, **schema.settings).fit(open_table(file), "late")
    assert (clf.predict(open_table(file)) == VISITS["late"]).mean() > 0.9


def test_units_are_protected_as_a_whole():
    """One record of each unit is looked at, and the number of its records is one more column."""
    request = SuggestionRequest(**SURE, y="late").fit(VISITS, "patient")
    found = request.suggestion_
    assert found.algorithm.n == N // 2 and found.schema.unit.max_records == 3
    assert found.certificate.unit_records == 1 and "units together" in found.text
    assert '"at least" is about these 600 units, of which one record each was looked at;' in found.text
    paid = SuggestionRequest(30, "1e-6", budget=pp.Ledger(Budget(40, "1e-5"))).fit(VISITS, "patient")
    assert paid.suggestion_.label is None


class Watching(ColumnHistograms):
    """It remembers what it saw."""

    seen: list = []  # noqa: RUF012

    def check(self, data):
        self.seen.append(super().check(data))
        return self.seen[-1]


ODD = {"patient": "?", "age": "1e400", "stay": "é", "ward": "a,b", "day": '"', "name": "\t", "late": "NaN"}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["csv", "sqlite", "dict"])
@pytest.mark.parametrize("odd", ["ward", "all", None])
def test_one_odd_entry_changes_no_other(tmp_path, monkeypatch, source, odd):
    """Neighbors differ in one key of each column that the record changes, and in nothing else."""
    monkeypatch.setattr(suggested_columns, "ColumnHistograms", Watching)
    Watching.seen.clear()
    other = VISITS.astype(object).copy()
    for name in [odd] if odd in ODD else ODD:
        other.loc[77, name] = None if odd is None else ODD[name]
    for frame in (VISITS.astype(object), other):
        SuggestionRequest(**SURE, y="late").fit(SOURCES[source](tmp_path, frame))
    one, two = Watching.seen
    for name, before, after in zip([*VISITS], one, two, strict=True):
        listed = np.abs(np.subtract(before.listed, after.listed)).sum()
        keys = before.others.keys() | after.others.keys()
        moved = listed + sum(abs(before.others.get(key, 0) - after.others.get(key, 0)) for key in keys)
        assert moved in ((0, 2) if odd in (None, "all", name) else (0,)), name


@pytest.mark.parametrize(
    ("asked", "table", "parameter", "words"),
    [
        ({"epsilon": "0.5"}, VISITS[:1], "epsilon", "1 record is too few to suggest 7 columns at ε = 0.5"),
        ({"epsilon": "0.5"}, VISITS[:90], "epsilon", "90 records are too few to suggest 7 columns at ε = 0.5"),
        ({"epsilon": "0.01"}, VISITS, "epsilon", "Nothing was spent"),
        ({}, VISITS[:0], "X", "there are no records"),
        ({"y": "latte"}, VISITS, "y", "did you mean 'late'"),
        ({"columns": ["agee"]}, VISITS, "columns", "did you mean 'age'"),
        ({"columns": []}, VISITS, "columns", "there is no column to suggest"),
        ({"columns": "agee"}, VISITS, "columns", "did you mean 'age'"),
        ({}, {"age": [1, 2] * 300, "stay": [1, 2] * 200}, "X", "not equally long"),
        ({}, {"\ud800": [1, 2] * 300}, "table", "half a character"),
        ({"delta": "0.5"}, VISITS, "delta", "large"),
        ({"beta": 2}, VISITS, "beta", "beta"),
    ],
)
def test_what_cannot_be_suggested_is_refused_before_anything_is_spent(asked, table, parameter, words):
    ledger = Ledger(Budget(50, "0.9"))
    with pytest.raises(Refused, match=words) as refused:
        SuggestionRequest(**SURE | asked, budget=ledger).fit(table)
    assert refused.value.parameter == parameter and not ledger.entries


def test_a_table_without_names_is_refused():
    with pytest.raises(RefusedType, match="a schema names the columns of a table"):
        Schema.suggest(np.zeros((500, 2)), epsilon=1)
    with pytest.raises(Refused, match="some columns have no names"):
        Schema.suggest(pd.DataFrame(np.zeros((500, 2))), epsilon=1)


def test_if_nothing_is_suggested_what_was_bought_is_told():
    names = {"name": [f"person {i}" for i in range(N)]}
    with pytest.raises(Refused, match=r"(?s)no column could be suggested; ε = 30, .* is spent.*# \[columns.name\]"):
        Schema.suggest(names, **SURE)
    assert isinstance(SuggestionRequest(**SURE).fit(names).suggestion_, SuggestedSchema)


def test_without_delta_ranges_are_seen_and_values_are_not():
    request = SuggestionRequest(30, 0, y="late").fit(VISITS)
    assert request.privacy_ == Budget(30)
    assert {column.name for column in request.suggestion_.columns} == {"patient", "age", "stay"}
    assert request.suggestion_.label is None and "single values" not in request.suggestion_.text


def test_a_preview_costs_nothing():
    ahead = SuggestionRequest(**SURE, y="late").preview(VISITS)
    assert (ahead.cost, ahead.n, ahead.columns) == (Budget(30, "1e-6"), N, 7)
    assert 0 < ahead.ranges_from < ahead.values_from < 100


@pytest.mark.audit
def test_statements_are_true_as_often_as_they_say():
    """Size: 200 suggestions at β = .2, in which a statement about each of 3 columns is false with probability .2/3.

    More than 60 false suggestions have a probability below 1e-3, and so have fewer than 15.
    """
    some = [*(f"odd {i}" for i in range(200)), *(i * 37 % 90 for i in range(800))]
    table, false = dict.fromkeys(("a", "b", "c"), some), 0
    for _ in range(200):
        found = SuggestionRequest(5, "1e-6", beta=0.2).fit(table).suggestion_
        false += any(least > Fraction(8, 10) for least in found.at_least.values())
    assert 15 <= false <= 60


def test_a_column_is_named_and_not_given():
    for asked in ({"y": "late", "unit": VISITS["patient"]}, {"y": VISITS["late"]}):
        with pytest.raises(RefusedType, match=r"name a column of the table, such as (unit|y)='patient'"):
            SuggestionRequest(**SURE, y=asked["y"]).fit(VISITS, asked.get("unit"))


def test_nobody_is_said_to_be_as_old_as_the_end_of_a_range():
    text = SuggestionRequest(**SURE).fit(VISITS, "patient").suggestion_.text
    assert "the ranges of whole numbers that were seen reach from 16 to 127" in text
    assert "the ranges of records per unit that were seen reach up to 3" in text


@pytest.mark.parametrize("n", [60, 99, 300])
def test_a_table_that_is_too_small_is_told_which_epsilon_is_enough(n):
    few, epsilon = VISITS[["age", "ward", "late"]][:n], Fraction(1, 20)
    with pytest.raises(
        Refused, match=r"Nothing was spent.*say epsilon=\d+, or fill in what `privpac schema init`"
    ) as no:
        SuggestionRequest(epsilon, y="late").fit(few)
    enough = int(str(no.value).partition("say epsilon=")[2].partition(",")[0])
    found = SuggestionRequest(enough, y="late", random_state=1).fit(few).suggestion_
    assert found.schema.column("ward").values == ("A", "B", "C")


@pytest.mark.slow
def test_a_table_with_too_many_columns_is_told_how_many_it_can_have():
    wide = dict.fromkeys([f"c{i}" for i in range(250)], VISITS["ward"][:300]) | {"late": VISITS["late"][:300]}
    with pytest.raises(Refused, match=r"name at most \d+ of them with columns") as no:
        SuggestionRequest(3, y="late").fit(wide)
    fewer = int(str(no.value).partition("at most ")[2].partition(" ")[0])
    found = SuggestionRequest(3, y="late", columns=[f"c{i}" for i in range(fewer)], random_state=1).fit(wide)
    assert len(found.suggestion_.columns) == fewer


def test_texts_among_numbers_void_no_record(tmp_path):
    """A few count as missing; with many, the column is a code, in which all entries fit."""
    frame = pd.DataFrame({"few": I % 9 + 1, "many": I % 9 + 1, "late": VISITS["late"]}).astype(
        {"few": "str", "many": "str"}
    )
    frame.loc[I % 20 == 0, "few"] = "<1"
    frame.loc[I % 3 == 0, "many"] = "10+"
    schema = SuggestionRequest(**SURE, y="late").fit(open_table(as_csv(tmp_path, frame))).suggestion_.schema
    few, many = schema.column("few"), schema.column("many")
    assert (few.kind, few.missing, few.na) == ("integer", True, ("<1",)) and "<1 counts as missing" in schema.to_toml()
    assert (many.kind, many.values) == ("code", ("10+",))
    clf, table = (
        pp.PrivateClassifier(schema.trees(), epsilon=1, **schema.settings),
        schema.open(tmp_path / "visits.csv"),
    )
    assert pp.model_of(clf.fit(table, "late"), "late").misfits(table) == 0
