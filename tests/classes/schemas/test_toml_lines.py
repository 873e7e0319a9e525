"""TOML with line numbers: every key is found where it is written, whatever surrounds it."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.classes.schemas.toml_lines import Toml, section_title, statements, toml_key
from privpac.refusals.refusal import Refused

TEXT = '''\
# a comment with [columns.fake]
[label]
column = "late"  # and = here

[columns]
age = {kind = "integer", low = 0}
[columns.icd]
values = [  # ] this does not close it
  "A",
  "[columns.fake]",
  """
low = 9
""",
]
description = """
[columns.fake]
low = 3
"""
height = 7
[columns."blood pressure"]
kind = "integer"
[columns.'a.b']
low.high = 3
'''
LINES = {
    ("label",): 2,
    ("label", "column"): 3,
    ("columns", "age"): 6,
    ("columns", "age", "low"): 6,
    ("columns", "icd"): 7,
    ("columns", "icd", "values"): 8,
    ("columns", "icd", "description"): 15,
    ("columns", "icd", "height"): 19,
    ("columns", "blood pressure", "kind"): 21,
    ("columns", "a.b", "low", "high"): 23,
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_key_is_found_on_its_line(ends):
    text = Toml(TEXT.replace("\n", ends))
    assert {path: text.line(path) for path in LINES} == LINES


def test_a_key_that_is_not_written_is_in_its_table():
    text = Toml(TEXT)
    assert text.line(("columns", "icd", "separator")) == 7
    assert text.line(("columns", "fake")) == 5
    assert text.line(("unit",)) == 1
    assert Toml("\n[columns.age]\nlow = 0\n").line(("columns",)) == 2  # the table is only written around others


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\nb = \n", 2, "this is not TOML"),
        ("a = 1\na = 2\n", 2, "this key is set twice"),
        ("[a]\n[b]\n[a]\n", 3, "this table is declared twice"),
        ("[a]\nb = [1,\n\n", 2, "this is not TOML"),
        ("[columns.Age in years]\n", 1, r'this name needs quotes: \[columns."Age in years"\]'),
        ("a = 1\n[columns.Größe] # in cm\n", 2, r'this name needs quotes: \[columns."Größe"\]'),
        ("[columns.age]\n[columns.age]\n", 2, "this table is declared twice"),
        ("a = " + "9" * 5000, 1, "too long"),
        ("a = " + "[" * 5000 + "]" * 5000, 1, "too deep"),
    ],
)
def test_wrong_toml_is_one_sentence_with_a_line(text, line, words):
    with pytest.raises(Refused, match=rf"^s\.toml, line {line}: [^\n]*{words}[^\n]*$"):
        _ = Toml(text, "s.toml").plain


def test_a_refusal_inside_a_table_says_where():
    text = Toml("[columns.age]\nkind = 3\nlow = 0\n")
    with (
        pytest.raises(Refused, match=re.escape("line 3: in [columns.age], low must be small")),
        text.about("columns", "age"),
    ):
        raise Refused.must("low", "be small")


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.mark.slow
@given(st.dictionaries(NAMES, NAMES, min_size=1, max_size=5))
def test_every_name_can_be_a_key(names):
    text = "".join(f"{section_title('columns', name)}\n{toml_key(name)} = 1\n" for name in names)
    assert tomllib.loads(text) == {"columns": {name: {name: 1} for name in names}}
    found = Toml(text)
    assert [found.line(("columns", name, name)) for name in names] == [2 * i + 2 for i in range(len(names))]


def test_statements_together_are_the_text():
    together = [line for _, text in statements(TEXT) for line in text.split("\n")]
    assert together == [line for line in TEXT.split("\n") if line and not line.startswith("#")]
