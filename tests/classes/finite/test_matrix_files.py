"""Explicit classes in CSV and JSON."""

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.finite.matrix_files import read_json, read_table, write_json


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "class.csv"
    path.write_bytes(text.encode(encoding))
    return path


def parts(path):
    return read_table(path.read_bytes().decode("utf-8-sig"), str(path))


@pytest.mark.parametrize(
    ("text", "points", "concepts"),
    [
        ("a,b\n0,1\n1,1\n", ["a", "b"], None),
        ("concept,a,b\nlate,0,1\nearly,1,1\n", ["a", "b"], ["late", "early"]),
        (",a,b\nlate,0,1\nearly,1,1\n", ["a", "b"], ["late", "early"]),
        ("0,1\n1,1\n", None, None),
        ("false,TRUE\ntrue,true\n", None, None),
        (" a , b \r\n false ,TRUE\r\n\r\n1,True", ["a", "b"], None),
        ('\ufeff"a","é, b"\n0,1\n1,1\n', ["a", "é, b"], None),
    ],
)
def test_tables_are_read(tmp_path, text, points, concepts):
    matrix, found_points, found_concepts = parts(written(tmp_path, text))
    assert matrix.tolist() == [[False, True], [True, True]]
    assert (found_points, found_concepts) == (points, concepts)


def test_a_header_alone_is_an_empty_class(tmp_path):
    assert parts(written(tmp_path, "a,b\n"))[0].shape == (0, 2)
    assert parts(written(tmp_path, "concept,a,b\n"))[0].shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "is empty"),
        ("\n  \n", "is empty"),
        ("a,b\n0\n", "differ in length"),
        ("a,b\n0,1,1\n", "differ in length"),
        ("a,b\n0,2\n", "neither 0/1 nor false/true, first '2' in the labels of concept 1"),
        ("a,b\n0,\n", "neither 0/1 nor false/true"),
        ("name,a\nlate,0\n", "give a column of names the heading concept"),
        ("a;b\n0;1\n", "neither 0/1 nor false/true"),
        ("a,a\n0,1\n", "distinct names"),
        ('a,"b\n0,1\n', "not a CSV file"),
        ("a,b\n0," + "1" * 200_000, "not a CSV file"),
        ("concept,a\nlate,0\nlate,1\n", "distinct names"),
        ("concept\nlate\n", "at least one point"),
    ],
)
def test_what_is_no_class_is_refused(tmp_path, text, match):
    with pytest.raises(ValueError, match=match):
        ExplicitClass.from_csv(written(tmp_path, text))


def test_json_round_trip():
    matrix, points, concepts = np.array([[False, True], [True, True]]), [("a", 1), "é"], [2**70, "c"]
    back = read_json(write_json(matrix, points, concepts))
    assert (back[0] == matrix).all()
    assert back[1:] == (points, concepts)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not JSON"),
        ("[]", "not a concept class"),
        ('{"points": ["a"], "concepts": []}', "not a concept class"),
        ('{"points": ["a"], "concepts": ["c"], "matrix": ["01"]}', "a 0 or 1 for each point"),
        ('{"points": ["a"], "concepts": ["c"], "matrix": ["x"]}', "neither 0/1"),
        ('{"points": ["a"], "concepts": ["c"], "matrix": [[1]]}', "strings of 0 and 1"),
        ('{"points": 3, "concepts": ["c"], "matrix": ["1"]}', "lists"),
        ('{"points": [["a"]], "concepts": ["c"], "matrix": ["1"]}', "does not hold"),
    ],
)
def test_foreign_json_is_refused(text, match):
    with pytest.raises(ValueError, match=match):
        read_json(text)
