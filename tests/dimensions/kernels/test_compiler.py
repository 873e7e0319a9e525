"""What is kept on disk of compiled functions: used again as long as the room does not change, and no longer."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

pytest.importorskip("numba")

import privpac

CALL = """
import numpy as np
from privpac.dimensions.kernels.vc import State, overlap

row, numbers = np.array([[7]], np.uint64), np.zeros(1, np.int64)
S = State(row, row, numbers, np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int32), numbers, numbers, numbers)
print(overlap(S, 0, 0), "kept" if overlap.stats.cache_hits else "compiled")
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package, with nothing compiled."""
    return copytree(Path(privpac.__file__).parent, tmp_path / "privpac", ignore=ignore_patterns("__pycache__"))


def overlap_of_three(package, **environment):
    """What `kernels.vc.overlap` says in a new process, and where its code came from."""
    variables = {**os.environ, "PYTHONPATH": str(package.parent), **environment}
    done = subprocess.run([sys.executable, "-c", CALL], env=variables, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.audit
def test_an_edit_in_a_called_file_is_noticed(package):
    assert overlap_of_three(package) == ["3", "compiled"]
    assert overlap_of_three(package) == ["3", "kept"]
    called = package / "dimensions" / "kernels" / "normal_form.py"
    text = called.read_text("utf-8")
    assert text.count(">> np.uint64(56)))") == 1
    called.write_text(text.replace(">> np.uint64(56)))", ">> np.uint64(57)))"), "utf-8")  # ones() halves its answer
    assert overlap_of_three(package) == ["1", "compiled"]


@pytest.mark.audit
def test_functions_compile_where_nothing_can_be_written(package, tmp_path):
    (package / "dimensions" / "kernels" / "__pycache__").write_text("not a folder, not even for root")
    (tmp_path / "cache").write_text("nor this")
    assert overlap_of_three(package, XDG_CACHE_HOME=str(tmp_path / "cache"), NUMBA_CACHE_DIR="") == ["3", "compiled"]
    assert overlap_of_three(package, XDG_CACHE_HOME=str(tmp_path / "cache"), NUMBA_CACHE_DIR="") == ["3", "compiled"]
