"""``privpac schema``: templates that read no record, counts for the curator; learning from what a schema declares."""

import json
import re
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from privpac.classes.schemas.schema import Schema
from privpac.cli import app
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from tests.cli.printed import plain

N = 3000
AGE, STAY, WARD = np.arange(N) * 37 % 100, np.arange(N) * 7 % 200 / 10, np.array(list("ABC"))[np.arange(N) % 3]
SICK = (AGE >= 65) & (WARD != "A")
VISITS = pd.DataFrame(
    {
        "patient": np.arange(N) // 2,
        "age": AGE,
        "ward": WARD,
        "stay": STAY,
        "icd": np.where(SICK, "J10.1", "K21"),
        "smoker": np.arange(N) % 5 == 0,
        "back": SICK,
        "word": np.where(SICK, "yes", "no"),
    }
)
LABEL = '[label]\ncolumn = "word"\nclasses = ["no", "yes"]\n'
TRUTH = '[label]\ncolumn = "back"\nclasses = [false, true]\n'
COLUMNS = """\
[columns.age]
kind = "integer"
low = 0
high = 120
[columns.ward]
kind = "category"
values = ["A", "B", "C", "D"]
[columns.stay]
kind = "decimal"
low = 0.0
high = 99.9
[columns.smoker]
kind = "category"
values = ["False", "True"]
[columns.icd]
kind = "code"
height = 7
"""
STORED = COLUMNS.replace('["False", "True"]', "[false, true]")  # in a file of text, truth values are text
UNIT = '[unit]\ncolumn = "patient"\nmax_records = 2\n'
ACCURATE = 0.95  # with ε = 8, a tree with 150 more errors than the best has a weight below e^-500 of it
FILES = {"visits.csv": (), "visits.parquet": (), "visits.duckdb": ("--table", "visits")}


def schema_of(file, label=""):
    """The schema of a file, with labels that are words or truth values."""
    return f"{label or 'schema'}.toml" if file == "visits.csv" else f"stored {label}.toml".replace(" .", ".")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("visits")
    VISITS.to_csv(path / "visits.csv", index=False)
    VISITS.to_parquet(path / "visits.parquet")
    with duckdb.connect(path / "visits.duckdb") as connection:
        connection.register("frame", VISITS)
        connection.execute("CREATE TABLE visits AS SELECT * FROM frame")
        connection.execute("CREATE TABLE others AS SELECT 1 AS one")
    (path / "schema.toml").write_text(LABEL + COLUMNS, encoding="utf-8")
    (path / "stored.toml").write_text(LABEL + STORED, encoding="utf-8")
    (path / "truth.toml").write_text(TRUTH + COLUMNS, encoding="utf-8")
    (path / "stored truth.toml").write_text(TRUTH + STORED, encoding="utf-8")
    (path / "unit.toml").write_text(LABEL + UNIT + COLUMNS, encoding="utf-8")
    (path / "bare.toml").write_text(COLUMNS, encoding="utf-8")
    (path / "other.toml").write_text(LABEL + COLUMNS.replace("columns.age", "columns.year"), encoding="utf-8")
    (path / "open.toml").write_text(LABEL + '[columns.ward]\nkind = "category"\nopen = true\n', encoding="utf-8")
    return path


@pytest.fixture
def run(folder, monkeypatch, typed):
    monkeypatch.chdir(folder)
    return typed


@pytest.mark.parametrize(("file", "table"), FILES.items())
def test_a_template_reads_no_record(run, monkeypatch, file, table):
    for name in ("to_pyarrow", "to_pyarrow_batches"):
        monkeypatch.setattr(f"ibis.expr.types.core.Expr.{name}", lambda *_: pytest.fail("records were read"))
    code, out, err = run("schema", "init", file, *table)
    assert (code, err) == (0, "")
    named = re.findall(r'^\[columns\.(\w+)\] *# stored as (\w+)\n(?:kind = "(\w+)")?', out, re.MULTILINE)
    types = [("int64", "integer"), ("text", ""), ("float64", "float64"), ("boolean", "category")]
    stored = [types[0], types[0], types[1], types[2], types[1], types[3], types[3], types[1]]
    if file == "visits.csv":
        stored = [types[1]] * 8
    assert named == [(name, *each) for name, each in zip(VISITS.columns, stored, strict=True)]
    assert not re.search(r"^(low|high)", out, re.MULTILINE)


def test_a_template_never_replaces_a_schema(run, folder):
    code, out, _ = run("schema", "init", "visits.csv", "--out", "new.toml")
    assert code == 0 and "8 columns, from names and storage types alone" in out
    (folder / "new.toml").write_text("mine")
    code, _, err = run("schema", "init", "visits.csv", "--out", "new.toml")
    assert (code, (folder / "new.toml").read_text()) == (2, "mine") and "exists already" in err
    assert run("schema", "init", "visits.csv", "--out", "visits.csv")[0] == 2


@pytest.mark.parametrize("first", ["987654321,ward", "ann,31.12.2026", "ann,2026-12-31", "ann,14.5"])
@pytest.mark.parametrize("command", ["init", "suggest"])
def test_a_first_line_that_looks_like_a_record_is_not_made_public(run, tmp_path, first, command):
    (tmp_path / "bare.csv").write_text(f"{first}\n" + "bob,x\n" * 2000)
    code, out, err = run("schema", command, str(tmp_path / "bare.csv"))
    assert (code, out) == (2, "") and "the first line looks like a record" in err and "add a line" in err
    assert not any(cell in err for cell in first.split(","))
    (tmp_path / "bare.csv").write_text(f"who,what\n{first}\n" + "bob,x\n" * 2000)
    assert run("schema", command, str(tmp_path / "bare.csv"))[0] == 0


def test_a_file_with_very_many_columns_is_refused_before_it_is_read(run, tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"c{i}" for i in range(250_000)))
    code, out, error = run("schema", "init", str(tmp_path / "wide.csv"))
    assert (code, out) == (2, "") and "more than 4,000 columns" in error


@pytest.mark.slow
@pytest.mark.parametrize(("file", "table"), FILES.items())
@pytest.mark.parametrize("label", ["", "truth"])
def test_the_counts_say_whom_they_are_for(run, file, table, label):
    code, out, err = run("schema", "check", file, "--schema", schema_of(file, label), *table)
    first, _, heading, *rows, _, last = out.splitlines()
    assert (code, err) == (0, "") and "NOT private" in first and "curator" in first and "Nothing is spent" in first
    assert heading.split() == ["column", "declared", "as", "missing", "unreadable", "outside"]
    assert len(rows) == 6 and all(row.split()[-3:] == ["0", "0", "0"] for row in rows)
    assert last == "All records fit."


@pytest.mark.slow
def test_what_does_not_fit_is_counted(run, folder):
    lines = ["patient,age,ward,stay,icd,smoker,back,word", "1,37,A,1.5,J10,true,0,yes", "1,n/a,a,1.55,J10,True,0,maybe"]
    lines += ["1,,B,-1,J101234567,no,0,no", "2,150,B,3", ",37.5,C,1e1,K,false,0,1"]
    (folder / "messy.csv").write_text("\n".join(lines) + "\n")
    code, out, _ = run("schema", "check", "messy.csv", "--schema", "unit.toml", "--json")
    found = json.loads(out)
    counts = {row["column"]: (row["missing"], row["unreadable"], row["outside"]) for row in found["columns"]}
    assert code == 0 and "NOT private" in found["note"]
    assert counts == {
        "word": (1, 0, 2),
        "patient": (2, 0, 1),
        "age": (2, 1, 1),
        "ward": (1, 0, 1),
        "stay": (1, 0, 1),
        "smoker": (1, 0, 3),
        "icd": (1, 0, 1),
    }
    assert "for reasons that do not come from these counts" in run("schema", "check", "messy.csv")[1]


def test_a_check_ends_with_what_the_schema_makes_of_misfits(run, tmp_path):
    (tmp_path / "two.csv").write_text("patient,age\n1,37\n1,40\n2,50\n")
    unit, age = '[unit]\ncolumn = "patient"\nmax_records = 1\n', '[columns.age]\nkind = "integer"\nlow = 0\nhigh = '

    def checked(rule, high):
        (tmp_path / "two.toml").write_text(f"{rule}\n{unit}{age}{high}\n")
        return plain(run("schema", "check", str(tmp_path / "two.csv"), "--schema", str(tmp_path / "two.toml"))[1])

    beyond = "Of each unit, `privpac learn` counts at most 1 record."
    assert checked("", 120).endswith(f"All records fit. {beyond}") and "unit: at most 1 record " in checked("", 120)
    for rule, words in {
        "": "refuses records that do not fit, unless --on-invalid says otherwise.",
        'on_invalid = "raise"': "refuses records that do not fit, as on_invalid in the schema says.",
        'on_invalid = "default"': "records that do not fit count toward n and nothing else.",
        'on_invalid = "clamp"': "values outside the bounds move to the nearest one; other records that do not fit "
        "count toward n and nothing else.",
    }.items():
        assert checked(rule, 45).endswith(f"{words} {beyond}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("visits.csv", "--schema", "other.toml"), "other.toml, line 4: the table has no column 'year'"),
        (("visits.csv", "--schema", "begun.toml"), "begun.toml, line 16: [label] needs column"),
        (("visits.csv", "--schema", "none.toml"), "there is no schema none.toml"),
        (("visits.txt",), "there is no file visits.txt"),
        (("lists.parquet", "--schema", "lists.toml"), "column 'codes'"),
    ],
)
def test_a_check_that_cannot_be_made_is_refused(run, arguments, words):
    Path("begun.toml").unlink(missing_ok=True)
    run("schema", "init", "visits.csv", "--out", "begun.toml")
    pd.DataFrame({"codes": [{"icd": "J10"}]}).to_parquet("lists.parquet")
    Path("lists.toml").write_text('[columns.codes]\nkind = "text"\n')
    code, out, err = run("schema", "check", *arguments)
    assert (code, out) == (2, "") and words in err and len(err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("file", "table"), FILES.items())
def test_trees_over_all_declared_columns(run, file, table):
    code, out, err = run(
        *("learn", file, *table, "--schema", schema_of(file), "--class", "trees"),
        *("--epsilon", "8", "--out", "tree.json", "--proofs"),
    )
    columns, rule, privacy, utility, _ = out.replace("\n   ", "").splitlines()
    assert (code, err) == (0, "")
    assert columns == "columns: age, ward, stay, smoker (not icd: neither bounds nor values are declared)"
    assert rule.startswith("rule:    word = yes if ") and "age" in rule and "ward" in rule
    predicted = Model.from_json(Path("tree.json").read_text("utf-8")).predict(VISITS.astype({"smoker": str}))
    assert (predicted == VISITS["word"]).mean() > ACCURATE
    assert privacy.startswith("privacy: ε = 8") and "tree draw" in utility


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "named"), [("0.01", "scorecards"), ("0.2", "trees of depth "), ("8", "scorecards")]
)
def test_without_a_class_it_says_what_it_chose_by_public_numbers(run, epsilon, named):
    code, out, _ = run(*("learn", "visits.csv", "--schema", "schema.toml", "--epsilon", epsilon, "--json"))
    model = Model.from_json(json.dumps(json.loads(out)["model"]))
    assert code == 0 and named in model.learner and "chosen by n and ε alone: no privacy spent" in model.learner
    _, out, _ = run(*("learn", "visits.csv", "--schema", "schema.toml", "--class", "auto", "--epsilon", epsilon))
    assert f"class: {named}" in plain(out) and "chosen by n and ε alone: no privacy spent" in plain(out)


@pytest.mark.parametrize("file", ["visits.csv", "visits.parquet"])
def test_labels_that_are_truth_values(run, file):
    code, out, _ = run("learn", file, "--schema", schema_of(file, "truth"), "--depth", "1", "--epsilon", "8", "--json")
    model = Model.from_json(json.dumps(json.loads(out)["model"]))
    assert code == 0 and model.classes == (False, True) and model.label == "back"
    assert set(model.predict({"age": [1], "ward": ["A"], "stay": [1], "smoker": [1]}).tolist()) <= {False, True}


@pytest.mark.slow
def test_units_of_the_schema(run):
    code, out, _ = run("learn", "visits.csv", "--schema", "unit.toml", "--epsilon", "8")
    assert code == 0 and "differ in one unit, of which 2 records count" in plain(out)


@pytest.mark.slow
def test_a_class_on_one_declared_column(run):
    code, out, _ = run(
        "learn", "visits.csv", "--schema", "schema.toml", "--class", "thresholds", "--x", "age", "--out", "m.json"
    )
    assert code == 0 and "columns:" not in out
    assert (
        Model.from_json(Path("m.json").read_text("utf-8")).domain
        == Schema.read("schema.toml").column("age").concept_class.domain
    )
    for name, column in (("intervals", "stay"), ("points", "ward"), ("starts-with", "icd"), ("ends-with", "icd")):
        code, out, err = run("learn", "visits.csv", "--schema", "schema.toml", "--class", name, "--x", column)
        assert (code, err) == (0, ""), name
    assert (
        run("learn", "visits.csv", "--schema", "open.toml", "--class", "sparse-sets", "-k", "2", "--x", "ward")[0] == 0
    )
    assert run("learn", "visits.csv", "--schema", "schema.toml", "--class", "scorecards")[0] == 0
    code, out, _ = run("plan", "--schema", "schema.toml", "--pairs")
    assert code == 0 and "ScorecardLearner" in out


@pytest.mark.slow
def test_a_schema_without_labels_leaves_them_to_options(run):
    assert run("learn", "visits.csv", "--schema", "bare.toml", "--y", "word", "--classes", "no,yes")[0] == 0
    code, _, err = run("learn", "visits.csv", "--schema", "bare.toml")
    assert code == 2 and "the schema declares no [label]; add it, or name the column of labels: --y COLUMN" in err


def test_plans(run):
    code, out, _ = run("plan", "--schema", "schema.toml", "--depth", "1")
    assert code == 0 and "DecisionTreeLearner" in out and "depth 1" in out
    planned = run("plan", "--schema", "schema.toml", "--class", "thresholds", "--x", "age")
    assert planned == run("plan", "--class", "thresholds", "--low", "0", "--high", "120")


@pytest.mark.slow
def test_predictions_check_their_columns(run):
    assert run("learn", "visits.csv", "--schema", "schema.toml", "--out", "m.json")[0] == 0
    assert run("predict", "m.json", "visits.csv", "--schema", "schema.toml", "--out", "p.csv")[0] == 0
    code, _, err = run("predict", "m.json", "visits.csv", "--schema", "other.toml")
    assert code == 2 and "the schema declares no column 'age'; its columns are year, ward" in err
    (table,) = [VISITS[["ward", "stay", "smoker"]]]
    table.to_csv("short.csv", index=False)
    code, _, err = run("predict", "m.json", "short.csv", "--schema", "schema.toml")
    assert code == 2 and "schema.toml, line 4: the table has no column 'age'" in err


ON_AGE = ("--class", "thresholds", "--x", "age")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("schema.toml", "--low", "0"), "--low is declared by the schema; leave it out"),
        (("schema.toml", *ON_AGE, "--high", "9"), "--high is declared by the schema; leave it out"),
        (("schema.toml", "--part", "age thresholds 0 9"), "--part is declared by the schema"),
        (("schema.toml", "--classes", "no,yes"), "--classes is declared by the schema"),
        (("schema.toml", "--y", "word"), "--y is declared by the schema"),
        (("unit.toml", "--unit", "patient"), "--unit is declared by the schema"),
        (("unit.toml", "--max-records", "2"), "--max-records is declared by the schema"),
        (("schema.toml", "--x", "age"), "trees and scorecards read all columns of the schema; leave out --x"),
        (("schema.toml", "--depth", "4"), "--depth must be 1, 2 or 3"),
        (("schema.toml", "-k", "4"), "-k does not apply to trees and scorecards over the columns"),
        (("schema.toml", "--class", "scorecards", "--depth", "2"), "--depth does not apply to scorecards"),
        (("schema.toml", "--class", "trees", "--pairs"), "--pairs does not apply to trees"),
        (("schema.toml", "--class", "thresholds"), "name it: --x COLUMN"),
        (("schema.toml", *ON_AGE, "--x", "stay"), "the rule reads 1 column of the schema"),
        (
            ("schema.toml", "--class", "thresholds", "--x", "ages"),
            "declares no column 'ages'; its columns are age, ward",
        ),
        (
            ("schema.toml", "--class", "thresholds", "--x", "ward"),
            "do not read the column 'ward' as it is declared; choose points",
        ),
        (
            ("schema.toml", "--class", "rectangles", "--x", "age"),
            "with a schema, choose one of auto, trees",
        ),
        (("other.toml",), "other.toml, line 4: the table has no column 'year'; correct the name"),
        (("open.toml",), "open.toml, line 4: no column of the schema can be a test"),
        (("none.toml",), "there is no schema none.toml"),
        (("schema.toml", "--out", "schema.toml"), "--out is also an input file"),
    ],
)
def test_refusals_are_one_sentence_and_cost_nothing(run, folder, refusals, arguments, words):
    (folder / "budget.db").unlink(missing_ok=True)
    account = BudgetStore(f"sqlite:///{folder}/budget.db").account("clinic", Budget(3, 1e-5))
    code, out, err = run("learn", "visits.csv", "--schema", *arguments, "--budget", "sqlite:///budget.db#clinic")
    assert (code, out) == (2, "") and words in err and len(err.splitlines()) == 1
    assert account.spent == Budget(0) and len(refusals) == 1


def test_commands_without_a_class_and_without_a_schema(run):
    for command in (("learn", "visits.csv", "--y", "word"), ("plan",)):
        code, _, err = run(*command)
        assert code == 2 and "--class thresholds, or declare all columns in a schema, --schema schema.toml" in err
    code, _, err = run("learn", "visits.csv", "--class", "points", "--x", "ward")
    assert code == 2 and "name the column of labels: --y COLUMN" in err
    code, _, err = run("plan", "--class", "points", "--x", "ward")
    assert code == 2 and "--x names a column of a schema; add --schema schema.toml" in err


@pytest.mark.slow
def test_the_report_names_what_the_schema_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    VISITS.to_csv("visits.csv", index=False)
    Path("schema.toml").write_text('title = "Readmissions"\nowner = "Ward B"\n' + LABEL + COLUMNS, encoding="utf-8")
    learn = ["learn", "visits.csv", "--schema", "schema.toml", "--report", "r.html", "--epsilon", "1"]
    with pytest.raises(SystemExit) as end:
        app([*learn, "--purpose", "beds"])
    assert end.value.code == 0
    text = Path("r.html").read_text("utf-8")
    assert "<title>Readmissions</title>" in text
    assert all(each in text for each in ("Ward B", "beds"))
    with pytest.raises(SystemExit) as end:
        app([*learn, "--owner", "me"])
    assert end.value.code == 2
    assert "--owner is declared by the schema" in capsys.readouterr().err


SURE = ("--epsilon", "20", "--delta", "1e-6", "--seed", "1")


@pytest.mark.slow
def test_a_suggested_schema_is_edited_mocked_and_learned_from(run, folder):
    code, out, err = run("schema", "suggest", "visits.csv", "--y", "word", *SURE, "--out", "suggested.toml")
    assert (code, err) == (0, "") and "suggested.toml: 7 of 7 columns and the label" in plain(out)
    schema = Schema.read(folder / "suggested.toml")
    assert schema.label.classes == ("no", "yes") and schema.column("ward").values == ("A", "B", "C")
    code, out, _ = run("schema", "mock", "suggested.toml", "--rows", "200", "--out", "mock.csv")
    assert code == 0 and "200 made-up rows" in out and len(pd.read_csv(folder / "mock.csv")) == 200
    assert run("learn", "mock.csv", "--schema", "suggested.toml", "--depth", "1")[0] == 0
    code, out, err = run("learn", "visits.csv", "--schema", "suggested.toml", "--depth", "1", "--epsilon", "8")
    assert (code, err) == (0, "") and "rule:" in out
    code, _, err = run("learn", "visits.csv", "--schema", "suggested.toml", "--on-invalid", "default")
    assert code == 2 and "--on-invalid" in err
    assert run("schema", "suggest", "visits.csv", *SURE, "--out", "suggested.toml")[0] == 2  # it exists


@pytest.mark.slow
def test_made_up_rows_are_spelled_as_the_schema_says(run, folder):
    """Only columns of numbers have decimal commas: 1.2.3 is a value as it stands."""
    lines = [f"{i % 90},{i % 10};{'1.2.3' if i % 2 else '4.5.6'};{'ä' if i % 3 else 'b'}\n" for i in range(800)]
    (folder / "comma.csv").write_text("größe;version;late\n" + "".join(lines), encoding="latin-1")
    spelled = ("--separator", ";", "--encoding", "latin-1", "--decimal-comma")
    code, _, err = run("schema", "suggest", "comma.csv", "--y", "late", *spelled, *SURE, "--out", "comma.toml")
    assert (code, err) == (0, "")
    schema = Schema.read(folder / "comma.toml")
    assert schema.column("version").values == ("1.2.3", "4.5.6") and schema.column("größe").kind == "float64"
    assert run("schema", "mock", "comma.toml", "--rows", "50", "--out", "mock_comma.csv")[0] == 0
    for file in ("comma.csv", "mock_comma.csv"):
        assert "All records fit." in run("schema", "check", file, "--schema", "comma.toml")[1]


def test_a_preview_and_json_of_a_suggestion(run, folder):
    code, out, _ = run("schema", "suggest", "visits.parquet", "--y", "word", "--preview", "--json", *SURE)
    ahead = json.loads(out)
    assert code == 0 and (ahead["n"], ahead["columns"]) == (N, 8) and ahead["ranges_from"] < 100
    said = plain(run("schema", "suggest", "visits.parquet", "--preview", *SURE)[1])
    assert "nothing is spent yet" in said and f"{N:,} records together" in said
    said = plain(run("schema", "suggest", "visits.parquet", "--preview", "--unit", "patient", *SURE)[1])
    assert f"{N // 2:,} units together" in said and " units or more share" in said and "records" not in said
    BudgetStore(f"sqlite:///{folder / 'suggest.db'}").account("clinic", Budget(45, "1e-5"))
    paying = ("--budget", f"sqlite:///{folder / 'suggest.db'}#clinic", "--once", "visits")
    wanted = ("schema", "suggest", "visits.parquet", "--columns", "age,ward", "--unit", "patient", "--json", *SURE)
    first, second = (json.loads(run(*wanted, *paying)[1]) for _ in range(2))
    assert first == second and first["n"] == N // 2 and set(first["at_least"]) == {"patient", "age", "ward"}
    assert Schema.parse(first["schema"]).unit.max_records == 3
    _, text, err = run(*(word for word in (*wanted, *paying[:2]) if word != "--json"))
    assert "# A schema of visits.parquet" in text and "budget:  " in err and "ε = 5, " in plain(err)


def test_the_next_command_writes_made_up_rows_to_a_file_and_keeps_the_account(run, folder):
    account = f"sqlite:///{folder / 'next.db'}#clinic"
    BudgetStore(account.partition("#")[0]).account("clinic", Budget(45, "1e-5"))
    code, out, err = run("schema", "suggest", "visits.csv", *SURE, "--budget", account, "--out", "next.toml")
    said = plain(out)
    assert (code, err) == (0, "") and "privpac schema mock next.toml --out mock.csv; then privpac learn" in said
    assert f"--schema next.toml --budget '{account}'" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--y", "wrd"), "this name is not among the 8 there"),
        (("--columns", "age,"), "--columns takes names of different columns"),
        (("--epsilon", "0.001"), "3,000 records are too few to suggest 8 columns"),
        (("--epsilon", "-1"), "--epsilon"),
    ],
)
def test_a_suggestion_that_cannot_be_made_costs_nothing(run, folder, words, said):
    BudgetStore(f"sqlite:///{folder / 'none.db'}").account("clinic", Budget(25, "1e-5"))
    code, out, err = run(
        "schema", "suggest", "visits.csv", *words, "--budget", f"sqlite:///{folder / 'none.db'}#clinic"
    )
    assert (code, out) == (2, "") and said in plain(err)
    assert BudgetStore(f"sqlite:///{folder / 'none.db'}").account("clinic").spent == Budget(0)


@pytest.mark.slow
def test_entries_that_may_be_missing(run, folder):
    """From the check to predictions: a gap is a value, and nothing has to be dropped."""
    lines = [f"{'NA' if i % 5 == 0 else i % 101},{'' if i % 7 == 0 else 'AB'[i % 2]},{'yes' if i % 5 == 0 else 'no'}"
             for i in range(2000)]  # fmt: skip
    (folder / "gaps.csv").write_text("\n".join(["age,ward,word", *lines, ""]))
    gaps = '\nmissing = true\nna = ["NA"]\n'
    ages = f'[columns.age]\nkind = "integer"\nlow = 0\nhigh = 100{gaps}'
    (folder / "gaps.toml").write_text(f'{LABEL}{ages}[columns.ward]\nkind = "category"\nvalues = ["A", "B"]{gaps}')
    code, out, _ = run("schema", "check", "gaps.csv", "--schema", "gaps.toml")
    assert code == 0 and "All records fit." in out and "integer from 0 to 100, or missing" in out
    ways = ("--class", "trees", "--depth", "1"), ("--class", "thresholds", "--x", "age")
    for i, options in enumerate(ways):
        model = f"gaps{i}.json"
        code, out, err = run("learn", "gaps.csv", "--schema", "gaps.toml", "--epsilon", "8", "--out", model, *options)
        assert code == 0 and "word = yes if age is missing, otherwise no" in out, err
        code, out, _ = run("predict", model, "gaps.csv")
        rows = [line.split(",") for line in out.splitlines()[1:]]
        assert code == 0 and all(row[2] == row[3] for row in rows) and len(rows) == 2000
    code, _, err = run(
        "learn", "gaps.csv", "--schema", "gaps.toml", "--epsilon", "8", "--class", "points", "--x", "ward"
    )
    assert code == 2 and "entries of 'ward' may be missing" in err and "--class trees" in err
    for name in ("thresholds", "intervals"):
        code, out, err = run("release", "gaps.csv", "--schema", "gaps.toml", "--class", name, "--x", "age")
        assert code == 0 and "entries are missing; quantiles are those of the others" in " ".join(out.split()), err
