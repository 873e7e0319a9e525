"""``privpac examples``: the tables of the guide and the gallery."""

import pytest

from privpac.cli import app


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        app(["examples", *arguments])
    return end.value.code, *capsys.readouterr()


def test_all_tables_are_written(tmp_path, request, capsys):
    folder = tmp_path / "new" / "examples"
    code, out, err = run(capsys, str(folder))
    assert (code, err) == (0, "")
    written = {each.name: each.read_bytes() for each in folder.iterdir()}
    source = request.config.rootpath / "examples"
    tables = [each for each in source.iterdir() if each.suffix in (".csv", ".toml") or each.name == "README.md"]
    assert written == {each.name: each.read_bytes() for each in tables}
    assert out.splitlines() == [str(folder / name) for name in sorted(written)]


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "flights.csv").write_text("mine", encoding="utf-8")
    code, out, err = run(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert "already has flights.csv; choose another folder" in err
    assert [each.name for each in tmp_path.iterdir()] == ["flights.csv"]


def test_the_wheel_names_every_table(request):
    root = request.config.rootpath
    text = (root / "pyproject.toml").read_text("utf-8")
    shipped = [each.name for each in root.glob("examples/*") if each.suffix in (".csv", ".toml")]
    assert len(shipped) == 6
    assert [name for name in shipped if f'"examples/{name}" = "privpac/examples/{name}"' not in text] == []
