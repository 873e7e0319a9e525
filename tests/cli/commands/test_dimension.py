"""``privpac dimension``: tables, witnesses, JSON, pictures, refusals."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from privpac import dimensions
from privpac.classes.finite.explicit import ExplicitClass
from privpac.cli.commands.dimension import DIMENSIONS

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
    assert tuple(values(out)) == DIMENSIONS


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


def composed(run, tmp_path, gate, *texts):
    """The upper bounds of a composition of classes in files."""
    names = [f"part{i}.csv" for i in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, out, _ = run(None, *names[1:], "--compose", gate, "--json", name=names[0])
    assert code == 0
    return {row["dimension"]: row["at most"] for row in json.loads(out)}


@pytest.mark.parametrize("gate", ["and", "or", "xor", "union"])
def test_the_bounds_of_compositions_hold(run, tmp_path, gate):
    """Random parts on four points: the class itself never exceeds its bounds, and sometimes the larger part."""
    rng, exceeded = np.random.default_rng(5), False
    for _ in range(6):
        parts = [ExplicitClass.random(4, 4, rng) for _ in range(2)]
        texts = ["\n".join(",".join(str(int(y)) for y in row) for row in p.matrix_on(p.all_points)) for p in parts]
        bounds = composed(run, tmp_path, gate, *texts)
        first, second = parts
        whole = first.union(second) if gate == "union" else first.compose(gate, second)
        for name, most in bounds.items():
            measure = getattr(dimensions, f"{name}_dimension")
            value = measure(whole).value
            assert value <= most
            exceeded = exceeded or value > max(measure(part).value for part in parts)
    assert exceeded


def test_a_composition_of_several_parts(run, tmp_path):
    code, out, _ = run(THRESHOLDS, "class.csv", "class.csv", "--compose", "majority")
    assert code == 0
    head, *rows = out.splitlines()
    assert "class.csv (3)" in head
    assert [row.split()[0] for row in rows if not row.startswith(" ")] == ["vc", "littlestone", "threshold"]
    assert composed(run, tmp_path, "union", THRESHOLDS, THRESHOLDS) == {"vc": 3, "littlestone": 3, "threshold": 6}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--compose", "nand"), "say how the files are combined: --compose and|or|xor|majority|union"),
        (("class.csv",), "say how the files are combined: --compose"),
        (("--compose", "and"), "two or more parts"),
        (
            ("class.csv", "--compose", "and", "--mistake-tree", "t.svg"),
            "bounds have no picture; leave out --mistake-tree",
        ),
        (("absent.csv", "--compose", "and"), "absent.csv"),
    ],
)
def test_what_cannot_be_composed(run, words, sentence):
    code, out, err = run(THRESHOLDS, *words)
    assert (code, out) == (2, "")
    assert sentence in err
