"""What a release draws: the largest counts, whole paths of trees, and tables of pairs that are small enough."""

from datetime import date

import pytest

from privpac.classes.compose import And
from privpac.classes.line import Thresholds
from privpac.classes.points import Points
from privpac.classes.taxonomy import Taxonomy
from privpac.data.any_values import Anything
from privpac.data.paths import Paths, PathsFromEnd
from privpac.release.answers import Answers
from privpac.release.charts import MOST_BARS, MOST_SIDE, Bars, CountTree, HeatMap, Prefix, crosstab, heaviest, key_bars
from privpac.release.code_counts import CodeCounts
from privpac.release.given_answers import certified
from privpac.release.points import KeyCounts


def test_few_keys_keep_their_order_and_many_show_the_largest():
    assert key_bars("x", [("a",), ("b",)], [3, 7]).bars == (("a", 3), ("b", 7))
    many = key_bars("x", [(i,) for i in range(100)], list(range(100)))
    assert many.bars[0] == ("99", 99) and len(many.bars) == MOST_BARS and many.more == 100 - MOST_BARS


def test_keys_read_as_in_sentences():
    day, half = (date(2026, 11, 16), -3), ("\ud800", "x")
    assert [name for name, _ in key_bars("x", [day, half], [2, 1]).bars] == ["2026-11-16 · −3", "'\\ud800' · x"]


def test_a_tree_keeps_the_path_to_what_it_draws():
    """A prefix may have a smaller noisy count than one below it."""
    light = [Prefix(1, f"a{i}", 100) for i in range(50)]
    deep = [Prefix(1, "J", 1), Prefix(2, "J1", 2), Prefix(3, "J10", 900), Prefix(2, "J2", 1), Prefix(1, "K", 0)]
    tree = heaviest("code", [*light, *deep])
    drawn = [each.name for each in tree.prefixes]
    assert {"J", "J1", "J10"} <= set(drawn) and not {"J2", "K"} & set(drawn)
    assert drawn == [each.name for each in [*light, *deep] if each.name in drawn]
    assert len(drawn) == MOST_BARS and tree.more == 55 - MOST_BARS


def test_a_tree_that_fits_is_drawn_whole():
    prefixes = (Prefix(1, "J", 700), Prefix(2, "J1", 500), Prefix(1, "K", 300))
    assert heaviest("code", prefixes).prefixes == prefixes
    assert heaviest("code", ()).prefixes == ()


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
    ages = Thresholds(0, 9)
    given = certified(ages, [ages.hypothesis(5)], [0.5], [3] * 50 + [7] * 50, epsilon=1).answers_
    assert given.drawing() == () and given.subject == Answers.subject.fget(given)


def test_code_trees_draw_their_nodes_in_order():
    shown = CodeCounts(1000, Paths(None, 7), "subtree", ("", "J", "J1", "K"), (1000, 600, 400, 90))
    tree = (Prefix(1, "all records", 1000), Prefix(2, "J", 600), Prefix(3, "J1", 400), Prefix(2, "K", 90))
    assert shown.drawing() == (CountTree("", tree, 0, unlisted=True),)
    assert shown.subject == "How many records have each beginning of code"
    ends = CodeCounts(9, PathsFromEnd(".", 3), "subtree", (("org",), ("org", "a")), (5, 3), (("org",), ("org", "a")))
    (tree,) = ends.drawing()
    assert not tree.unlisted and [each.name for each in tree.prefixes] == ["org", "a.org"]
    assert ends.subject == "How many records have each end of code"


def test_taxonomies_are_declared_and_paths_count_single_nodes():
    taxonomy = Taxonomy({"J10": "J", "J": "ICD"}, kind="subtree")
    (tree,) = CodeCounts(9, taxonomy.domain, "subtree", taxonomy.domain.names, (9, 5, 3)).drawing()
    assert not tree.unlisted and [each.depth for each in tree.prefixes] == [1, 2, 3]
    paths = CodeCounts(9, Paths("/", 3), "root_path", (("usr",), ("usr", "lib")), (2, 3))
    assert paths.drawing() == (Bars("", (("usr", 2), ("usr/lib", 3)), 0, unlisted=True),)
    assert paths.answers_per_entry == 2
