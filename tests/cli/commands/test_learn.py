"""``privpac learn``: rule, privacy and certificate; files; accounts; refusals that spend nothing."""

import json
import re
import shlex
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import pytest

from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from tests.cli.printed import plain

N = 3000
DELAYS = np.arange(N) * 7 % 120
FLIGHTS = pd.DataFrame(
    {
        "delay": DELAYS,
        "late": (DELAYS >= 37).astype(int),
        "word": np.where(DELAYS >= 37, "yes", "no"),
        "truth": DELAYS >= 37,
        "carrier": np.where(DELAYS >= 60, "EV", "UA"),
        "width": DELAYS,
        "height": (DELAYS * 3) % 120,
        "plane": np.arange(N) // 2,
    }
)
THRESHOLDS = ("--class", "thresholds")
CUT = (*THRESHOLDS, "--low", "0", "--high", "120", "--x", "delay")
LATE = (*CUT, "--y", "late")
BOX = ("--class", "rectangles", "--low", "0", "--high", "120", "--dim", "2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("flights")
    FLIGHTS.to_csv(path / "flights.csv", index=False)
    FLIGHTS.to_parquet(path / "flights.parquet")
    return path


@pytest.fixture
def run(folder, monkeypatch, typed):
    """The command in a folder with flights.csv and flights.parquet: exit code, stdout, stderr."""
    monkeypatch.chdir(folder)
    return partial(typed, "learn")


def cut(sentence):
    return int(re.search(r"delay ≥ (\d+)", sentence)[1])


@pytest.mark.slow
def test_cuts_are_learned_in_either_direction(run):
    code, out, _ = run("flights.csv", *CUT, "--y", "late", "--classes", "1,0", "--epsilon", "20")
    assert code == 0
    assert re.search(r"rule: +late = 0 if delay < 3\d", out)


@pytest.mark.parametrize("file", ["flights.csv", "flights.parquet"])
def test_rule_privacy_certificate(run, file):
    code, out, err = run(file, *LATE, "--epsilon", "2")
    assert (code, err) == (0, "")
    rule, privacy, utility = out.splitlines()
    assert abs(cut(rule) - 37) <= 2
    assert re.fullmatch(r"rule: +late = 1 if delay ≥ \d+, otherwise 0", rule)
    assert privacy.startswith("privacy: ε = 2")
    assert "differ in one record" in privacy
    assert "error ≤ that of the best rule of the class + 0.0" in utility
    assert "with probability ≥ 0.95" in utility


@pytest.mark.slow
def test_a_table_of_a_database(run, folder):
    with duckdb.connect(str(folder / "flights.duckdb")) as connection:
        connection.execute("CREATE OR REPLACE TABLE flights AS SELECT * FROM 'flights.parquet'")
        connection.execute("CREATE OR REPLACE TABLE others AS SELECT 1 AS one")
        connection.execute("CREATE SCHEMA IF NOT EXISTS air")
        connection.execute("CREATE OR REPLACE TABLE air.ports AS SELECT * FROM 'flights.parquet'")
    for table in ("flights", "air.ports"):
        code, out, _ = run("flights.duckdb", "--table", table, *LATE, "--epsilon", "2", "--report", "r.html")
        assert code == 0
        assert abs(cut(out) - 37) <= 2
    code, _, err = run("flights.duckdb", *LATE)
    assert code == 2
    assert "flights, others" in err


KINDS = {
    "time": ("TIME '08:30' + INTERVAL (i % 2) MINUTE", "08:30:00"),
    "uuid": ("('00000000-0000-0000-0000-00000000000' || i % 2)::UUID", "00000000-0000-0000-0000-000000000000"),
    "blob": ("('a' || i % 2)::BLOB", "b'a0'"),
    "timestamptz": ("TIMESTAMPTZ '2026-11-15 08:30:00+00' + INTERVAL (i % 2) MINUTE", "2026-11-15 08:30:00+00:00"),
    "hugeint": (
        "(170141183460469231731687303715884105720 + i % 2)::HUGEINT",
        "170141183460469231731687303715884105720",
    ),
    "list": ("[i % 2, 7]", "(0, 7)"),
    "boolean": ("i % 2 = 1", "0"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_about_any_value_is_written_and_read(run, folder, kind):
    sql, shown = KINDS[kind]
    with duckdb.connect(str(folder / f"{kind}.duckdb")) as connection:
        connection.execute(f"CREATE OR REPLACE TABLE kinds AS SELECT {sql} AS x, 1 - i % 2 AS y FROM range(2000) t(i)")
    code, out, err = run(f"{kind}.duckdb", "--class", "points", "--x", "x", "--y", "y", "--out", "m.json", "--json")
    assert (code, err) == (0, "")
    model = Model.from_json((folder / "m.json").read_text("utf-8"))
    assert Model.from_json(json.dumps(json.loads(out)["model"])) == model
    assert str(model).startswith(f"y = 1 if x = {shown}")


def test_json(run):
    code, out, _ = run("flights.csv", *LATE, "--epsilon", "2", "--json", "--report-error")
    assert code == 0
    model = Model.from_json(json.dumps(json.loads(out)["model"]))
    assert model.certificate.privacy.epsilon == 2
    assert model.records == N
    assert model.error.low <= 0.05


@pytest.mark.slow
def test_model_and_report_are_written(run, folder):
    code, out, _ = run("flights.csv", *LATE, "--report-error", "--out", "m.json", "--report", "r.html")
    assert code == 0
    assert out.splitlines()[-2:] == ["model:   m.json", "report:  r.html"]
    assert "errs on about" in out
    assert (
        out.index("rule:") < out.index("error:") < out.index("rates:") < out.index("privacy:") < out.index("utility:")
    )
    page, model = (folder / "r.html").read_text("utf-8"), Model.from_json((folder / "m.json").read_text("utf-8"))
    assert "privpac predict m.json flights.csv" in page
    assert model.rule in page
    assert model.label == "late"


WRONG = ("--y", "word", "--classes", "yes,no", "--direction", "above", "--beta", "1e-9")  # chance calls no rule better


@pytest.mark.slow
def test_a_rule_that_is_no_better_than_a_constant_says_so_first(run, folder):
    """Flights that leave early are called late, and only cuts of the other direction are allowed."""
    code, out, _ = run("flights.csv", *CUT, *WRONG, "--report-error", "--out", "bad.json")
    constant, out = " always\n" in out, plain(out)
    first = "This rule always answers " if constant else "This rule is not clearly better than always answering "
    assert code == 0
    assert out.startswith(f"error: {first}")
    assert out.index("--direction either allows more rules.") < out.index("rule:")
    written = (folder / "bad.json").read_text("utf-8")
    assert written.index(first) < written.index('"rule"')
    assert not Model.from_json(written).error.better


@pytest.mark.slow
@pytest.mark.parametrize(
    ("y", "classes"),
    [("late", "0,1"), ("word", "no,yes"), ("truth", "false,true"), ("truth", "0,1"), ("truth", "no, yes")],
)
@pytest.mark.parametrize("file", ["flights.csv", "flights.parquet"])
def test_labels_are_text_on_the_command_line(run, file, y, classes):
    if (file, y) == ("flights.csv", "truth"):
        classes = "False,True"  # in a file of text, labels are what it spells
    code, out, err = run(file, *CUT, "--y", y, "--classes", classes, "--epsilon", "2")
    assert (code, err) == (0, "")
    assert abs(cut(out) - 37) <= 2


def test_the_other_way_round(run):
    code, out, _ = run("flights.csv", *CUT, "--y", "late", "--classes", "1,0", "--direction", "below", "--epsilon", "2")
    assert code == 0
    assert re.search(r"late = 0 if delay < 3\d, otherwise 1", out)


@pytest.mark.slow
def test_two_columns(run):
    parts = ("--part", "delay thresholds 0 120", "--part", "width intervals 0 120")
    code, out, err = run("flights.csv", "--class", "and", *parts, "--y", "late", "--epsilon", "60")
    assert (code, err) == (0, "")
    assert {"delay", "width"} & set(out.splitlines()[0].split())  # which are equal, so that one of them may be enough


def test_prefixes_are_a_part_of_trees(run):
    parts = ("--part", "delay thresholds 0 120", "--part", "carrier starts-with E,U")
    code, out, err = run("flights.csv", "--class", "trees", *parts, "--y", "late", "--epsilon", "60")
    assert (code, err) == (0, "")
    assert "delay" in out.splitlines()[0]


@pytest.mark.slow
def test_vectors_read_several_columns(run):
    for named in (("--x", "width", "--x", "height"), ("--x", "width,height")):
        code, out, err = run("flights.csv", *BOX, *named, "--y", "late", "--epsilon", "3")
        assert (code, err) == (0, "")
        assert "width" in out


@pytest.mark.slow
def test_units_are_protected_as_a_whole(run):
    code, out, _ = run("flights.csv", *LATE, "--unit", "plane", "--max-records", "2", "--epsilon", "3")
    assert code == 0
    assert "one unit" in out.splitlines()[1]
    assert "certificates need independent records" in out


@pytest.mark.slow
def test_an_account_is_charged(run, account):
    durable, option = account
    code, _, _ = run("flights.csv", *LATE, "--epsilon", "1", *option)
    assert code == 0
    assert durable.spent.epsilon == 1
    code, out, err = run("flights.csv", *LATE, "--epsilon", "2.5", *option)
    assert (code, out) == (1, "")
    assert "costs ε = 2.5" in err
    assert durable.spent.epsilon == 1


@pytest.mark.slow
def test_a_seed_makes_it_not_private(run, folder):
    runs = [run("flights.csv", *LATE, "--seed", "7", "--report", "r.html") for _ in range(2)]
    assert runs[0] == runs[1]
    assert "NOT PRIVATE" in runs[0][1]
    assert "NOT PRIVATE" in (folder / "r.html").read_text("utf-8")


def test_too_few_records_are_learned_from_and_said_to_be(run, folder):
    FLIGHTS.head(5).to_csv(folder / "few.csv", index=False)
    code, out, _ = run("few.csv", *LATE, "--report", "r.html")
    assert code == 0
    assert re.search(
        r"utility: No error bound is guaranteed, because 5 records are too few: .* takes [\d ]+", plain(out)
    )
    assert "5 records are too few" in (folder / "r.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("flights.csv", *CUT, "--y", "early"), "no column 'early'"),
        (("flights.csv", *LATE[:-4], "--x", "dealy", "--y", "late"), "no column 'dealy'"),
        (("flights.csv", *CUT, "--y", "width"), "declared classes 0 and 1"),
        (("flights.csv", *CUT, "--y", "word"), "declared classes 0 and 1"),
        (("flights.csv", *CUT, "--y", "late", "--classes", "0"), "--classes takes two different labels"),
        (("flights.csv", *CUT, "--y", "late", "--classes", "1,1"), "--classes takes two different labels"),
        (("flights.csv", "--x", "delay", "--y", "late", "--class", "tresholds"), "there is no class"),
        (("flights.csv", "--x", "delay", "--y", "late", "--class", "thresholds"), "--low and --high"),
        (("flights.csv", *THRESHOLDS, "--low", "0", "--high", "50", "--x", "delay", "--y", "late"), "bounds"),
        (("flights.csv", *THRESHOLDS, "--low", "0", "--high", "9", "--x", "carrier", "--y", "late"), "missing"),
        (("flights.csv", *CUT[:-2], "--y", "late"), "--x COLUMN"),
        (("flights.csv", *LATE, "--epsilon", "0"), "--epsilon must be positive"),
        (("flights.csv", *LATE, "--epsilon", "one"), "epsilon must be a finite number"),
        (("flights.csv", *LATE, "--beta", "1"), "--beta must lie"),
        (("flights.csv", *LATE, "--method", "magic"), "--method must be auto"),
        (("flights.csv", *LATE, "--table", "flights"), "is a file with a single table; leave out --table"),
        (("flights.csv", *LATE, "--on-invalid", "ignore"), "--on-invalid must be one of"),
        (("flights.csv", *LATE, "--unit", "plane"), "--unit and --max-records belong together"),
        (("flights.csv", *LATE, "--unit", "tail", "--max-records", "2"), "no column 'tail'"),
        (("flights.csv", *CUT, "--y", "word"), "--classes NEGATIVE,POSITIVE"),
        (("flights.csv", *LATE, "--delta", "-1"), "--delta must lie in [0, 1)"),
        (("flights.csv", *LATE, "--epsilon", "1e-300"), "--epsilon must be at least 1e-9"),
        (("flights.csv", *LATE, "--regime", "agnostik"), "--regime must be one of"),
        (("holes.csv", *LATE), "--on-invalid default"),
        (("flights.csv", *LATE, "--x", "width"), "the rule reads 1 column; name it: --x COLUMN"),
        (("flights.csv", *BOX, "--x", "width", "--y", "late"), "the rule reads 2 columns; name them: --x A --x B"),
        (("flights.csv", *BOX, "--y", "late"), "the rule reads 2 columns; name them: --x A --x B"),
        (
            ("flights.csv", "--class", "flats", "--length", "8", "--dim", "3", "--y", "late"),
            "the rule reads 8 columns; list them: --x 'A,B,C,…'",
        ),
        (("flights.csv", *LATE, "--report", "nowhere/r.html"), "nowhere/r.html cannot be written"),
        (("flights.csv", *LATE, "--out", "flights.csv/m.json"), "flights.csv/m.json cannot be written"),
        (("flights.csv", *LATE, "--out", "/proc/m.json"), "/proc/m.json cannot be written"),
        (("flights.csv", *LATE, "--out", "flights.csv"), "--out is also an input file; choose another name"),
        (("flights.csv", *LATE, "--out", "budget.db"), "--out is also an input file; choose another name"),
        (("f*.csv", *LATE, "--report", "flights.csv"), "--report is also an input file; choose another name"),
        (("flights.csv", *LATE, "--out", "a", "--report", "./a"), "--out and --report are the same file"),
        (("nothing.csv", *LATE), "no file nothing.csv"),
        (("broken.parquet", *LATE), "cannot be read"),
        (("flights.ods", *LATE), "not a CSV, Parquet, Excel, DuckDB, or SQLite file"),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence_and_nothing_is_spent(run, folder, account, arguments, told):
    (folder / "broken.parquet").write_bytes(b"PAR1 this is no Parquet file")
    (folder / "flights.ods").write_bytes(b"")
    (folder / "holes.csv").write_text("delay,late\n,1\n37,1\n", encoding="utf-8")
    durable, option = account
    code, out, err = run(*arguments, *option)
    assert (code, out) == (2, "")
    assert told in err
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    assert durable.spent == Budget(0)
    assert not list(folder.glob(".*"))  # nothing half-written is left


@pytest.mark.parametrize("wrong", [("--regime", "x"), ("--epsilon", "x"), ("--method", "x"), ("--on-invalid", "x")])
def test_a_wrong_word_is_told_before_a_file_is_opened(run, folder, wrong):
    (folder / "broken.parquet").write_bytes(b"no records")
    assert f"{wrong[0]} must be" in run("broken.parquet", *LATE, *wrong)[2]


@pytest.mark.slow
def test_what_is_paid_for_is_printed_if_it_cannot_be_written(run, account):
    """A full disk shows when the text is written, and not before."""
    durable, option = account
    code, out, err = run("flights.csv", *LATE, "--out", "/dev/full", "--report", "r.html", *option)
    assert code == 2
    note = "note: ε = 1 was charged to the account 'flights'\n"
    assert err == f"{note}error: /dev/full could not be written; the budget is spent, so save the model printed above\n"
    said, _, text = out.partition("{")
    assert said.startswith(f"rule:    {Model.from_json('{' + text)}\n")
    assert said.endswith("report:  r.html\n")
    code, out, _ = run("flights.csv", *LATE, "--out", "/dev/full", "--json", *option)
    assert (code, json.loads(out)["written"]) == (2, {})
    assert durable.spent.epsilon == 2


@pytest.mark.slow
def test_a_file_is_replaced_when_the_new_one_is_whole(run, folder):
    (folder / "old.json").write_text("old", encoding="utf-8")
    (folder / "old.json").chmod(0o640)
    (folder / "link.json").symlink_to("old.json")
    assert run("flights.csv", *CUT, "--y", "carrier", "--out", "link.json")[0] == 2
    assert (folder / "old.json").read_text("utf-8") == "old"
    assert run("flights.csv", *LATE, "--out", "link.json")[0] == 0
    assert (folder / "link.json").is_symlink()
    assert Model.from_json((folder / "old.json").read_text("utf-8")).label == "late"
    assert (folder / "old.json").stat().st_mode & 0o777 == 0o640


def test_truth_values_in_the_words_of_the_caller(run, folder):
    files = ("--out", "m.json", "--report", "r.html")
    _, out, _ = run("flights.parquet", *CUT, "--y", "truth", "--classes", "no,yes", "--epsilon", "2", *files)
    assert re.match(r"rule: +truth = yes if delay ≥ \d+, otherwise no\n", out)
    page, model = (folder / "r.html").read_text("utf-8"), Model.from_json((folder / "m.json").read_text("utf-8"))
    assert f"truth = yes if {model.rule}" in page
    assert model.predict({"delay": [0, 120]}).tolist() == ["no", "yes"]


def test_an_account_must_be_there(run, typed):
    assert "after a #" in run("flights.csv", *LATE, "--budget", "sqlite:///budget.db")[2]
    code, _, err = run("flights.csv", *LATE, "--budget", "sqlite:///budget.db#nobody")
    assert code == 2
    assert "no account 'nobody'" in err
    create = re.search(r"Create it, with the total that you allow: privpac budget (create .*)$", err)
    assert typed("budget", *shlex.split(create[1]))[0] == 0
    assert run("flights.csv", *LATE, "--budget", "sqlite:///budget.db#nobody")[0] == 0
    for address in ("hospital", "hospital.db", "ward.db#hospital"):
        named = {"hospital": "budget.db#hospital", "hospital.db": "hospital.db#clinic"}.get(address, address)
        assert f"write sqlite:///{named}\n" in run("flights.csv", *LATE, "--budget", address)[2]


def test_units_in_another_encoding_are_read_with_the_option_that_the_refusal_names(run, tmp_path):
    lines = "".join(f"Jos\xe9 {i},{i % 120},{i % 2}\n" for i in range(600))
    (tmp_path / "names.csv").write_text(f"who,delay,late\n{lines}", encoding="cp1252")
    words = (str(tmp_path / "names.csv"), *LATE, "--unit", "who", "--max-records", "1")
    code, _, err = run(*words)
    assert code == 2 and "a line that is not UTF-8); fill in their units, say --encoding cp1252 if" in err
    assert run(*words, "--encoding", "cp1252")[0] == 0


@pytest.mark.slow
def test_misfits_follow_the_declared_rule(run):
    narrow = ("--class", "thresholds", "--low", "0", "--high", "100", "--x", "delay", "--y", "late", "--epsilon", "2")
    for rule in ("clamp", "default"):
        code, out, _ = run("flights.csv", *narrow, "--on-invalid", rule)
        assert code == 0
        assert abs(cut(out) - 37) <= 2
        assert "unfit: not measured; --report-error tells how many records do not fit; with a schema," in plain(out)
    assert "unfit:" not in run("flights.csv", *LATE)[1]


def test_how_many_records_do_not_fit_is_said(run):
    narrow = ("--class", "thresholds", "--low", "0", "--high", "79", "--x", "delay", "--y", "late", "--report-error")
    out = plain(run("flights.csv", *narrow, "--on-invalid", "default", "--epsilon", "20")[1])
    assert re.search(
        r" unfit: About \d\d\.\d % of the records have missing values, or values that do not fit what you declared \(",
        out,
    )
    assert "; the rule answers 0 for them " in out and "of new records that have a declared label" in out


@pytest.mark.slow
def test_most_records_that_do_not_fit_are_the_headline_and_the_command_works(run, folder, typed):
    """The labels are misspelled: nothing but noise is learned, and the first line says so instead of the rule."""
    asked = ("flights.csv", *CUT, "--y", "word", "--classes", "No,Yes", "--report-error", "--on-invalid", "default")
    code, out, _ = run(*asked)
    first, _, others = plain(out).partition(" privacy: ")
    assert code == 0 and re.match(r"unfit: About (9|100)[\d.]* % of the records do not fit what you declared", first)
    assert first.endswith("--on-invalid raise says what does not fit, and spends nothing. The charge stands: ε = 1.")
    assert "rule:" not in out and "utility:" not in out and others.startswith("ε = 1 ")
    code, _, err = run(*asked[:-1], "raise")
    assert code == 2 and "some labels are neither of the two declared classes" in err and "Unknown" not in err
    instead = (
        "(with a schema, in its [label]): --classes NEGATIVE,POSITIVE; or choose another column; or say --on-invalid"
    )
    assert instead in err

    declared = (
        '[columns.delay]\nkind = "integer"\nlow = 0\nhigh = 120\n[label]\ncolumn = "word"\nclasses = ["No", "Yes"]\n'
    )
    (folder / "wrong.toml").write_text(declared)
    _, out, _ = run("flights.csv", "--schema", "wrong.toml", *THRESHOLDS, "--x", "delay", *asked[-3:])
    command = re.search(r"run: privpac (.*?)\. The charge stands", plain(out))[1]
    code, counts, _ = typed(*shlex.split(command))
    assert code == 0 and re.search(r"^word .* 3000$", counts, re.MULTILINE)


def test_messages_quote_no_records(run, folder):
    secret = FLIGHTS.assign(delay=["987654321", *map(str, DELAYS[1:])])
    secret.to_csv(folder / "secret.csv", index=False)
    assert "987654321" not in run("secret.csv", *LATE)[2]


CARRIER = ("flights.csv", "--class", "points", "--x", "carrier", "--y", "late")


@pytest.mark.slow
def test_a_large_delta_is_refused_with_its_own_code_and_nothing_is_spent(run, account):
    durable, option = account
    code, out, err = run(*CARRIER, "--delta", "1e-3", *option, "--out", "large.json")
    assert (code, out) == (1, "")
    assert "a delta of 0.001 is too large for 3000 records: it allows 3 of them" in err
    assert err.endswith("set --delta 1e-06, or --allow-large-delta\n")
    assert durable.spent == Budget(0)
    code, out, err = run(*CARRIER, "--delta", "1e-3", "--allow-large-delta")
    assert (code, err) == (0, "")
    assert "δ = 0.001" in out and "δ·n = 3 for n = 3000" in plain(out)


def test_a_doubtful_delta_is_a_sentence_on_stderr(run):
    code, out, err = run(*CARRIER, "--delta", "1e-5")
    assert code == 0
    assert err == (
        "warning: a delta of 1e-05 is large for 3000 records: it allows 0.03 of them to be revealed outright, on "
        "average; set --delta 1e-06, or --allow-large-delta\n"
    )
    assert "δ·n = 0.03 for n = 3000" in plain(out)


def test_the_default_delta_is_printed(run):
    code, out, err = run(*CARRIER)
    assert (code, err) == (0, "")
    assert "privacy: ε = 1, δ = 1e-06 for" in out and "δ·n = 0.003 for n = 3000" in plain(out)


@pytest.mark.slow
def test_theorems_and_assumptions_are_printed_if_asked_for(run):
    brief, whole = (run("flights.csv", *LATE, "--report-error", *more)[1] for more in ((), ("--proofs",)))
    assert "Theorem" not in brief and "assuming" not in brief
    for cited in ("[threshold learner, Theorem 1; holding out, Theorem 2", "assuming records are drawn independently"):
        assert cited in plain(whole)
    assert max(map(len, f"{brief}{whole}".splitlines())) <= 100
    names = [line.partition(":")[0] for line in brief.splitlines() if not line.startswith(" " * 9)]
    assert names == ["rule", "error", "rates", "risk", "risk", "privacy", "utility"]


@pytest.mark.slow
def test_json_has_theorems_with_or_without_proofs(run):
    for more in ((), ("--proofs",)):
        told = json.loads(run("flights.csv", *LATE, "--json", *more)[1])["model"]["certificate"]
        assert told["theorems"] == ["threshold learner, Theorem 1"] and told["utility"]["assumptions"]


@pytest.mark.slow
def test_a_bound_that_would_be_misread_says_what_it_is_about(run):
    plainly, realizable, clamped = (
        plain(run("flights.csv", *LATE, *more)[1])
        for more in ((), ("--regime", "realizable"), ("--on-invalid", "default"))
    )
    assert "provided that" not in plainly
    assert "≥ 0.95; provided that some rule of the class makes no error" in realizable
    assert "≥ 0.95; here, errors are counted on records that fit what is declared" in clamped


def test_a_tree_has_all_labels_for_one_price(run, folder):
    """One model, one report, and the whole ε; a schema declares the same."""
    lines = [f"{i % 100},{'low' if i % 100 < 30 else 'mid' if i % 100 < 60 else 'high'}" for i in range(2000)]
    (folder / "ages.csv").write_text("\n".join(["age,group", *lines]))
    tree = ("--class", "trees", "--part", "age thresholds 0 99", "--depth", "auto")
    asked = ("ages.csv", *tree, "--y", "group", "--classes", "low,mid,high", "--report-error")
    code, out, err = run(*asked, "--epsilon", "5", "--out", "groups.json", "--report", "groups.html")
    assert code == 0, err
    told = " ".join(out.split())
    assert "group = " in told and "otherwise" in told and "privacy: ε = 5" in told and "total" not in told
    assert "labels correctly about" in told
    model = Model.from_json((folder / "groups.json").read_text("utf-8"))
    assert model.classes == ("low", "mid", "high") and "<svg" in (folder / "groups.html").read_text("utf-8")
    label = '[label]\ncolumn = "group"\nclasses = ["low", "mid", "high"]\n'
    (folder / "ages.toml").write_text(f'{label}[columns.age]\nkind = "integer"\nlow = 0\nhigh = 99\n')
    code, out, err = run("ages.csv", "--schema", "ages.toml", "--epsilon", "5", "--json")
    assert code == 0 and len(json.loads(out)["model"]["classes"]) == 3, err
