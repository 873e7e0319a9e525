"""``privpac dimension``: tables, witnesses, JSON, pictures, refusals."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.cli.commands.dimension import WHAT

THRESHOLDS = "concept,a,b,c\nnever,0,0,0\nc,0,0,1\nb,0,1,1\nalways,1,1,1\n"


@pytest.fixture
def run(tmp_path, monkeypatch, typed):
    """The command on a file with the given text: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(text, *arguments, name="class.csv"):
        if text is not None:
            (tmp_path / name).write_text(text, encoding="utf-8")
        return typed("dimension", name, *arguments)

    return run


def values(out):
    return {row["dimension"]: row["value"] for row in json.loads(out)}


def test_all_dimensions(run):
    code, out, err = run(THRESHOLDS, "--json")
    assert (code, err) == (0, "")
    assert values(out) == {
        "vc": 1, "littlestone": 2, "threshold": 3, "dual-vc": 1, "dual-littlestone": 1, "dual-threshold": 3,
        "irreducibility": 0,
    }  # fmt: skip
    assert tuple(values(out)) == WHAT


def test_a_table_has_a_line_for_each(run):
    code, out, _ = run(THRESHOLDS, "--what", "vc, littlestone")
    assert code == 0
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert lines[0].split() == ["dimension", "value", "at", "least", "at", "most", "seconds", "because"]
    assert [line.split()[:4] for line in lines[1:]] == [["vc", "1", "1", "1"], ["littlestone", "2", "2", "2"]]


def test_witnesses_are_printed(run):
    out = run(THRESHOLDS, "--witness", "--what", "littlestone,threshold")[1]
    assert "littlestone: a tree of points, level by level: b | " in out
    assert "threshold: points " in out


def test_witnesses_in_json_can_be_checked(run):
    (row,) = json.loads(run(THRESHOLDS, "--witness", "--what", "threshold", "--json")[1])
    c = ExplicitClass.from_csv("class.csv")
    labels = np.array([c[name][c.columns(row["witness"]["points"])] for name in row["witness"]["concepts"]])
    assert (labels == np.triu(np.ones((3, 3)))).all()


def test_the_proof_of_irreducibility_is_whole(run):
    (row,) = json.loads(run(THRESHOLDS, "--witness", "--what", "irreducibility", "--json")[1])
    assert row["witness"] == {"points": ["a"], "labels": [False], "dimension": 2}


def test_binary_files_are_refused(run, tmp_path):
    (tmp_path / "class.csv").write_bytes(b"\xff\xfe\x00")
    code, _, err = run(None)
    assert (code, err) == (2, "error: class.csv is not UTF-8 text; save it as UTF-8\n")


def test_json_files_are_read(run):
    text = "\ufeff" + ExplicitClass([[0, 1], [1, 1]]).to_json()
    assert values(run(text, "--json", "--what", "vc", name="class.json")[1]) == {"vc": 1}


def test_the_empty_class(run):
    assert values(run("a,b\n", "--json")[1]) == {"vc": -1, "littlestone": -1, "threshold": 0}


def test_one_concept_is_irreducible_for_ever(run):
    assert values(run("a,b\n0,1\n", "--json", "--what", "irreducibility")[1]) == {"irreducibility": "∞"}


@pytest.mark.slow
def test_a_time_limit_gives_bounds(run):
    rng = np.random.default_rng(0)
    text = "\n".join(",".join(map(str, row)) for row in (rng.random((400, 60)) < 0.5).astype(int).tolist())
    (row,) = json.loads(run(text, "--json", "--what", "vc", "--time-limit", "0")[1])
    assert row["value"] is None
    assert row["at least"] < row["at most"]
    assert "time limit" in row["because"]


def test_pictures(run):
    assert run(THRESHOLDS, "--what", "vc", "--mistake-tree", "m.svg", "--tree-order", "t.svg")[0] == 0
    for name in ("m.svg", "t.svg"):
        assert ET.parse(name).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        ("a,b\n0\n", (), "differ in length"),
        ("a,b\n0,2\n", (), "neither 0/1 nor false/true"),
        ("", (), "is empty"),
        (THRESHOLDS, ("--what", "vc,size"), "there is no dimension 'size'"),
        ("a,b\n0,0\n0,1\n1,0\n1,1\n", ("--tree-order", "t.svg"), "VC dimension 2"),
        ("a,b\n", ("--what", "dual-vc"), "no dual"),
        (None, (), "cannot be used: No such file or directory; check the path"),
        (THRESHOLDS, ("--what", ""), "there is no dimension ''"),
        (THRESHOLDS, ("--mistake-tree", "nowhere/tree.svg"), "cannot be written"),
        (THRESHOLDS, ("--tree-order", "."), "cannot be written"),
    ],
)
def test_refusals_are_one_sentence(run, text, arguments, sentence):
    code, _, err = run(text, *arguments)
    assert code == 2
    assert err.startswith("error: ")
    assert sentence in err
    assert "Traceback" not in err
