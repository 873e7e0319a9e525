"""Explicit classes and taxonomies that are pasted: they are planned and learned as everywhere else."""

import json

import pyarrow
import pyarrow.parquet
import pytest

from privpac.app.pages.class_form import LONGEST_TEXT, chosen_class, class_fields
from privpac.app.pages.plan import plan_page
from privpac.app.pages.table_editor import TypedTable, after_click
from privpac.app.session import NamedTable, Session
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.data.open_table import open_table
from privpac.learners.model import Model
from privpac.planning.planner import plan
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.report.numbers import grouped
from tests.app.conftest import released, spent
from tests.app.pages.test_plan import told

NAMED = "J10,J11,K20\n1,1,0\n0,0,1"
TREE = "name,parent\nJ10,J\nJ11,J\nK20,K\nJ,ICD\nK,ICD"
PARENTS = {"J10": "J", "J11": "J", "K20": "K", "J": "ICD", "K": "ICD"}
CODES = {"code": ["J10", "J11", "K20"] * 1000, "late": [1, 1, 0] * 1000, "zip": [10, 11, 20] * 1000}


@pytest.mark.parametrize(
    ("text", "points", "concepts", "rows"),
    [
        ("01\r\n1 1\n", ("x1", "x2"), ("c1", "c2"), ("01", "11")),
        ("0,1\n1,1", ("x1", "x2"), ("c1", "c2"), ("01", "11")),
        (NAMED, ("J10", "J11", "K20"), ("c1", "c2"), ("110", "001")),
        ("concept,a,b\nfirst,0,1", ("a", "b"), ("first",), ("01",)),
        ('{"points": ["a", "b"], "concepts": ["c"], "matrix": ["01"]}', ("a", "b"), ("c",), ("01",)),
        ('"a,b",c\nfalse,true', ("a,b", "c"), ("c1",), ("01",)),
        ('{"points": ["0", "1"], "concepts": [], "matrix": ["01"]}', ("0", "1"), ("c1",), ("01",)),
        ('{"points": ["concept", " b"], "concepts": [], "matrix": ["01"]}', ("concept", " b"), ("c1",), ("01",)),
    ],
)
def test_a_table_is_read_in_every_form_and_written_so_that_it_is_read_again(text, points, concepts, rows):
    table = TypedTable.read(text)
    assert (table.points, table.concepts, table.rows) == (points, concepts, rows)
    assert TypedTable.read(table.text) == table


@pytest.mark.parametrize(
    "text",
    ["", "abc", "01\n1", "a,b\n0", "a,b\n0,2", "a,b", "{", '{"points": []}', "a,a\n0,1", '"a,b\n0,1', "{" * 9999],
)
def test_anything_else_is_refused_at_the_field(text):
    with pytest.raises(Refused) as caught:
        TypedTable.read(text, "matrix").concept_class("matrix")
    assert caught.value.parameter == "matrix"


def test_the_last_point_keeps_its_name():
    text = after_click(after_click(NAMED, "drop point"), "drop point")
    assert (TypedTable.read(text).points, TypedTable.read(text).rows) == (("J10",), ("1", "0"))
    assert after_click(text, "drop point") == text


@pytest.mark.parametrize("drawn", [f"{'9' * 5000}.0", f"0.{'9' * 5000}", "٣.0", "99.0"])
def test_a_cell_that_is_not_there_changes_nothing(drawn):
    assert after_click(NAMED, drawn) == NAMED


def test_a_table_with_names_is_drawn():
    assert after_click(NAMED, "1.0") == "J10,J11,K20\n1,1,0\n1,0,1"
    named = "concept,x2,b\nc1,0,1"
    assert after_click(named, "add line") == "concept,x2,b\nc1,0,1\nc2,0,0"
    assert after_click(named, "add point") == "concept,x2,b,x3\nc1,0,1,0"
    assert after_click(named, "drop point") == "concept,x2\nc1,0"
    assert after_click(named, "drop line") == named and after_click("nothing", "0.0") == "nothing"
    for wild in ("9.0", "0.9", "0.0.0", "-1.0", "²..", "drop all"):
        assert after_click(named, wild) == named


def test_names_in_a_table_are_escaped_and_a_large_table_is_not_drawn(session):
    asked = {"class": "explicit", "matrix": 'concept,""""\n<b>,1'}
    assert "&lt;b&gt; on &#34;: 1" in plan_page(session, asked)
    assert "are drawn here" in plan_page(session, asked | {"matrix": "0" * 13})


@pytest.fixture
def session():
    return Session(8765)


@pytest.mark.slow
def test_both_classes_are_planned_as_the_planner_plans_them(session):
    H, T = ExplicitClass([[1, 1, 0], [0, 0, 1]], points=["J10", "J11", "K20"]), Taxonomy(PARENTS, "subtree")
    asked = {"class": "explicit", "matrix": NAMED}
    page = plan_page(session, asked)
    assert told(page)[0] == grouped(plan(H, epsilon=1).best.n) and 'aria-label="c1 on K20: 0"' in page
    assert "J10,J11,K20\n1,1,1" in plan_page(session, asked | {"draw": "0.2"})
    for text in (TREE, json.dumps(PARENTS), json.dumps(PARENTS | {"ICD": None})):
        page = plan_page(session, {"class": "taxonomy", "parents": text, "kind": "subtree"})
        assert told(page)[0] == grouped(plan(T, epsilon=1).best.n)


def test_another_class_afterwards_does_not_inherit_the_kind_of_rules(session):
    page = plan_page(session, {"class": "thresholds", "kind": "subtree"})
    assert 'role="alert"' not in page
    kind = next(each for each in class_fields(session, {"class": "taxonomy", "kind": "date"}) if each.name == "kind")
    assert kind.value == "root_path"


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        ({"class": "explicit", "matrix": "01\n0"}, "matrix", "“Concepts, a line each” has lines of different lengths"),
        ({"class": "taxonomy", "parents": "a,b\nb,a\nc,"}, "parents", "cycle"),
        ({"class": "taxonomy", "parents": "a,b\nc,d"}, "parents", "exactly one root"),
        ({"class": "taxonomy", "parents": "a,b,c"}, "parents", "two cells"),
        ({"class": "taxonomy", "parents": '{"a": ["b"]}'}, "parents", "as text"),
        ({"class": "taxonomy", "parents": "{" * 9999}, "parents", "not JSON"),
        ({"class": "taxonomy", "parents": "a" * LONGEST_TEXT + ",b"}, "parents", "--class taxonomy --parents FILE"),
        ({"class": "explicit", "matrix": "0" * LONGEST_TEXT + "1"}, "matrix", "--class explicit --matrix FILE"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_what_is_wrong_is_said_at_its_field(session, asked, field, words):
    page = plan_page(session, asked)
    assert words in page and f'id="f-{field}" name="{field}" aria-invalid="true"' in page


@pytest.mark.audit
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("x", "named"), [("code", str), ("zip", lambda name: {"J10": 10, "J11": 11, "K20": 20}[name])])
def test_both_are_learned_from_text_and_from_whole_numbers(started, folder, kind, x, named):
    place = folder / f"codes.{kind}"
    table = pyarrow.table(CODES)
    if kind == "csv":
        table.to_pandas().to_csv(place, index=False)
    else:
        pyarrow.parquet.write_table(table, place)
    browser = started(spends=True, data={"t1": NamedTable(str(place))}).enter()
    asked = {"source": "t1", "x": x, "y": "late", "epsilon": "1", "account": "clinic", "report_error": ""}
    below = {
        "class": "taxonomy",
        "kind": "subtree",
        "parents": f"{named('J10')},J\n{named('J11')},J\n{named('K20')},K\nJ,I\nK,I",
    }
    matrix = {"class": "explicit", "matrix": f"{named('J10')},{named('J11')},{named('K20')}\r\n1,1,0\r\n0,0,1"}
    for each in (matrix, below):
        form = browser.get("/learn", asked | each).hidden()
        form |= {name: text.replace("\r", "").replace("\n", "\r\n") for name, text in form.items()}  # as browsers do
        shown = released(browser.post("/learn/spend", form))
        model = Model.from_json(browser.get(shown.replace("released", "model.json")).text)
        assert list(model.predict(open_table(str(place)))) == CODES["late"]
    assert spent(folder).epsilon == Budget(2).epsilon


def test_a_taxonomy_is_the_class_that_it_says(session):
    found = chosen_class(session, {"class": "taxonomy", "parents": TREE, "kind": "subtree"}).concept_class
    assert found == Taxonomy(PARENTS, "subtree")


@pytest.mark.parametrize("parents", ["", " \n", "{}", "{ }"])
def test_a_taxonomy_without_names_is_refused_in_words_of_the_page(parents):
    page = plan_page(Session(1), {"class": "taxonomy", "parents": parents})
    assert "“Names, a line each” needs a line for each name and the one above it" in page


def test_a_name_with_two_parents_is_refused_in_json_as_well():
    with pytest.raises(Refused, match="exactly one parent"):
        chosen_class(Session(1), {"class": "taxonomy", "parents": '{"a": "b", "c": "b", "a": "c"}'})


def test_the_column_of_the_class_that_was_chosen_before_is_not_refused():
    given = {"x": "delay", "class": "and", "part": "delay thresholds 0 120\ncarrier points AA,DL"}
    assert chosen_class(Session(1), given).x is None
    assert chosen_class(Session(1), {"x": "delay", "class": "equalities", "columns": "a,b", "at_most": "1"}).x is None
