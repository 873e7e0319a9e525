"""``privpac learn --classes a,b,c``: a rule for each label, files by label, one account for all."""

import json

import pandas as pd
import pytest

from privpac.cli import app
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore

LEARN = ("learn", "ages.csv", "--class", "intervals", "--low", "0", "--high", "99", "--x", "age", "--y", "group")
THREE = ("--classes", "child,adult,senior", "--delta", "0", "--epsilon", "9")
AGES = pd.DataFrame({"age": [i % 100 for i in range(2000)]})


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    AGES.assign(group=["child" if a < 18 else "adult" if a < 65 else "senior" for a in AGES.age]).to_csv(
        "ages.csv", index=False
    )

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            app([*LEARN, *arguments])
        return end.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def account(tmp_path):
    return BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(10)), "sqlite:///budget.db#clinic"


@pytest.mark.slow
def test_each_label_has_a_rule_files_and_its_share(run, account, tmp_path):
    code, out, err = run(*THREE, "--budget", account[1], "--out", "m.json", "--report", "r.html")
    assert (code, err) == (0, "")
    assert out.count("rule:") == 3 and out.count("privacy: ε = 3 ") == 3
    assert "total:   ε = 9 for the 3 rules together" in out
    for label, x in (("child", 5), ("adult", 40), ("senior", 80)):
        model = Model.from_json((tmp_path / f"m-{label}.json").read_text("utf-8"))
        assert model.predict({"age": [x]}).tolist() == [label]
        assert model.classes == (f"not {label}", label)
        page = (tmp_path / f"r-{label}.html").read_text("utf-8")
        assert "one of 3 rules, which cost ε = 9 together" in page
    assert account[0].spent == Budget(9) and len(account[0].history()) == 3
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.slow
def test_json_has_a_line_for_each_rule(run):
    code, out, _ = run(*THREE, "--json")
    rules = [json.loads(line)["model"] for line in out.splitlines()]
    assert code == 0 and [rule["classes"][1] for rule in rules] == ["child", "adult", "senior"]


def test_an_account_that_does_not_cover_all_rules_pays_for_none(run, account, tmp_path):
    (tmp_path / "ages.csv").write_bytes(b"\xff")  # it is not even opened
    code, out, err = run(*THREE[:-1], "12", "--budget", account[1])
    assert code != 0 and out == "" and "a fit costs ε = 12 but ε = 10 remains" in err
    assert account[0].spent == Budget(0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--classes", "child,adult,a/b", "--delta", "0", "--out", "m.json"), "leave out --out"),
        (("--classes", "child,adult,Child", "--delta", "0", "--report", "r.html"), "leave out --report"),
        (("--classes", "child,adult,adult"), "--classes takes"),
        (("--classes", "1,2,01"), "three different labels"),
        (("--classes", "child,adult,old", "--delta", "0"), "none of the 3 declared ones"),
    ],
)
def test_refusals_spend_nothing(run, account, words, why):
    code, out, err = run(*words, "--budget", account[1])
    assert (code, out) == (2, "") and why in err
    assert account[0].spent == Budget(0)
