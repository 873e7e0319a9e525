"""Tables that commands read: those that come with the package, and those that are missing."""

import pytest

from privpac.cli.sources import example_names, known_as, schema_file, source
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
        assert known_as(source(f"example:{name}")) == f"example:{name}"
    assert [schema_file(None), source(None), source("postgres://host/db")] == [None, None, "postgres://host/db"]
