"""Tables that commands read: those that come with the package, and those that are missing."""

import pytest

from privpac.cli.sources import display_name, example_names, schema_file, source
from tests.cli.printed import plain

CUT = ("--class", "thresholds", "--low=-60", "--high", "1440", "--x", "dep_delay")


@pytest.fixture
def run(tmp_path, monkeypatch, typed):
    """A command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    return typed


@pytest.mark.slow
def test_every_command_reads_the_examples(run, tmp_path):
    assert run("learn", "example:flights", *CUT, "--y", "late", "--out", "m.json", "--report", "r.html")[0] == 0
    assert "example:flights" in (tmp_path / "r.html").read_text("utf-8")  # what to type there works anywhere
    assert run("predict", "m.json", "example:flights", "--schema", "example:flights", "--out", "p.csv")[0] == 0
    assert run("count", "example:flights", "--by", "origin")[0] == 0
    assert run("release", "example:flights", *CUT)[0] == 0
    assert "All records fit." in run("schema", "check", "example:flights", "--schema", "example:flights")[1]
    assert run("schema", "init", "example:flights")[1].startswith("# A schema of example:flights")
    assert "dep_delay" in run("plan", "--schema", "example:flights")[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("learn", "example:fligths"), "there is no example:fligths; did you mean 'example:flights'?"),
        (("learn", "example:"), "there is no example:; choose one of example:airports, example:flights, "),
        (("learn", "examples/flights.csv"), "there is no file examples/flights.csv; for the table that comes with"),
        (("learn", "flights.csv"), "with privpac, type example:flights"),
        (("learn", "flights"), "with privpac, type example:flights"),
        (("count", "visits.csv", "--by", "a"), "there is no file visits.csv; give the path of a CSV, Parquet,"),
        (("predict", "m.json", "visits.csv"), "there is no file visits.csv; give the path"),
        (("schema", "init", "visits-*.csv"), "there is no file visits-*.csv; give the path"),
        (("explore", "flights.csv"), "with privpac, type example:flights"),
        (("plan", "--schema", "example:planes"), "there is no example:planes; choose one of example:flights"),
        (
            ("plan", "--schema", "s.toml"),
            "there is no schema s.toml; check the path, or begin one with `privpac schema",
        ),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(run, words, told):
    code, out, err = run(*words)
    assert (code, out) == (2, "") and told in plain(err)
    assert err.startswith("error: ") and len(err.splitlines()) == 1


def test_a_file_with_a_name_like_it_is_named(run, tmp_path):
    (tmp_path / "loans.csv").touch()
    assert run("count", "loan.csv", "--by", "a")[2] == "error: there is no file loan.csv; did you mean 'loans.csv'?\n"


def test_a_file_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example:flights").touch()
    assert source("example:flights") == "example:flights"


def test_every_example_has_a_path_and_its_name_again():
    for name in example_names():
        assert display_name(source(f"example:{name}")) == f"example:{name}"
    assert [schema_file(None), source(None), source("postgres://host/db")] == [None, None, "postgres://host/db"]


GERMAN = """\
separator = ";"
encoding = "latin-1"
decimal_comma = true

[label]
column = "Kosten"
at_least = 5000.5

[columns."Größe"]
kind = "decimal"
low = 0.0
high = 300.0

[columns.Tag]
kind = "date"
format = "%d.%m.%Y"
low = 2026-01-01
high = 2026-12-31
"""


@pytest.fixture
def german(run, tmp_path):
    lines = ["Größe;Tag;Kosten", *(f"{i % 200},5;{1 + i % 28}.02.2026;{1 + i % 9}.{i % 200:03},00" for i in range(600))]
    (tmp_path / "fälle.csv").write_bytes("\n".join(lines).encode("latin-1"))
    (tmp_path / "schema.toml").write_text(GERMAN, "utf-8")
    return run


@pytest.mark.slow
def test_files_are_spelled_as_a_schema_or_options_say(german, tmp_path):
    code, out, _ = german("learn", "fälle.csv", "--schema", "schema.toml", "--out", "m.json")
    assert code == 0 and "rule:    Kosten ≥ 5000.5 = yes" in out
    assert "All records fit." in german("schema", "check", "fälle.csv")[1]
    assert german("predict", "m.json", "fälle.csv", "--schema", "schema.toml", "--out", "p.csv")[0] == 0
    first = (tmp_path / "p.csv").read_text("utf-8").splitlines()[:2]
    assert first[0] == "Größe,Tag,Kosten,predicted Kosten ≥ 5000.5" and first[1].startswith("0.5,2026-02-01,1000.00,")
    spelled = "--separator", ";", "--encoding", "latin-1"
    cut = "--class", "thresholds", "--x", "Größe", "--low", "0.0", "--high", "300.0", "--decimal-comma"
    release = german("release", "fälle.csv", *cut, *spelled)
    assert release[0] == 0, release
    assert german("count", "fälle.csv", "--by", "Tag", "--delta", "1e-6", *spelled)[0] == 0
    begun = german("schema", "init", "fälle.csv", "--decimal-comma", *spelled)[1]
    assert 'separator = ";"\nencoding = "latin-1"\ndecimal_comma = true\n' in begun
    assert german("release", "fälle.csv", "--schema", "schema.toml")[0] == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--class", "thresholds", "--x", "a", "--y", "b", "--low", "0", "--high", "9"), "cells: --separator ';'"),
        (("--schema", "schema.toml", "--separator", ";"), "--separator is declared by the schema; leave it out"),
        (("--schema", "schema.toml", "--encoding", "utf-8"), "--encoding is declared by the schema; leave it out"),
        (("--schema", "schema.toml", "--decimal-comma"), "--decimal-comma is declared by the schema; leave it out"),
        (("--class", "root-paths", "--separator", ";", "--x", "a", "--y", "b"), 'cells: separator = ";" in a schema'),
        (("--class", "points", "--separator", "ab", "--x", "a", "--y", "b"), "--separator must be one sign"),
        (("--class", "points", "--encoding", "utf-16", "--x", "a", "--y", "b"), "--encoding must be one of utf-8,"),
    ],
)
def test_what_is_wrong_about_the_spelling_is_said(german, words, told):
    code, _, err = german("learn", "fälle.csv", *words)
    assert code == 2 and told in plain(err)
