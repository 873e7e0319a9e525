"""What a release draws: the largest counts, whole paths of trees, and tables of pairs that are small enough."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from privpac.classes.compositions.compose import And
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.schemas.schema import Column, Schema
from privpac.classes.tables.marginals import Marginals
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.values.points import Points
from privpac.classes.vectors.boxes import Box
from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.data.domains.paths import Paths, PathsFromEnd
from privpac.release.charts import (
    DEPENDENCE,
    MOST_BARS,
    MOST_SIDE,
    Bars,
    ChartColumn,
    CountTree,
    HeatMap,
    Prefix,
    Steps,
    count_tree,
    crosstab,
    key_bars,
    pair_charts,
)
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.external_answers import certified
from privpac.release.histograms import KeyCounts
from privpac.release.lines.answers import LineCounts
from privpac.release.private_release import PrivateRelease
from privpac.release.rectangles import GridAnswers
from privpac.release.sanitizer import Answers
from tests.release.samples import sample_of


def test_few_keys_keep_their_order_and_many_show_the_largest():
    assert key_bars("x", [("a",), ("b",)], [3, 7]).bars == (("a", 3), ("b", 7))
    many = key_bars("x", [(i,) for i in range(100)], list(range(100)))
    assert many.bars[0] == ("99", 99) and len(many.bars) == MOST_BARS and many.more == 100 - MOST_BARS


def test_keys_read_as_in_sentences():
    day, half = (date(2026, 11, 16), -3), ("\ud800", "x")
    assert [name for name, _ in key_bars("x", [day, half], [2, 1]).bars] == ["2026-11-16 · −3", "'\\ud800' · x"]


def test_pairs_that_nobody_declared_stand_in_their_natural_order():
    months, names = ["10", "9", "1"], ["Room 10", "room 9", "Älter", "beta"]
    by_count = {(month, name): 50 - 7 * i - j for i, month in enumerate(months) for j, name in enumerate(names)}
    chart = crosstab(("month", "name"), by_count, unlisted=True)
    assert chart.rows == ("1", "9", "10") and chart.columns == ("beta", "room 9", "Room 10", "Älter")
    assert chart.numbers[0][0] == by_count["1", "beta"]
    declared = crosstab(("month", "name"), by_count)
    assert declared.rows == tuple(months) and declared.columns == tuple(names)


@pytest.mark.parametrize(
    "values",
    [[-10, -2, 0, 3], ["-10", "-2", "0.5", "3"], ["2026-02-03", "2026-11-01"], [date(2026, 2, 3), date(2026, 11, 1)]],
)
def test_numbers_and_days_stand_by_size(values):
    other = ["a", "b"]
    chart = crosstab(("x", "y"), {(x, y): 1 for x in reversed(values) for y in other}, unlisted=True)
    assert [row.replace("−", "-") for row in chart.rows] == list(map(str, values))


def tree_of(prefixes):
    depths, counts = [each.depth for each in prefixes], [each.records for each in prefixes]
    return count_tree("code", depths, counts, lambda i: prefixes[i].name)


def test_a_tree_keeps_the_path_to_what_it_draws():
    """A prefix may have a smaller noisy count than one below it."""
    light = [Prefix(1, f"a{i}", 100) for i in range(50)]
    deep = [Prefix(1, "J", 1), Prefix(2, "J1", 2), Prefix(3, "J10", 900), Prefix(2, "J2", 1), Prefix(1, "K", 0)]
    tree = tree_of([*light, *deep])
    drawn = [each.name for each in tree.prefixes]
    assert {"J", "J1", "J10"} <= set(drawn) and not {"J2", "K"} & set(drawn)
    assert drawn == [each.name for each in [*light, *deep] if each.name in drawn]
    assert len(drawn) == MOST_BARS and tree.more == 55 - MOST_BARS


def test_a_tree_that_fits_is_drawn_whole():
    prefixes = (Prefix(1, "J", 700), Prefix(2, "J1", 500), Prefix(1, "K", 300))
    assert tree_of(prefixes).prefixes == prefixes
    assert tree_of(()).prefixes == ()


def test_a_table_of_pairs_is_drawn_only_if_it_is_small():
    assert crosstab(("a", "b"), {(1, "x"): 3, (2, "y"): 5}) == HeatMap(
        "b", "a", ("x", "y"), ("1", "2"), ((3, None), (None, 5))
    )
    assert crosstab(("a", "b"), {(i, i): 1 for i in range(MOST_SIDE + 1)}) is None
    assert crosstab(("a", "b"), {(1, 1): 1, (1, 2): 1}) is None  # a single row has bars


@pytest.mark.parametrize("declared", [False, True])
def test_counts_of_keys_have_bars(declared):
    shown = KeyCounts(1000, Anything(), (("EV",), ("UA",)), (300, 200), most=None if declared else 27)
    assert shown.drawing() == (Bars("", (("EV", 300), ("UA", 200)), 0, not declared),)
    assert shown.subject == "How many records have each value"


def test_counts_of_two_columns_have_a_heat_map():
    both = And(Points().on("sex"), Points().on("job")).domain
    pairs = KeyCounts(9, both, (("f", "clerk"), ("m", "nurse")), (3, 5), most=1)
    (chart,) = pairs.drawing()
    assert isinstance(chart, HeatMap) and chart.unlisted and chart.numbers == ((3, None), (None, 5))
    assert pairs.subject == "How many records have each combination of sex and job"
    (bars,) = KeyCounts(9, both, (("f", "clerk"),), (3,), most=1).drawing()
    assert bars == Bars("sex · job", (("f · clerk", 3),), 0, unlisted=True)


def test_answers_need_no_picture():
    ages = Thresholds(0, 9, direction="above")
    given = certified(ages, [ages.hypothesis(5)], [0.5], [3] * 50 + [7] * 50, epsilon=1).answers_
    assert given.drawing() == () and given.subject == Answers.subject.fget(given)


def test_code_trees_draw_their_nodes_in_order():
    shown = CodeCounts(1000, Paths(None, 7), "subtree", ("", "J", "J1", "K"), (1000, 600, 400, 90))
    tree = (Prefix(1, "all records", 1000), Prefix(2, "J", 600), Prefix(3, "J1", 400), Prefix(2, "K", 90))
    assert shown.drawing() == (CountTree("", tree, 0, unlisted=True),)
    assert shown.subject == "How many records have each prefix"
    ends = CodeCounts(9, PathsFromEnd(".", 3), "subtree", (("org",), ("org", "a")), (5, 3), (("org",), ("org", "a")))
    (tree,) = ends.drawing()
    assert not tree.unlisted and [each.name for each in tree.prefixes] == ["org", "a.org"]
    assert ends.subject == "How many records have each suffix"


def test_taxonomies_are_declared_and_paths_count_single_nodes():
    taxonomy = Taxonomy({"J10": "J", "J": "ICD"}, kind="subtree")
    (tree,) = CodeCounts(9, taxonomy.domain, "subtree", taxonomy.domain.names, (9, 5, 3)).drawing()
    assert not tree.unlisted and [each.depth for each in tree.prefixes] == [1, 2, 3]
    paths = CodeCounts(9, Paths("/", 3), "root_path", (("usr",), ("usr", "lib")), (2, 3))
    assert paths.drawing() == (Bars("", (("usr", 2), ("usr/lib", 3)), 0, unlisted=True),)
    assert paths.answers_per_entry == 2


def test_lines_draw_their_distribution_and_quartiles():
    ages = LineCounts(100, Line(0, 9), (0, 5), (0, 80, 100))
    (steps,) = ages.drawing()
    assert steps == Steps("", Line(0, 9), (0, 5, 10), (0, 80, 100), ((0.25, 1), (0.5, 3), (0.75, 4)))
    assert [steps.line.decode(number) for _, number in steps.marks] == [
        ages.quantile(Fraction(q, 4)) for q in (1, 2, 3)
    ]
    assert ages.subject == "How many records lie at or below each value"
    assert (ages.answers_per_entry, replace(ages, intervals=True).answers_per_entry) == (2, 1)
    assert replace(ages, below=(0, 0, 0)).drawing()[0].marks == ()  # all records are void


def test_cells_of_a_line_are_off_by_as_much_as_two_thresholds():
    """The error of a cell reaches twice the gap of thresholds, and the gap of intervals."""
    answers = LineCounts(4, Line(0, 2), (0, 1, 2), (0, 0, 4, 4))
    sample = sample_of(Line(0, 2), [0, 2, 2, 0])
    errors = [abs(shown - true) for shown, true in zip(answers.counts()["records"], [2, 0, 2], strict=True)]
    assert (max(errors), answers.gap(sample), replace(answers, intervals=True).gap(sample)) == (4, 2, 4)


MARGINALS = Marginals(
    *(Points().on(name, values=(0, 1)) for name in "ab"),
    *(Thresholds(0, 120, direction="above").on(name, values=(18, 65)) for name in ("age", "time")),
)


def test_marginals_draw_dependence_and_the_most_dependent_pairs():
    a = np.repeat([0, 1], 500)
    X = {"a": a, "b": a, "age": 40 + 0 * a, "time": np.where(a, 80, 10)}
    answers = PrivateRelease(MARGINALS, epsilon=50, delta=1e-6).fit(X).release_.answers_
    whole, *pairs = answers.drawing()
    assert whole.columns == whole.rows == ("a", "b", "age", "time") and whole.unit == DEPENDENCE
    assert whole.numbers[0][0] is None and abs(whole.numbers[0][1] - 50) < 5 and whole.numbers[0][2] < 5
    assert {(pair.down, pair.across) for pair in pairs} == {("a", "b"), ("a", "time"), ("b", "time")}
    assert next(pair for pair in pairs if pair.across == "time").columns == ("0 … 17", "18 … 64", "65 … 120")
    assert answers.subject == "How many records have each combination of at most 2 of 4 columns"


def test_dependence_is_the_distance_from_independence():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = rng.integers(0, 9, (3, 4))
        p = table / table.sum()
        tv = abs(p - np.outer(p.sum(axis=1), p.sum(axis=0))).sum() / 2
        columns = [ChartColumn("x", tuple("abc")), ChartColumn("y", tuple("abcd")), *[ChartColumn("z", ("a",))] * 2]
        others = dict.fromkeys(((0, 2), (0, 3), (1, 2), (1, 3), (2, 3)), np.ones((2, 1), dtype=int))
        charts = pair_charts(columns, {(0, 1): table} | others)
        assert charts[0].numbers[0][1] == charts[0].numbers[1][0] == round(100 * tv)
        assert charts[1].numbers == tuple(map(tuple, table.tolist()))
        assert len(charts) == 2  # a column with one cell has no table


def test_marginals_of_single_columns_have_bars():
    single = Marginals(*MARGINALS.parts, order=1)
    X = {"a": [0] * 90 + [1] * 10, "b": [1] * 100, "age": [70] * 100, "time": [1] * 100}
    answers = PrivateRelease(single, epsilon=50).fit(X).release_.answers_
    charts = answers.drawing()
    assert [chart.name for chart in charts] == ["a", "b", "age"]
    assert [name for name, _ in charts[2].bars] == ["0 … 17", "18 … 64", "65 … 120"]
    assert max(charts[2].bars, key=lambda bar: bar[1])[0] == "65 … 120"


def test_grids_draw_blocks_that_are_rectangles():
    side = 40
    records = np.zeros((side, side), dtype=int)
    records[3, 39], records[0, 0] = 7, 5
    sums = np.pad(records.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    answers = GridAnswers(12, Grid(-5, 34, 2), tuple(map(tuple, sums.tolist())))
    (chart,) = answers.drawing()
    assert len(chart.columns) == len(chart.rows) == MOST_SIDE and (chart.across, chart.down) == ("x1", "x2")
    assert (chart.columns[0], chart.rows[0]) == ("−5 … −4", "32 … 34")  # the second column increases upward
    assert sum(map(sum, chart.numbers)) == 12
    (first, *_), *_, (last, *_) = chart.numbers
    assert (chart.numbers[0][1], first, last) == (7, 0, 5)
    for block in (Box((-5, -5), (-4, -4)), Box((-3, 32), (-1, 34))):
        assert answers.count(block) in (5, 7)
    assert GridAnswers(1, Grid(0, 0, 2), ((0, 0), (0, 1))).drawing() == ()


@pytest.mark.slow
def test_tables_draw_pairs_of_their_columns():
    schema = Schema((Column("job", "category", values=("clerk", "nurse")), Column("age", "integer", 0, 120)))
    table = {"job": ["clerk", "nurse"] * 2000, "age": [30, 60] * 2000}
    answers = PrivateRelease(schema, epsilon=50, delta=1e-6).fit(table).release_.answers_
    (pair,) = answers.drawing()
    assert (pair.down, pair.across, pair.rows) == ("job", "age", ("clerk", "nurse"))
    assert all(" … " in name or name in ("30", "60") for name in pair.columns)
    assert abs(sum(map(sum, pair.numbers)) - 4000) < 100
    assert answers.subject == "How many records have each combination of job and age"
    alone = PrivateRelease(Schema(schema.columns[:1]), epsilon=50, delta=1e-6).fit({"job": table["job"]})
    (bars,) = alone.release_.drawing()
    assert [name for name, _ in bars.bars] == ["clerk", "nurse"] and bars.name == "job"
