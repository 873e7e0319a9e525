"""``privpac demo``: what comes with the package, learned from."""

import json
import re
import subprocess
import sys
from functools import partial

import pytest


@pytest.fixture
def run(tmp_path, monkeypatch, typed):
    monkeypatch.chdir(tmp_path)
    return partial(typed, "demo")


@pytest.mark.slow
def test_it_learns_and_writes_a_page(run, tmp_path):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert 25 <= int(re.search(r"late = 1 if dep_delay ≥ (\d+), otherwise 0", out)[1]) <= 50
    assert "privacy: ε = 1" in out
    assert "error ≤ that of the best rule of the class + 0.0" in out
    assert "errs on about" in out
    assert out.splitlines()[-1] == "report:  demo.html"
    assert "dep_delay" in (tmp_path / "demo.html").read_text("utf-8")


def test_json_and_other_places(run, tmp_path):
    code, out, _ = run("--json", "--report", "page.html", "--out", "model.json")
    assert code == 0
    assert json.loads(out)["written"] == {"model": "model.json", "report": "page.html"}
    assert (tmp_path / "page.html").exists()
    assert "cannot be written" in run("--report", "nowhere/page.html")[2]


@pytest.mark.slow
def test_it_needs_no_engine_and_no_store(tmp_path):
    """What is installed without extras is enough."""
    script = """
import sys
absent = "ibis", "duckdb", "sqlalchemy", "pandas", "polars", "pyarrow", "numba", "matplotlib"
sys.modules.update(dict.fromkeys(absent))
from privpac.cli import app
app(["demo"])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
