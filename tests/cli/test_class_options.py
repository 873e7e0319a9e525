"""Classes named on the command line."""

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, get_type_hints

import pytest
import typer

from privpac import classes
from privpac.classes.shell_options import in_shell, options_of
from privpac.cli.class_options import ClassOptions, names_a_class
from privpac.cli.class_options import options as known_options
from privpac.cli.spelling import for_the_shell
from privpac.refusals.refusal import Refused


def build(name, **options):
    return ClassOptions(name, options).build()


def either(*bounds, **given):
    """In a shell, the direction is not known unless it is said."""
    return classes.Thresholds(*bounds, direction="either", **given)


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("thresholds", {"low": "0", "high": "9", "direction": "above"}, classes.Thresholds(0, 9, direction="above")),
        ("thresholds", {"low": "0", "high": "150", "step": "0.1"}, either(0, 150, step=0.1)),
        ("thresholds", {"low": "0.0", "high": "150", "step": "finest"}, either(0.0, 150.0, step="finest")),
        ("intervals", {"low": "0", "high": "150", "step": "5"}, classes.Intervals(0, 150, step=5)),
        (
            "thresholds",
            {"kind": "datetime", "step": "15m", "zone": "Europe/Berlin"},
            either(kind="datetime", step=timedelta(minutes=15), zone="Europe/Berlin"),
        ),
        ("thresholds", {"low": "0", "high": "2^64-1"}, either(0, 2**64 - 1)),
        ("thresholds", {"low": "-5", "high": "9.5"}, either(-5.0, 9.5)),
        ("thresholds", {"low": "0", "high": "9", "direction": "below"}, classes.Thresholds(0, 9, direction="below")),
        ("thresholds", {"low": "0.0", "high": "9.99", "kind": "decimal"}, either(0, Decimal("9.99"))),
        ("thresholds", {"kind": "float64"}, either(kind="float64")),
        ("thresholds", {"low": "2020-01-01", "kind": "date"}, either(date(2020, 1, 1), kind="date")),
        ("thresholds", {"low": "A00", "high": "Z99"}, either("A00", "Z99")),
        (
            "intervals",
            {"low": "2020-01-01", "high": "2020-01-02"},
            classes.Intervals(date(2020, 1, 1), date(2020, 1, 2)),
        ),
        ("points", {}, classes.Points()),
        ("points", {"size": "2^64"}, classes.Points(2**64)),
        ("root-paths", {"height": 32}, classes.RootPaths("/", 32)),
        ("root-paths", {"separator": ""}, classes.RootPaths(None)),
        ("starts-with", {"height": 7}, classes.StartsWith(None, 7)),
        ("starts-with", {"separator": "."}, classes.StartsWith(".")),
        ("ends-with", {"height": 6}, classes.EndsWith(None, 6)),
        ("spider", {"bits": 64}, classes.Spider(64)),
        ("half-planes", {"side": "2^10"}, classes.HalfPlanes(1024)),
        ("central-half-planes", {"low": "-9", "high": "9"}, classes.CentralHalfPlanes(-9, 9)),
        ("central-half-planes", {"low": "0", "high": "9", "center": "4,5"}, classes.CentralHalfPlanes(0, 9, (4, 5))),
        ("half-spaces", {"dim": 3, "side": "5"}, classes.HalfSpaces(3, 5)),
        ("half-spaces", {"dim": 30, "side": "5", "margin": 0.2}, classes.HalfSpaces(30, 5, margin=0.2)),
        ("rectangles", {"low": "0", "high": "99", "dim": 2}, classes.Rectangles(0, 99, 2)),
    ],
)
def test_a_class_by_its_name(name, options, expected):
    assert build(name, **options) == expected


def test_classes_in_files(tmp_path):
    parents = tmp_path / "icd.csv"
    parents.write_text("name,parent\nJ10,J\nJ11,J\nJ,ICD\n", encoding="utf-8")
    assert build("taxonomy", parents=parents) == classes.Taxonomy({"J10": "J", "J11": "J", "J": "ICD"})
    assert build("taxonomy", parents=parents, kind="subtree").kind == "subtree"
    matrix = tmp_path / "rules.csv"
    matrix.write_text("a,b\n0,1\n1,1\n", encoding="utf-8")
    assert build("explicit", matrix=matrix).size == 2
    parents.write_text("J10,J\nJ11\n", encoding="utf-8")
    with pytest.raises(ValueError, match="two cells: name,parent"):
        build("taxonomy", parents=parents)


def test_compositions_of_columns():
    both = build("and", part=["delay thresholds 0 2000", "carrier points"])
    assert str(both.hypothesis(37, "EV")) == "delay ≥ 37 and carrier = EV"
    one = build("or", part=["'departure delay' thresholds 0 2000 below", "month intervals 1 12"])
    assert str(one.hypothesis(37, (1, 3))) == "departure delay < 37 or 1 ≤ month ≤ 3"
    fine = build("and", part=["delay thresholds 0 150 either step=0.1", "t intervals 0 9 step=2"])
    assert fine.parts[0] == either(0, 150, step=0.1).on("delay")
    assert fine.parts[1] == classes.Intervals(0, 9, step=2).on("t")
    with pytest.raises(ValueError, match="at least two parts"):
        build("and", part=["delay thresholds 0 2000"])
    with pytest.raises(ValueError, match="write a part as"):
        build("and", part=["delay", "carrier points"])


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("tresholds", {}, "did you mean 'thresholds'?"),
        ("quadrics", {}, "choose one of and, auto, central-half-planes"),
        ("points", {"low": "0"}, "--low does not apply to the class points; its options are --size"),
        ("thresholds", {}, "declare --low and --high, or a --kind"),
        ("rectangles", {"low": "0", "high": "9"}, "rectangles needs --dim"),
        ("rectangles", {"low": "0.5", "high": "9", "dim": 2}, "--low must be a whole number"),
        ("thresholds", {"low": "x", "high": "9", "kind": "date"}, "not a valid date"),
        ("thresholds", {"low": "0", "high": "9", "step": "fine"}, "not a step; write one like 0.1"),
        ("thresholds", {"low": "0", "high": "9", "step": "-1"}, "--step must be a positive number, such as --step 0.1"),
        ("thresholds", {"low": "0", "high": "9", "step": "1h"}, "--step must be a positive number"),
        ("thresholds", {"kind": "date", "step": "7"}, "--step must be a duration: "),
        ("thresholds", {"kind": "date", "step": "5h"}, "--step must be a whole number of the units"),
        (
            "thresholds",
            {"kind": "date", "zone": "Berlin"},
            "there is no time zone of this name; write one like --zone Eur",
        ),
        ("thresholds", {"low": "0", "high": "9", "kind": "money"}, "--kind must be one of integer, float64"),
        ("thresholds", {"low": "0", "high": "2020-01-01"}, "--low and --high"),
        ("taxonomy", {}, "taxonomy needs --parents"),
        ("half-planes", {}, "half-planes needs --side"),
        ("central-half-planes", {"low": "0", "high": "9", "center": "4"}, "a point of the grid"),
        ("central-half-planes", {"low": "0", "high": "9", "center": "4,x"}, "each part of --center must be a whole"),
    ],
)
def test_refusals_say_what_to_change(name, options, words):
    with pytest.raises(Refused) as refused:
        build(name, **options)
    assert words in for_the_shell(refused.value.sentence)
    assert refused.value.parameter in {"class_name", *known_options()}


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("a thresholds 9 0", "in the part 'a thresholds 9 0': LOW must not exceed HIGH"),
        ("a thresholds 0", "the part 'a thresholds 0' needs LOW and HIGH, as in 'a thresholds 0 120'"),
        ("a intervals x 3", "LOW and HIGH must have the same type"),
        ("a thresholds 0 9 up", "DIRECTION must be one of above, below, either"),
        ("a points b,b", "in the part 'a points b,b': values must be distinct"),
        ("a starts-with J,J /", "in the part 'a starts-with J,J /': values must be distinct"),
        ("a 'points", "an unclosed quotation mark"),
        ("a intervals 0 9 above", "'COLUMN intervals LOW HIGH'"),
        ("a words", "'COLUMN thresholds LOW HIGH DIRECTION'"),
    ],
)
def test_refusals_of_a_part_name_its_words_and_not_options(part, words):
    with pytest.raises(Refused) as refused:
        build("trees", part=[part])
    said = for_the_shell(refused.value.sentence)
    assert words in said and "--" not in said
    assert refused.value.parameter == "part"


def test_prefixes_as_a_part():
    assert build("trees", part=["tail ends-with JB,UA"]).parts == (classes.EndsWith().on("tail", ("JB", "UA")),)
    found = build("trees", part=["icd starts-with J10,J11,K", "path starts-with a/b /"])
    assert found.parts == (
        classes.StartsWith().on("icd", ("J10", "J11", "K")),
        classes.StartsWith("/").on("path", ("a/b",)),
    )


def test_a_command_gets_the_options(capsys):
    app = typer.Typer()

    @app.command()
    @names_a_class
    def show(
        file: Annotated[str, typer.Argument()], *, of: ClassOptions, alpha: Annotated[float, typer.Option()] = 0.1
    ) -> None:
        """Show."""
        typer.echo(json.dumps([file, repr(of.build()), alpha]))

    with pytest.raises(SystemExit):
        app(["data.csv", "--class", "points", "--size", "12", "--alpha", "0.2"])
    assert json.loads(capsys.readouterr().out) == ["data.csv", "Points(domain_size=12)", 0.2]
    with pytest.raises(SystemExit):
        app(["x", "--class", "and", "--part", "a points", "--part", "b thresholds 0 9"])
    assert "And(" in capsys.readouterr().out


def test_an_option_means_the_same_in_all_classes():
    hints = [get_type_hints(kind.from_shell, include_extras=True) for kind in in_shell().values()]
    for name in known_options():
        assert len({hint[name] for hint in hints if name in hint}) == 1
    assert set(known_options()) == {name for kind in in_shell().values() for name in options_of(kind)}
    assert {"thresholds", "points", "half-planes", "and"} <= set(in_shell())
