"""Tasks of commands: options and a schema that say the same thing twice are refused, and either is enough."""

import pytest

from privpac.cli.class_options import ClassOptions
from privpac.cli.schema_options import page_names, task_of
from privpac.refusals.refusal import Refused

SCHEMA = """title = "Late flights"
[label]
column = "late"
classes = ["no", "yes"]
[columns.delay]
kind = "integer"
low = 0
high = 99
"""


@pytest.fixture
def schema(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(SCHEMA, "utf-8")
    return path


def task(file, **said):
    return task_of(
        ClassOptions(None, {}), file, None, **{"y": None, "classes": None, "unit": None, "max_records": None} | said
    )


def test_a_schema_is_enough(schema):
    found = task(schema)
    assert (found.y, found.classes, found.columns) == ("late", ("no", "yes"), "delay")
    names = page_names(found.schema, "sqlite:///budget.db#clinic", title="", purpose="a check")
    assert (names.title, names.about) == ("Late flights", {"Purpose": "a check", "Account": "clinic"})


@pytest.mark.parametrize("said", [{"y": "late"}, {"classes": ("no", "yes")}])
def test_an_option_that_repeats_the_schema_is_refused(schema, said):
    with pytest.raises(Refused) as refusal:
        task(schema, **said)
    assert refusal.value.parameter == next(iter(said))


def test_a_name_that_the_schema_gives_is_not_given_again(schema):
    with pytest.raises(Refused) as refusal:
        page_names(task(schema).schema, title="Other flights")
    assert refusal.value.parameter == "title"


def test_a_schema_without_labels_needs_them(schema):
    schema.write_text(SCHEMA.partition("[label]")[0] + "[columns" + SCHEMA.partition("[columns")[2], "utf-8")
    with pytest.raises(Refused) as refusal:
        task(schema)
    assert refusal.value.parameter == "y" and "[label]" in str(refusal.value)
    assert task(schema, y="late").classes == (0, 1)
