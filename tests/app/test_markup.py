"""Templates: every text is escaped once, a missing value is an error, and nothing that people type is markup."""

import ast
import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from jinja2.meta import find_referenced_templates

import privpac.app
from privpac.app.forms import FormField
from privpac.app.markup import ENVIRONMENT, render, whole

FOLDER = Path(privpac.app.__file__).parent
ODD = "<i>&\"'</i>"
ESCAPED = "&lt;i&gt;&amp;&#34;&#39;&lt;/i&gt;"


def macros(name: str):
    return ENVIRONMENT.get_template(name).module


@pytest.mark.parametrize(
    "field",
    [
        FormField(ODD, "a", ODD, ODD),
        FormField(ODD, "a", ODD, ODD, {ODD: ODD}),
        FormField(ODD, "a", ODD, ODD, lines=3),
        FormField(ODD, "a", ODD, ODD, steps=[ODD]),
        FormField(ODD, "a", ODD, ODD, flag=True),
        FormField(ODD, "a", ODD, fixed=True),
        FormField(ODD, "a", ODD, ODD, rare=True),
    ],
    ids=["text", "options", "lines", "steps", "flag", "fixed", "rare"],
)
@pytest.mark.parametrize("wrong", [None, "a"])
def test_a_field_escapes_its_texts_once(field, wrong):
    html = macros("macros.html").form_fields([field], wrong)
    assert ESCAPED in html and ODD not in html and "&amp;lt;" not in html
    assert ('aria-invalid="true"' in html) == (wrong == "a" and not field.fixed)


def test_facts_tables_and_warnings_escape_their_texts_once():
    made = macros("macros.html")
    for html, count in (
        (made.facts([(ODD, ODD, ODD)]), 3),
        (made.table([ODD], [[ODD]], ODD), 4),
        (made.warning(ODD), 1),
        (made.hidden_fields({ODD: ODD}), 2),
        (made.figure(whole(ODD), ODD), 2),
        (whole(ODD), 1),
    ):
        assert html.count(ESCAPED) == count and ODD not in html and "&amp;lt;" not in html


def test_a_value_that_is_missing_is_an_error():
    with pytest.raises(UndefinedError):
        render("message.html", title="A")


def test_no_template_marks_anything_safe_and_every_template_is_used():
    paths = {path.relative_to(FOLDER / "templates").as_posix(): path for path in FOLDER.rglob("templates/**/*.html")}
    sources = {name: path.read_text("utf-8") for name, path in paths.items()}
    assert [name for name, text in sources.items() if re.search(r"\|\s*safe|autoescape|Markup", text)] == []
    inside = {each for text in sources.values() for each in find_referenced_templates(ENVIRONMENT.parse(text))}
    code = "".join(path.read_text("utf-8") for path in FOLDER.rglob("*.py"))
    assert sources and {*sources} <= inside | set(re.findall(r'"([\w/]+\.html)"', code))


def test_python_holds_no_markup():
    """One function makes a mark, around numbers; all other elements are in templates."""
    found = set()
    for path in FOLDER.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {(path.name, tag) for tag in re.findall(r"</(\w+)>", node.value)}
    assert found == {("markup.py", "span"), ("markup.py", "style"), ("markup.py", "h1")}


def test_markup_is_made_in_one_file():
    made = [path.name for path in FOLDER.rglob("*.py") if "Markup(" in path.read_text("utf-8")]
    assert made == ["markup.py"]
