"""Columns of decimals between bounds that are whole numbers: what to type, told by types and never by values."""

import re

import pyarrow as pa
import pyarrow.parquet
import pytest

from privpac.cli.program import app

CUT = ("--class", "thresholds", "--low", "0", "--high", "9", "--x", "size", "--y", "big", "--epsilon", "50")


@pytest.fixture
def learn(tmp_path, capsys):
    """``privpac learn`` on a column of sizes; its exit code and what it says."""

    def learn(sizes, *options, kind="float64", name="t.parquet"):
        table = pa.table({"size": pa.array(sizes, kind), "big": [int(size >= 4) for size in sizes]})
        if name.endswith(".csv"):
            lines = [f"{size},{big}" for size, big in zip(sizes, table["big"].to_pylist(), strict=True)]
            (tmp_path / name).write_text("\n".join(["size,big", *lines, ""]))
        else:
            pyarrow.parquet.write_table(table, tmp_path / name)
        with pytest.raises(SystemExit) as end:
            app(["learn", str(tmp_path / name), *CUT, *options])
        return end.value.code, *capsys.readouterr()

    return learn


TENTHS = [i % 90 / 10 for i in range(900)]
WHOLE = [float(i % 9) for i in range(900)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_decimals_are_refused_with_the_step_to_type(learn, name):
    code, _, told = learn(TENTHS, name=name)
    assert code == 2
    assert "say how finely they count: --step 0.1, or " in told
    assert "or say --on-invalid default, which counts" in told
    code, out, told = learn(TENTHS, "--step", "0.1", name=name)
    assert (code, told) == (0, "")
    assert 3.5 < float(re.search(r"size ≥ (\d\.\d),", out)[1]) < 4.5


@pytest.mark.slow
def test_the_note_depends_on_the_type_of_the_column_alone(learn):
    notes = {learn(sizes, "--on-invalid", "clamp")[2] for sizes in (TENTHS, WHOLE)}
    assert notes == {
        "note: column 'size' is stored as decimals, but --low and --high are whole numbers, so values between them are "
        'rounded down; to tell decimals apart, say --step 0.1, or kind = "decimal" in a schema\n'
    }
    assert "count toward no score" in learn(WHOLE, "--on-invalid", "default")[2]
    for quiet in (
        learn(WHOLE),
        learn(TENTHS, "--on-invalid", "clamp", "--step", "0.1"),
        learn([int(size) for size in WHOLE], "--on-invalid", "clamp", kind="int64"),
    ):
        assert (quiet[0], quiet[2]) == (0, "")
