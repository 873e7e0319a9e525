"""Releases of tables: answers, certificates, synthetic records, files, and what is refused before anything is spent."""

from datetime import date
from fractions import Fraction
from itertools import chain, combinations, product

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import privpac as pp
from privpac.classes.compositions.rules import ColumnRule, composition
from privpac.classes.finite.boolean_functions import gate
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.schemas.schema import Column, Label, Schema, Unit
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from privpac.refusals.refusal import Refused
from privpac.release.choice import sanitizers
from privpac.release.release import Release
from privpac.release.tables.cells import KeyCells, LineCells, column_rules
from privpac.release.tables.pool import PARTS, Pool
from privpac.release.tables.queries import TableQueries
from privpac.release.tables.sanitizer import TableAnswers
from privpac.requests.conditions import Terms

AGE, JOB = Column("age", "integer", low=0, high=120), Column("job", "category", values=("clerk", "nurse"))
CITY, DAY = Column("city", "text"), Column("day", "date", low=date(2020, 1, 1), high=date(2026, 12, 31))
PEOPLE = Schema((AGE, JOB, CITY, DAY))
N = 6000


def people(n=N):
    """Nurses are older, and live in Oslo."""
    rng = np.random.default_rng(23)
    nurse = rng.random(n) < 0.4
    ages = np.where(nurse, rng.integers(40, 60, n), rng.integers(20, 50, n))
    cities = np.where(nurse & (rng.random(n) < 0.9), "Oslo", "Rome")
    days = [date(2024, 1, 1 + int(i)) for i in rng.integers(0, 28, n)]
    return pd.DataFrame({"age": ages, "job": np.where(nurse, "nurse", "clerk"), "city": cities, "day": days})


@pytest.fixture(scope="module")
def released():
    return pp.PrivateRelease(PEOPLE, epsilon=2, delta="1e-6").fit(people())


@pytest.mark.slow
def test_answers_lie_within_the_measured_bound(released):
    """The bound fails with probability 5 %, so 60 records are added: 7 times the σ = 8.4 of the certificate."""
    answers, table = released.release_.answers_, people()
    bound = released.guarantee_.measured + 60
    for values in ({"job": "nurse"}, {"job": "nurse", "city": "Oslo"}, {"age": 45, "job": "clerk"}, {}):
        query = answers.hypothesis(values)
        assert abs(answers.count(query) - int(query(table).sum())) <= bound
        low, high = released.interval(query)
        assert low <= released.answer(query) <= high


def test_the_guarantee_names_its_theorem_and_the_whole_cost(released):
    assert released.privacy_ == Budget(2, "1e-6")
    assert [entry.theorem for entry in released.ledger_.entries] == ["measured certificate, Theorem 3"]


@pytest.mark.slow
def test_few_tables_get_laplace_noise_and_the_price_of_their_certificate_is_added():
    release = pp.PrivateRelease(PEOPLE, epsilon=2, delta="1e-6", marginals=[("age", "job")]).fit(people())
    assert release.privacy_ == Budget(2, "1e-6")
    assert [entry.theorem for entry in release.ledger_.entries] == [
        "tables, Theorem 1",
        "measured certificate, Theorem 1",
    ]


def test_declared_tables_and_their_certificate_have_one_price():
    schema = Schema(tuple(Column(name, "category", values=(0, 1)) for name in "abcdef"))
    terms = Terms(Budget(1, "1e-6"))
    whole = sanitizers(TableQueries(schema), terms)[0]
    noisier, variance = whole.with_certificate(Fraction(1, 10))
    counts = noisier.counting(noisier.cost).noise
    assert isinstance(counts, GaussianCounts)
    assert variance == counts.variance / noisier.extra_weight
    added = whole.counting(Budget("0.9", "1e-6")).noise.variance
    assert whole.counting(whole.cost).noise.variance < counts.variance < added


def test_dependence_survives(released):
    """4 of 10 are nurses, and 36 of 100 are nurses in Oslo; without dependence, 14 would be."""
    both = released.release_.answers_.hypothesis({"job": "nurse", "city": "Oslo"})
    assert released.answer(both) == pytest.approx(0.36, abs=0.05)
    table = pd.DataFrame(released.synthetic(5000))
    assert ((table["job"] == "nurse") & (table["city"] == "Oslo")).mean() == pytest.approx(0.36, abs=0.06)


def test_synthetic_records_fit_the_schema(released):
    rows = released.synthetic(500)
    assert list(rows) == ["age", "job", "city", "day"]
    assert {type(day) for day in rows["day"]} == {date}
    assert set(rows["job"]) <= {"clerk", "nurse"}
    assert all(0 <= age <= 120 for age in rows["age"])
    assert set(rows["city"]) <= {"Oslo", "Rome", "other"}
    assert released.synthetic(0) == {"age": [], "job": [], "city": [], "day": []}
    pp.PrivateRelease(PEOPLE, epsilon=1, delta="1e-6").fit(pd.DataFrame(rows))  # as any other table


def test_counts_list_every_cell(released):
    counts = pd.DataFrame(released.counts())
    alone = counts[counts["and column"].isna()]
    for _, cells in alone.groupby("column"):
        assert cells["records"].sum() == pytest.approx(N, abs=len(cells))
    assert len(counts) == len(alone) + sum(
        len(one.names) * len(other.names)
        for one, other in product(released.release_.answers_.cells, repeat=2)
        if one.column < other.column
    )


def test_files_hold_the_whole_release(released):
    again = Release.from_json(released.to_json())
    assert again == released.release_
    assert again.counts() == released.counts()
    with pytest.raises(ValueError, match="not a release"):
        Release.from_json(released.to_json().replace('"other": true', '"other": 7'))


def test_a_query_that_is_no_cell_is_refused(released):
    answers = released.release_.answers_
    for query in (ColumnRule(Threshold(37), "age"), ColumnRule(Threshold(37), "height"), Threshold(3)):
        with pytest.raises(Refused, match="name a cell"):
            answers.count(query)
    with pytest.raises(Refused, match="at most 2 of these columns"):
        answers.hypothesis({"age": 3, "job": "nurse", "city": "Oslo"})
    with pytest.raises(Refused, match="at most 2 of these columns"):
        answers.hypothesis({"height": 3})
    with pytest.raises(Refused):
        answers.hypothesis({"age": 300})


CELLS = (
    LineCells("x", Line(0, 3), (0, 1), (0, 1), (1, 1)),
    KeyCells("y", Listing(("a", "b")), (0, 1), other=False),
    KeyCells("z", Anything(), ("k",), other=True),
)
SMALL = [(x, y, z) for x in (0, 1, 3) for y in (0, 1) for z in ("k", "l")]


def small(*rows, counts=None):
    points = np.array(rows, dtype=object).reshape(len(rows), 3)
    return Sample(points, np.ones(len(rows), dtype=bool), counts, 3)


def weighted():
    rng = np.random.default_rng(2)
    pool = Pool(rng.integers(0, 2, (9, 3)), rng.integers(0, PARTS // 3, 9))
    return TableAnswers(3, CELLS, *pool.packed())


def defined_gap(answers, sample):
    """Over all queries: always, a cell of one column, cells of two."""
    x, y, z = ([row[i] for row in sample.points] for i in range(3))
    table = {"x": x, "y": ["ab"[number] for number in y], "z": z}
    rules = [column_rules(each) for each in CELLS]
    pairs = [pair for one, other in combinations(rules, 2) for pair in product(one, other)]
    queries = [Constant(True), *chain(*rules), *(composition(gate("and", 2), pair) for pair in pairs)]
    return max(abs(answers.count(query) - int(query(table).sum())) for query in queries)


def test_the_gap_is_the_largest_error_of_all_queries():
    answers = weighted()
    for rows in product(SMALL[::3], repeat=3):
        sample = small(*rows)
        assert answers.gap(sample) == defined_gap(answers, sample)


def test_the_gap_changes_by_one_at_most_over_all_neighbors():
    answers = weighted()
    gaps = {rows: answers.gap(small(*rows)) for rows in product(SMALL[::2], repeat=2)}
    for (first, second), gap in gaps.items():
        assert abs(answers.gap(small(first)) - gap) <= 1  # the second record is void
        for other in SMALL[::2]:
            assert abs(gaps[first, other] - gap) <= 1
            assert abs(gaps[other, second] - gap) <= 1
    assert len(set(gaps.values())) > 1


def test_grouped_records_have_the_same_gap():
    answers = weighted()
    one = small(SMALL[0], SMALL[0], SMALL[5])
    assert answers.gap(one) == answers.gap(small(SMALL[0], SMALL[5], counts=np.array([2, 1])))


def refused(schema, table, match, *, unit=None, **asked):
    """The refusal, after which nothing is spent."""
    ledger = Ledger(Budget(10, "0.01"))
    release = pp.PrivateRelease(schema, **({"epsilon": 1, "delta": "1e-6", "budget": ledger} | asked))
    with pytest.raises(Refused, match=match) as error:
        release.fit(table, unit=unit)
    assert ledger.spent == Budget(0)
    return str(error.value)


TWO = Schema((AGE, JOB))


def test_what_does_not_fit_is_refused_before_anything_is_spent():
    refused(TWO, {"age": [1, 2]}, "the table has no column 'job'")
    refused(TWO, pd.DataFrame({"age": [1], "jobs": ["clerk"]}), "the table has no column 'job'")
    refused(TWO, pd.DataFrame({"age": [1, np.nan], "job": ["clerk"] * 2}), "age")
    assert "4711" not in refused(TWO, pd.DataFrame({"age": [4711], "job": ["clerk"]}), "outside low")
    assert "boss" not in refused(TWO, pd.DataFrame({"age": [1], "job": ["boss"]}), "not declared")
    refused(TWO, pd.DataFrame({"age": [], "job": []}), "no records")
    refused(TWO, {"age": [3], "job": ["clerk"]}, "only with delta", delta=0)
    refused(TWO, {"age": [3], "job": ["clerk"]}, "TableSanitizer", method="PointSanitizer")
    per_unit = Schema((AGE, JOB), unit=Unit("id", 2))
    refused(per_unit, {"age": [3], "job": ["clerk"], "id": [1]}, "the schema declares units")


@pytest.mark.parametrize("rule", ["clamp", "default"])
def test_no_record_stops_a_release_that_allows_misfits(rule):
    odd = {"age": [1, None, 300, "x"] * 50, "job": ["clerk", "nurse", "boss", None] * 50}
    release = pp.PrivateRelease(TWO, epsilon=20, delta="1e-5", on_invalid=rule).fit(odd)
    valid = 50  # the others have no age, or no such job
    assert abs(release.answer(release.release_.answers_.hypothesis({})) * 200 - valid) < 30
    assert release.n_records_ == 200


@pytest.mark.parametrize(
    ("schema", "table"),
    [
        (TWO, {"age": [3], "job": ["clerk"]}),
        (TWO, {"age": [3] * 500, "job": ["clerk"] * 500}),
        (Schema((AGE,)), {"age": list(range(100)) * 5}),
        (Schema((JOB,)), {"job": ["clerk"] * 9}),
        (Schema((CITY,)), {"city": [f"town {i}" for i in range(3000)]}),
        (Schema((Column("x", "integer", low=3, high=3),)), {"x": [3] * 5}),
        (Schema((Column("x", "integer", low=0, high=2**200), JOB)), {"x": [2**199] * 300, "job": ["clerk"] * 300}),
        (Schema((Column("icd", "code", height=5), AGE)), {"icd": ["J10", "K20"] * 300, "age": [4, 5] * 300}),
    ],
    ids=("one record", "constant", "one line", "one category", "one text", "one value", "wide", "codes"),
)
def test_small_and_odd_tables_are_released(schema, table):
    release = pp.PrivateRelease(schema, epsilon=1, delta="1e-6").fit(table)
    rows = release.synthetic(7)
    assert [len(rows[column.name]) for column in schema.columns] == [7] * len(schema.columns)
    assert 0 <= release.guarantee_.measured <= release.n_records_
    assert Release.from_json(release.to_json()) == release.release_


def test_labels_are_a_column_and_units_are_protected():
    labeled = Schema((AGE,), label=Label("late", ("no", "yes")))
    assert TableQueries(labeled).domain.names == ("age", "late")
    schema = Schema((AGE, JOB), unit=Unit("id", 2))
    table = {"age": [30, 50] * 200, "job": ["clerk", "nurse"] * 200, "id": [i // 2 for i in range(400)]}
    release = pp.PrivateRelease(schema, epsilon=4, delta="1e-6", max_records=2).fit(table, unit="id")
    assert release.privacy_ <= Budget(4, "1e-6")
    assert release.guarantee_.certificate.unit_records == 2


def test_a_class_of_tables_has_no_list_of_queries():
    with pytest.raises(Refused, match="after its release"):
        TableQueries(TWO).representatives([])
    assert TableQueries(TWO).size == float("inf")


def test_a_row_outside_the_cells_is_refused():
    with pytest.raises(ValueError, match="cells of its columns"):
        TableAnswers(3, CELLS, *Pool(np.array([[0, 0, 2]]), np.array([5])).packed())


def test_answers_that_contradict_themselves_are_refused():
    row = np.array([[0, 0, 0]])
    with pytest.raises(ValueError, match="at most n records"):
        TableAnswers(3, CELLS, *Pool(row, np.array([5 * PARTS])).packed())
    with pytest.raises(ValueError, match="different names"):
        TableAnswers(3, (CELLS[0],) * 3, *Pool(row, np.array([PARTS])).packed())


@pytest.mark.slow
def test_a_table_of_very_many_columns_can_be_asked_for():
    schema = Schema(tuple(Column(f"c{i}", "category", values=("a", "b")) for i in range(1100)))  # 2^1100 is no float
    terms = Terms(Budget(1, "1e-6"))
    assert [each.name for each in sanitizers(TableQueries(schema), terms)] == ["TableSanitizer"]


def test_values_come_from_the_coins_given():
    answers = weighted()
    assert len(answers.rows(5, SYSTEM)["x"]) == 5


DECLARED = Schema(tuple(Column(name, "category", values=("p", "q", "r")) for name in "abcd"))
LETTERS = {name: ["p", "q", "r", "r"] * 500 for name in "abcd"}


def test_marginals_that_are_asked_for_get_all_of_epsilon():
    front = pp.PrivateRelease(DECLARED, epsilon=1, delta="1e-6", marginals=[("c", "a"), ["b"]]).fit(LETTERS)
    answers = front.release_.answers_
    assert answers.columns == ["a", "b", "c"]
    assert answers.choices == ((), (0,), (1,), (2,), (0, 2))
    pairs = pp.PrivateRelease(DECLARED, epsilon=1, delta="1e-6").algorithm(2000).sanitizer
    asked, every = (each.counting(each.cost).noise.variance for each in (front.algorithm(2000).sanitizer, pairs))
    assert asked < every / 2
    assert front.privacy_ == Budget(1)  # Laplace noise spends no δ
    query = answers.hypothesis({"a": "r", "c": "r"})
    assert front.answer(query) == pytest.approx(0.5, abs=0.05)  # Pr[|Z| > 100] at ε = .9/4 is below 10^-9
    assert list(front.synthetic(3)) == ["a", "b", "c"]
    assert Release.from_json(front.to_json()) == front.release_
    assert {*pd.DataFrame(front.counts())["column"]} == {"a", "b", "c"}


@pytest.mark.slow
def test_marginals_of_three_columns():
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2, (20_000, 3))
    bits[:, 2] = bits[:, 0] ^ bits[:, 1]  # which no pair of columns shows
    schema = Schema(tuple(Column(name, "category", values=(0, 1)) for name in "xyz"))
    table = dict(zip("xyz", bits.T, strict=True))
    front = pp.PrivateRelease(schema, epsilon=1, delta="1e-6", marginals=[("x", "y", "z")]).fit(table)
    answers = front.release_.answers_
    odd = answers.hypothesis({"x": 1, "y": 1, "z": 1})
    assert front.answer(odd) < 0.02
    assert len(answers.choices) == 8
    counts = pd.DataFrame(front.counts())
    assert list(counts) == ["column", "cell", "and column", "and cell", "column 3", "cell 3", "records"]
    cells = [dict(zip("xyz", each, strict=True)) for each in product((0, 1), repeat=3)]
    assert counts["records"].tolist()[-8:] == [answers.count(answers.hypothesis(each)) for each in cells]
    drawn = pd.DataFrame(front.synthetic(1000))
    assert ((drawn.x ^ drawn.y) == drawn.z).mean() > 0.9


def test_the_gap_of_asked_marginals_is_that_of_all_their_queries():
    rng = np.random.default_rng(2)
    pool = Pool(rng.integers(0, 2, (9, 3)), rng.integers(0, PARTS // 3, 9))
    answers = TableAnswers(3, CELLS, *pool.packed(), ((0, 1, 2),))
    rules = [column_rules(each) for each in CELLS]
    queries = [
        composition(gate("and", k), rule) if k else Constant(True)
        for k in range(4)
        for some in combinations(rules, k)
        for rule in product(*some)
    ]
    gaps = {}
    for rows in product(SMALL[::3], repeat=2):
        x, y, z = zip(*rows, strict=True)
        table = {"x": x, "y": ["ab"[number] for number in y], "z": z}
        gaps[rows] = answers.gap(small(*rows))
        assert gaps[rows] == max(abs(answers.count(query) - int(query(table).sum())) for query in queries)
    for (first, second), gap in gaps.items():
        assert all(abs(gaps[first, other] - gap) <= 1 and abs(gaps[other, second] - gap) <= 1 for other in SMALL[::3])


def test_marginals_that_do_not_fit_are_refused():
    table = {"age": [3], "job": ["clerk"]}
    for wrong in ([], "age", [()], [("age", "height")]):
        refused(TWO, table, "marginals=", marginals=wrong)
    refused(TWO, table, "each of them once", marginals=[("age", "age")])
    with pytest.raises(Refused, match="columns of a schema"):
        pp.PrivateRelease(pp.Points(), delta="1e-6", marginals=[("a",)]).fit([1])
    front = pp.PrivateRelease(DECLARED, epsilon=1, delta="1e-6", marginals=[("a", "b"), ("b", "c")]).fit(LETTERS)
    answers = front.release_.answers_
    with pytest.raises(Refused, match=r"a\*b, b\*c"):
        answers.hypothesis({"a": "p", "c": "p"})
    rules = [column_rules(each)[0] for each in answers.cells]
    with pytest.raises(Refused, match=r"a\*b, b\*c"):
        answers.count(composition(gate("and", 2), (rules[0], rules[2])))


@pytest.mark.slow
def test_declared_tables_need_no_delta():
    front = pp.PrivateRelease(DECLARED, epsilon=1).fit(LETTERS)
    assert front.privacy_ == Budget(1)
    assert front.guarantee_.measured < 500


def test_marginals_that_contradict_the_columns_are_refused():
    texts = Pool(np.array([[0, 0, 0]]), np.array([5])).packed()
    for wrong in (((0, 3),), ((-1, 0, 1, 2),), ((0, 1),)):
        with pytest.raises(ValueError, match="every column a marginal"):
            TableAnswers(3, CELLS, *texts, wrong)


@pytest.mark.slow
@pytest.mark.parametrize("given", [pa.table, lambda rows: duckdb.from_arrow(pa.table(rows))], ids=["arrow", "duckdb"])
def test_tables_of_arrow_are_released_and_must_have_the_declared_columns(given):
    schema, rows = Schema((AGE, JOB)), {"age": [30, 60] * 500, "job": ["clerk", "nurse"] * 500}
    assert pp.PrivateRelease(schema, epsilon=1, delta=1e-6).fit(given(rows)).n_records_ == 1000
    with pytest.raises(Refused, match="the table has no column 'age'"):
        pp.PrivateRelease(schema, epsilon=1, delta=1e-6).fit(given({"job": rows["job"]}))
