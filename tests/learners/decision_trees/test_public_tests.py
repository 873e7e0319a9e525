"""The public tests of decision trees: cells by definition, few enough tests, refusals."""

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.learners.choice import learner_for
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.decision_trees.public_tests import MOST_TESTS
from privpac.learners.decision_trees.scorecards import _tests
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import Conditions
from privpac.requests.reading import Reading
from tests.grid import over
from tests.learners.decision_trees.people import MIXED, people, public_of


@pytest.mark.audit
@over("depth", (1, 2, 3))
def test_records_lie_in_cells_where_tests_say_what_their_rules_say(depth):
    trees, table = Trees(*MIXED, depth=depth), people(np.random.default_rng(depth), 200)
    tests = public_of(trees)
    assert sum(len(part.rules) for part in tests.parts) == tests.public.number == len(tests.rules) <= MOST_TESTS[depth]
    points = trees.domain.points(table)
    for i in range(0, 200, 4):  # a few at a time, so that none are equal
        some = {name: values[i : i + 4] for name, values in table.items()}
        records = tests.view(Sample(points[i : i + 4], np.ones(4, dtype=bool), 1 + np.arange(4), 10, some))
        order = [int(w) - 1 for w in records.w]  # each record has its own number of copies
        assert sorted(order) == [0, 1, 2, 3]
        for b, rule in enumerate(tests.rules):
            block, row = tests.public.place(b)
            holds = tests.public.blocks[block][row][records.cells[block]]
            assert holds.tolist() == rule(some)[order].tolist(), str(rule)


def test_no_test_is_constant_or_repeated_in_its_part():
    for part in public_of(Trees(*MIXED, depth=3)).parts:
        rows = {(row ^ row[0]).tobytes() for row in part.block}
        assert len(rows) == len(part.rules)
        assert all(row.any() and not row.all() for row in part.block)


def test_many_columns_have_fewer_cuts_and_too_many_are_refused():
    lines = [Thresholds(0, 999, direction="above").on(i) for i in range(300)]
    assert public_of(Trees(*lines[:100], depth=3)).public.number <= 2**8
    assert len(public_of(Trees(*lines[:100], depth=3)).parts[0].rules) == 2
    with pytest.raises(Refused, match="fewer columns"):
        DecisionTreeLearner.supports(Trees(*lines, depth=3))


def test_few_columns_have_many_cuts():
    part = public_of(Trees(Thresholds(-60, 1440, direction="above").on("delay"), depth=3)).parts[0]
    assert 32 < len(part.rules) <= 48


def test_names_that_are_not_declared_are_asked_for():
    with pytest.raises(Refused, match=r"declare the values that rules may name: Points\(\).on\('job', values="):
        learner_for(Trees(Thresholds(0, 9, direction="above").on("age"), Points().on("job"), depth=2), Conditions.of())


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Trees, Scorecards, Auto])
def test_an_engine_counts_cells(kind):
    """All cells get the records that they get without cells, and few rows arrive; a long column keeps its values."""
    rng, parts = np.random.default_rng(7), [Thresholds(0, 999).on("x"), Thresholds(-9.0, 9.0, step=0.01).on("z")]
    X = {"x": rng.integers(0, 50, 500), "z": rng.integers(0, 50, 500) / 100}
    table = ibis.memtable(pa.table(X | {"y": rng.integers(0, 2, 500).astype(bool)}))
    classes = kind(*parts)
    cells, reading = PrivateClassifier(classes, epsilon=1).learner().cells, Reading(classes.domain, 0, "raise", ("y",))
    plain, few = (reading.gathered(table, None, "y", None, None, cells=each).sample for each in ((), cells))
    assert 4 * len(few.points) < len(plain.points)
    for member in getattr(classes, "members", (classes,)):
        tests = _tests(member) if isinstance(member, Scorecards) else public_of(member)
        for there, here in zip(tests.cells(few), tests.cells(plain), strict=True):
            assert np.array_equal(np.bincount(there, few.counts), np.bincount(here, plain.counts))


def test_long_columns_with_private_cuts_keep_their_values():
    parts = Thresholds(0, 999).on("x"), Thresholds(0, 10**9).on("long"), Points().on("c", values=("a", "b"))
    cells = [PrivateClassifier(kind(*parts), epsilon=1).learner().cells for kind in (Trees, Auto, Scorecards)]
    assert [list(map(bool, each)) for each in cells] == [[True, False, False]] * 2 + [[True, True, False]]
    few = PrivateClassifier(Trees(Thresholds(0, 9).on("x"), depth=2), method="DecisionTreeLearner", epsilon=1)
    assert few.learner().cells == ((),)


def test_columns_of_one_value_are_more_than_an_array_has_axes():
    """They share blocks with others, in which they add no cells."""
    names = [f"a{i}" for i in range(70)]
    parts = *(Points().on(name, values=(0,)) for name in names), Thresholds(0, 1).on("b")
    X = {name: [0] * 400 for name in names} | {"b": [0, 1] * 200}
    for H in (Trees(*parts, depth=1), Scorecards(*parts)):
        tests = _tests(H) if isinstance(H, Scorecards) else public_of(H)
        assert [len(each) for each in tests.groups] == [32, 32, 7]
        assert PrivateClassifier(H, epsilon=2).fit(X, X["b"]).predict({**X, "b": [1] * 400}).all()


@pytest.mark.parametrize(("number", "depth", "works"), [(300, 3, 2), (300, "auto", 2), (2000, 3, 1), (2000, 2, 1)])
def test_too_many_columns_are_refused_with_the_numbers_that_work(number, depth, works):
    lines = [Thresholds(0, 50).on(f"c{i}") for i in range(number)]
    with pytest.raises(
        ValueError, match=rf"the first (\d+) have few enough\), or learn trees with depth={works}$"
    ) as no:
        PrivateClassifier(Trees(*lines, depth=depth)).learner()
    fewer = int(str(no.value).partition("the first ")[2].partition(" ")[0])
    for few, shallow in ((lines[:fewer], depth), (lines, works)):
        assert PrivateClassifier(Trees(*few, depth=shallow)).learner().title
    with pytest.raises(ValueError, match="have few enough"):
        PrivateClassifier(Trees(*lines[: fewer + 1], depth=depth)).learner()
