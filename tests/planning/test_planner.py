"""Plans: rows, the best one, the table, the inverse question, refusals."""

import time

import pytest

from privpac.classes import ExplicitClass, HalfPlanes, Points, RootPaths, Taxonomy, Thresholds, Trees
from privpac.learners import choice
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.finite import FiniteLearner
from privpac.planning import plans
from privpac.planning.bounds import BOUNDS, Goal
from privpac.planning.learner_rows import certified_rows
from privpac.planning.planner import plan
from privpac.planning.rows import CERTIFIED, NOTHING, Row, Section, human
from privpac.refusals.refusal import Sentence
from tests.grid import over

RULES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 1, 1]], points=["child", "adult", "senior"])


class Unproved(FiniteLearner):
    """A learner of everything, without a certificate."""

    def failure(self, n, alpha):
        return 1.0


class Costly(Unproved):
    """One that needs a thousand records whatever is asked, and δ."""

    pure = False

    extra_assumptions = ("the moon is full",)

    def failure(self, n, alpha):
        return 0.0 if n >= 1000 and alpha >= 0.02 else 1.0


@pytest.fixture
def three(monkeypatch):
    """Three learners for explicit classes."""
    certified_rows.cache_clear()
    monkeypatch.setattr(choice, "LEARNERS", (FiniteLearner, Unproved, Costly))
    yield
    certified_rows.cache_clear()


def test_the_best_is_the_learner_that_would_be_taken():
    best = plan(RULES).best
    clf = PrivateClassifier(RULES)
    chosen = clf.learner()
    assert (best.learner, best.n) == (chosen.name, clf.certified_n())
    assert best.kind == CERTIFIED
    assert best.source == chosen.theorem


def test_rows_are_sorted_and_nothing_published_is_best(three):
    made = plan(RULES)
    sections = [row.kind.section for row in made.rows]
    assert sections == sorted(sections, key=list(Section).index)
    numbers = [row.n for row in made.rows if row.kind == CERTIFIED]
    assert numbers == sorted(numbers)
    assert {row.learner for row in made.rows if row.kind == NOTHING} == {"Unproved"}
    assert made.best.n == min(numbers)
    assert any(row.n < made.best.n for row in made.rows if row.kind.section is Section.PUBLISHED)


def test_what_nobody_can_read_comes_last(three, monkeypatch):
    monkeypatch.setattr(Costly, "automatic", False)
    certified_rows.cache_clear()
    made = plan(RULES, alpha=0.02)
    assert made.best.learner == PrivateClassifier(RULES, alpha=0.02).learner().__class__.__name__ == "FiniteLearner"
    assert made.best.n > min(row.n for row in made.rows if row.kind == CERTIFIED)


def test_the_privacy_of_a_row_is_what_the_learner_spends(three):
    privacy = {row.learner: row.privacy for row in plan(RULES).rows}
    assert privacy["FiniteLearner"] == "ε = 1"
    assert privacy["Costly"] == "ε = 1, δ = 1e-06"


def test_a_row_says_what_else_its_certificate_assumes(three):
    made = plan(RULES, regime="realizable")
    remarks = {row.learner: row.remark for row in made.rows}
    assert (remarks["Costly"], remarks["FiniteLearner"]) == ("the moon is full", "")
    assert "Costly: the moon is full." in map(str, made.notes)


def test_with_n_the_question_is_turned_round(three):
    made = plan(RULES, n=2000)
    errors = {row.learner: row.alpha for row in made.rows}
    assert errors["Costly"] == 0.02
    assert errors["Unproved"] is None
    assert errors["FiniteLearner"] == float(PrivateClassifier(RULES, method="FiniteLearner").certified_alpha(2000))
    assert made.best.alpha == min(errors["Costly"], errors["FiniteLearner"])
    assert all(row.n == 2000 for row in made.rows)


def test_both_questions_agree():
    n = plan(RULES, alpha=0.07).best.n
    assert plan(RULES, n=n).best.alpha <= 0.07
    assert plan(RULES, n=n - 1).best.alpha > 0.07


def test_published_errors_solve_for_the_error():
    made = plan(Points(2**64), n=2000, regime="realizable")
    (row,) = [row for row in made.rows if row.source == "[BBKN14, Thm 3.2]"]
    (there,) = [each for each in plan(Points(2**64), alpha=row.alpha).rows if each.source == row.source]
    (before,) = [each for each in plan(Points(2**64), alpha=row.alpha - 0.001).rows if each.source == row.source]
    assert there.n <= 2000 < before.n


def test_a_class_that_nobody_learns_has_no_best(monkeypatch):
    certified_rows.cache_clear()
    monkeypatch.setattr(choice, "LEARNERS", ())
    made = plan(Thresholds(0, 9, direction="above"))
    assert made.best is None
    assert all(row.kind.section in {Section.PUBLISHED, Section.LOWER} for row in made.rows)
    certified_rows.cache_clear()


def test_refuted_bounds_are_not_planned_with():
    assert not any("HCT24" in row.source for row in plan(HalfPlanes(10)).rows)


def test_the_table(three):
    text = str(plan(RULES))
    lines = text.splitlines()
    assert lines[0] == "ExplicitClass(3 concepts, 3 points)"
    asked = "with probability ≥ 0.95; ε = 1, δ = min(1e-06, 1/(100·n)); labels may be noisy"
    assert lines[1] == f"error ≤ that of the best rule + 0.1, {asked}"
    assert lines[3].split() == ["learner", "n", "proper", "privacy", "δ·n", "kind", "source"]
    end = lines[3].index("  n") + 3
    numbers = [line[:end].split("  ")[-1].strip() for line in lines[4 : 4 + len(plan(RULES).rows)]]
    assert numbers == [human(row.n) for row in plan(RULES).rows]
    assert plans.HIDDEN_CONSTANTS in text
    assert "some rule of the class makes no error" in str(plan(RULES, regime="realizable"))
    assert str(plan(RULES, n=2000)).splitlines()[1].startswith("n = 2,000, ")


def test_a_delta_that_is_given_is_taken_as_it_is():
    """The numbers of the time when 1e-6 was the default."""
    at = {
        (Thresholds(0, 2**64 - 1, direction="above"), "realizable", 0.01): {
            "ThresholdLearner": 4752,
            "PureThresholdLearner": 10845,
        },
        (Points(), "agnostic", 0.01): {"PointLearner": 127234, "BucketLearner": 432730},
        (RootPaths("/", height=32), "agnostic", 0.01): {"PathLearner": 158688},
        (RootPaths("/", height=32), "realizable", 0.1): {"PathLearner": 655},
    }
    for (H, regime, α), needed in at.items():
        made = plan(H, regime=regime, alpha=α, delta=1e-6)
        assert {row.learner: row.n for row in made.rows if row.title and not row.paper} == needed
        assert all(row.delta == (0 if row.privacy == "ε = 1" else 1e-6) for row in made.rows if row.title)
        assert "ε = 1, δ = 1e-06; " in made.question


def test_by_default_each_row_has_the_delta_of_its_n():
    made = plan(RootPaths("/", height=32), alpha=0.01)
    row = made.best
    assert row.n > 158688 and row.delta == pytest.approx(1 / (100 * row.n)) and row.delta_n == pytest.approx(0.01)
    assert row.privacy == f"ε = 1, δ = {row.delta:.6g}"
    assert made.cells()[0]["δ·n"] == "0.01"
    assert row.n == PrivateClassifier(RootPaths("/", height=32), alpha=0.01, method="PathLearner").certified_n()
    assert all(each.delta_n <= 0.01 + 1e-9 for each in made.rows if each.delta_n is not None)
    few = plan(RootPaths("/", height=32)).best
    assert (few.delta, few.n) == (1e-6, plan(RootPaths("/", height=32), delta=1e-6).best.n)


def test_with_n_there_is_one_delta():
    made = plan(Points(), n=10**6)
    assert "ε = 1, δ = 1e-08; " in made.question
    assert made.rows[0].delta == 1e-8
    assert made.rows[0].alpha == float(PrivateClassifier(Points(), method="PointLearner").certified_alpha(10**6))
    assert made.rows[0].alpha == plan(Points(), n=10**6, delta=1e-8).rows[0].alpha


def test_published_bounds_are_for_the_delta_of_their_n():
    H, tied = Thresholds(0, 2**16 - 1, direction="above"), Goal(0.1, 0.05, 1.0, 1e-6, tied=True)
    asked = [each for each in BOUNDS if each.n(H, tied) is not None]
    assert any(each.n(H, tied) > each.n(H, tied.of(1)) for each in asked)
    for each in asked:
        n = each.n(H, tied)
        assert each.n(H, tied.of(n)) <= n
        assert n == each.n(H, tied.of(1)) or each.n(H, tied.of(n - 1)) > n - 1


def test_a_plan_says_where_learning_will_be_refused():
    assert str(Sentence(plans.TOO_LARGE)) in str(plan(Points(), alpha=0.01, delta=1e-6))  # δ·n is 0.3
    assert str(Sentence(plans.TOO_LARGE)) not in str(plan(Points(), delta=1e-6)) + str(plan(Points(), alpha=0.01))
    assert str(Sentence(plans.TOO_LARGE)) not in str(plan(Thresholds(0, 3, direction="above"), alpha=0.001, delta=0))


def test_without_a_number_of_records_the_default_is_a_bound():
    (row,) = [row for row in plan(RootPaths("/")).rows if row.title]
    assert (row.kind, row.n, row.delta, row.delta_n) == (NOTHING, None, None, None)
    assert row.privacy == "ε = 1, δ ≤ 1e-06"


def test_a_class_of_numbers_too_long_to_print_has_a_plan():
    assert str(plan(Thresholds(0, 2 ** (2**16), direction="above"))).startswith("Thresholds, ln|H| = 45426.1\n")


def test_a_frame(three):
    frame = plan(RULES).to_frame()
    assert list(frame.columns) == [*Row.__dataclass_fields__]
    assert len(frame) == len(plan(RULES).rows)


def test_without_pandas_a_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        plan(RULES).to_frame()


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1"),
        ({"alpha": 1}, "alpha must lie strictly"),
        ({"beta": 1.5}, "beta must lie strictly"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"delta": 1}, "delta must lie in"),
        ({"regime": "noisy"}, "regime must be one of agnostic, realizable"),
        ({"n": 0}, "n must be at least 1"),
    ],
)
def test_refusals(numbers, words):
    with pytest.raises(ValueError, match=words):
        plan(RULES, **numbers)


def test_only_classes_are_planned():
    with pytest.raises(TypeError, match="needs a concept class"):
        plan([[0, 1]])


def test_numbers_as_people_write_them():
    assert [human(n) for n in (1, 999, 1000, 9_999_999, 10_000_000)] == ["1", "999", "1,000", "9,999,999", "1.0·10⁷"]


@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
def test_a_plan_is_quick(regime):
    certified_rows.cache_clear()
    start = time.perf_counter()
    plan(Thresholds(0, 2**64 - 1, direction="above"), regime=regime)
    assert time.perf_counter() - start < 2


def test_without_delta_only_learners_that_need_none(three):
    rows = [row for row in plan(RULES, delta=0).rows if not row.paper]
    assert {row.learner for row in rows if row.kind in {CERTIFIED, NOTHING}} == {
        "FiniteLearner",
        "Unproved",
    }


@over(
    "H",
    [
        Points(2**16),
        Points(2**64),
        Thresholds(0, 2**16 - 1, direction="above"),
        Thresholds(0, 2**64 - 1, direction="above"),
    ],
)
@over("epsilon", [0.5, 1, 3])
def test_no_certificate_contradicts_a_proved_lower_bound(H, epsilon):
    rows = plan(H, epsilon=epsilon, delta=0, regime="realizable").rows
    proper = [row.n for row in rows if row.kind == CERTIFIED and row.proper]
    assert all(row.n <= n for n in proper for row in rows if str(row.kind) == "lower bound")


@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
@pytest.mark.parametrize("alone", [ExplicitClass([[0, 1, 1]]), Taxonomy([("all", None)]), ExplicitClass([[1]])])
def test_one_concept_takes_one_record(alone, regime):
    assert plan(alone, regime=regime).best.n == 1
    assert PrivateClassifier(alone, regime=regime).certified_n() == 1


def test_points_that_are_numbers_are_told_from_points_that_are_anything():
    rows = {row.learner: row for row in plan(Points(3), regime="realizable").rows}
    assert rows["ProperPointLearner"].n < rows["PointLearner"].n
    assert rows["ProperPointLearner"].remark == "values are the integers from 0 to domain_size − 1"
    assert PrivateClassifier(Points(3)).learner().title == plan(Points(3)).best.title


@pytest.mark.slow
@pytest.mark.parametrize("concept_class", [RULES, Thresholds(0, 99, direction="above"), RootPaths("/", height=5)])
def test_the_smallest_epsilon_certifies_and_the_next_smaller_does_not(concept_class):
    found = plan(concept_class, n=3000, alpha=0.1)
    assert found.best.epsilon == min(row.epsilon for row in found.rows if row.kind.certified)
    for row in found.rows:
        if row.kind.certified:
            ε = row.epsilon
            enough, less = (
                certified_rows(concept_class, Goal(0.1, 0.05, e, 1e-6, tied=True), "agnostic") for e in (ε, 0.99 * ε)
            )
            assert next(each.n for each in enough if each.learner == row.learner) <= 3000
            assert next(each.n for each in less if each.learner == row.learner) > 3000


def test_a_goal_out_of_reach_names_what_to_leave_out():
    found = plan(RULES, n=10, alpha=0.01)
    assert found.best is None
    assert str(found.notes[0]).endswith(
        "is not certified for any ε up to 100; leave out n to see how many records it takes."
    )


def test_n_alpha_and_epsilon_together_are_compared():
    assert "suffice" in str(plan(RULES, n=3000, alpha=0.1, epsilon=1).notes[0])
    assert "is not certified; leave out epsilon to see" in str(plan(RULES, n=300, alpha=0.01, epsilon=1).notes[0])
    assert not plan(RULES, n=3000, epsilon=1).whether_enough
    assert not plan(RULES, alpha=0.1, epsilon=1).whether_enough


@pytest.mark.slow
def test_bounds_that_ignore_epsilon_have_none():
    rows = plan(Thresholds(0, 99, direction="above"), n=3000, alpha=0.1).rows
    assert {row.epsilon for row in rows if row.source == "[Yan25, §1]"} == {None}
    assert all(row.privacy == "–" for row in rows if row.epsilon is None)


def test_a_notebook_shows_the_table():
    html = plan(RULES)._repr_html_()
    assert "<th>learner</th><th>n</th>" in html
    assert all(f"<td>{row.source}</td>" in html for row in plan(RULES).rows)


def test_the_title_of_a_plan_over_many_columns_is_a_line_of_their_names():
    parts = [Thresholds(0, 9, direction="above").on(name) for name in "abcd"]
    assert plan(Trees(*parts, depth=1)).title == "Trees over 4 columns, depth 1: a, b, c, d"
    few = plan(Trees(*parts[:1], depth=1)).title
    assert few == "Trees(Thresholds(low=0, high=9, direction='above').on('a'), depth=1)"


def test_a_plan_says_which_learner_is_the_first_choice_if_another_has_the_better_number():
    long, short = (
        Trees(Thresholds(0, high, direction="above").on("a"), Thresholds(0, 999, direction="above").on("b"), depth=1)
        for high in (10**6, 9)
    )
    said = [str(note) for note in plan(long, epsilon=1, n=10**6).notes]
    assert any("Learning chooses PrivateCutTrees" in note and "DecisionTreeLearner" in note for note in said)
    assert PrivateClassifier(long).learner().title == plan(long, epsilon=1, n=10**6).best.title
    assert not any("Learning chooses" in str(note) for note in plan(short, epsilon=1, n=10**6).notes)


def test_a_plan_with_units_says_what_a_fit_with_units_is_certified_for():
    alone, both = plan(RULES, n=3000, epsilon=1, max_records=1), plan(RULES, n=3000, epsilon=1, max_records=2)
    assert alone.best.alpha == plan(RULES, n=3000, epsilon=1).best.alpha
    assert alone.answer.startswith("3,000 units are enough") and "units" in str(alone.notes[0])
    for of_two in (both, plan(RULES, n=3000, alpha=0.1, max_records=2), plan(RULES, max_records=2)):
        assert of_two.best is None and not any(row.kind.certified for row in of_two.rows)
        assert "2 records of each unit, because they are not independent" in str(of_two.notes[0])
    assert both.rows[0].privacy == "ε = 1"
    for k, planned in ((1, alone), (2, both)):
        utility = PrivateClassifier(RULES, epsilon=1, max_records=k).preview(3000).utility
        assert (utility is None) == (planned.best is None)
        assert utility is None or float(utility.alpha) == planned.best.alpha
    with pytest.raises(ValueError, match="max_records"):
        plan(RULES, max_records=0)


def test_a_plan_of_a_release_with_units_counts_places():
    single, three = (plan(Points(), epsilon=1, delta=1e-6, task="release", max_records=k) for k in (None, 3))
    assert three.answer.startswith(f"{3 * single.best.n:,} places are enough") and "3 for each unit" in str(
        three.notes[0]
    )
    assert not any(row.source.startswith("[") for row in three.rows)  # published bounds protect single records
