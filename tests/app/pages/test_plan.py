"""Plans in the browser agree with the planner; every class that is offered can be planned as it is offered."""

import re

import pytest

from privpac.app.forms import FormField
from privpac.app.markup import ENVIRONMENT
from privpac.app.pages.class_form import FIRST_VALUES, chosen_class, class_fields
from privpac.app.pages.plan import plan_page
from privpac.app.session import Session
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.shell_options import in_shell
from privpac.planning.planner import plan
from privpac.report.numbers import grouped
from tests.app.conftest import as_read
from tests.grid import over

SCHEMA = """
[label]
column = "late"
classes = ["no", "yes"]
[columns.dep_delay]
kind = "integer"
low = -60
high = 1440
[columns.carrier]
kind = "category"
values = ["A", "B"]
"""


@pytest.fixture
def session():
    return Session(8765)


@pytest.fixture
def declared(tmp_path):
    (tmp_path / "flights.toml").write_text(SCHEMA)
    return Session(8765, schemas={"flights.toml": tmp_path / "flights.toml"})


def told(page: str) -> list[str]:
    return re.findall("<dd>(.*?)<small>", as_read(page))


@pytest.mark.slow
def test_the_page_says_what_the_planner_says(session):
    asked = {"class": "thresholds", "low": "0", "high": "2^16-1", "epsilon": "0.5", "alpha": "0.05"}
    best = plan(Thresholds(0, 2**16 - 1, direction="either"), epsilon=0.5, alpha=0.05).best
    assert told(plan_page(session, asked)) == [grouped(best.n), "≤ best + 5 %", best.privacy]


@pytest.mark.slow
def test_errors_have_weights_by_the_form_or_by_the_schema(session, tmp_path):
    asked = {"class": "thresholds", "low": "0", "high": "99", "class_weight": "1, 3"}
    best = plan(Thresholds(0, 99, direction="either"), class_weight=(1, 3)).best
    assert told(plan_page(session, asked))[:2] == [grouped(best.n), "≤ best + 30"]
    assert "“What errors cost” = 1, 9." in plan_page(session, asked | {"class_weight": "0, 3"})
    (tmp_path / "s.toml").write_text(SCHEMA.replace('["no", "yes"]', '["a", "b", "c"]\nweights = [1, 1, 9]'))
    declared = Session(8765, schemas={"s.toml": tmp_path / "s.toml"})
    page = plan_page(declared, {"schema": "s.toml", "class": "trees"})
    assert "≤ best + 90" in told(page) and 'name="class_weight"' not in page
    (tmp_path / "s.toml").write_text(SCHEMA.replace('["no", "yes"]', '["no", "yes"]\nweights = "balanced"'))
    page = plan_page(declared, {"schema": "s.toml", "class": "trees"})  # a plan reads no record, so nothing is balanced
    assert "≤ best + 10 %" in told(page) and 'name="class_weight"' in page


@pytest.mark.slow
def test_it_finds_the_smallest_epsilon(session):
    best = plan(Thresholds(0, 120, direction="either"), n=2000, alpha=0.1).best
    page = plan_page(session, {"find": "epsilon", "n": "2000", "alpha": "0.1"})
    assert told(page)[0] == f"ε = {best.epsilon:g}"
    assert 'name="epsilon"' not in page and 'name="n"' in page


def test_every_class_can_be_planned_as_it_is_offered(session):
    choice = next(each for each in class_fields(session, {}) if each.name == "class")
    assert set(FIRST_VALUES) <= set(choice.options)
    for name in choice.options:
        assert chosen_class(session, {"class": name}).concept_class is not None


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        ({"epsilon": "0"}, "epsilon", "“Privacy ε” must be positive."),
        ({"alpha": "2"}, "alpha", "“Error α” must lie strictly between 0 and 1."),
        ({"low": "9", "high": "1"}, "low", "“Least value” must not exceed “Largest value”."),
        ({"find": "error", "n": "many"}, "n", "“Records n” must be a whole number with at most 100 digits."),
        ({"find": "error", "n": "9" * 101}, "n", "“Records n” must be a whole number with at most 100 digits."),
        ({"class": "trees", "part": "delay thresholds 0"}, "part", "needs LOW and HIGH"),
        ({"class": "half-planes", "side": "x"}, "side", "whole number"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_in_the_words_of_the_page(session, asked, field, words):
    page = plan_page(session, asked)
    assert words.casefold() in re.search('id="refusal"[^>]*>(.*?)</p>', page)[1].casefold()
    if field:
        assert re.search(f'id="f-{field}" name="{field}" aria-invalid="true"', page)


def test_what_is_typed_is_escaped(session):
    page = plan_page(session, {"low": '"><script>alert(1)</script>', "epsilon": "<b>"})
    assert "<script>alert" not in page and "<b>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.slow
def test_a_schema_takes_the_place_of_bounds(declared):
    page = plan_page(declared, {"schema": "flights.toml", "class": "thresholds", "x": "dep_delay"})
    best = plan(Thresholds(-60, 1440, direction="either"), epsilon=1).best
    assert told(page)[0] == grouped(best.n)
    assert 'name="low"' not in page
    assert "do not read the column" in plan_page(
        declared, {"schema": "flights.toml", "class": "intervals", "x": "carrier"}
    )
    assert chosen_class(declared, {"schema": "flights.toml", "class": "trees"}).concept_class.domain.column_names


def test_another_schema_than_those_offered_is_refused(declared):
    with pytest.raises(ValueError, match="choose one of the schemas"):
        declared.schema("/etc/passwd")


def test_a_slider_walks_through_values_that_can_be_typed():
    html = ENVIRONMENT.get_template("macros.html").module.field(FormField("ε", "epsilon", "1", steps=["0.5", "1"]))
    assert 'data-steps="0.5,1"' in html and 'max="1"' in html


@over("name", list(in_shell()))
def test_each_class_is_explained_by_a_rule(session, name):
    """Whoever never heard of a class reads a rule of it; hints do not speak of other classes."""
    fields = {each.name: each for each in class_fields(session, {"class": name})}
    assert fields["class"].hint.startswith("A rule looks like this: ")
    assert "kind" not in fields or not fields["kind"].hint


def test_the_kind_and_the_side_of_a_threshold_are_chosen_from_lists(session):
    fields = {each.name: each for each in class_fields(session, {"class": "thresholds"})}
    assert list(fields["kind"].options) == ["", "integer", "float64", "decimal", "date", "datetime", "string"]
    assert list(fields["direction"].options) == ["", "above", "below"]
    for said in fields["direction"].options:
        given = {"class": "thresholds", "low": "0", "high": "9", "direction": said, "kind": "integer"}
        assert chosen_class(session, given).concept_class.size > 1


@pytest.mark.slow
def test_remarks_about_papers_are_folded_away_with_their_bounds(session):
    page = plan_page(session, {"class": "thresholds", "low": "0", "high": "120"})
    open_part, _, folded = page.partition("published bounds</summary>")
    assert "[ABMS20, Thm 6.1]: error" in folded and "only an order of magnitude" in folded
    assert "[ABMS20, Thm 6.1]: error" not in open_part
    trees = plan_page(session, {"class": "trees"})
    assert "the best tree with cuts on a public grid" in trees.partition("<details><summary>1 published")[0]
