"""``privpac explore``: what it offers, what it refuses, and that it answers until it is interrupted."""

import errno
import http.client
import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from privpac.cli.commands.explore import _listening_socket, offered_tables
from privpac.refusals.refusal import Refused


def status(port: str, path: str) -> tuple[int, str | None]:
    """The status of an answer, and what the server says it is."""
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("server")


@pytest.mark.slow
def test_it_serves_on_this_machine_until_it_is_interrupted(tmp_path):
    command = [sys.executable, "-m", "privpac", "explore", "--port", "0", "--budget", f"sqlite:///{tmp_path}/b.db"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        told = run.stdout.readline()
        port, key = re.fullmatch(r"Open http://127\.0\.0\.1:(\d+)/\?key=(\w+)\n", told).groups()
        assert run.stdout.readline() == "Stop with Ctrl-C.\n"
        assert [status(port, path) for path in ("/", f"/?key={key}")] == [(403, None), (303, None)]
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=20)
    finally:
        run.kill()
        run.communicate()
    assert (run.returncode, out, err) == (0, "Stopped.\n", "")
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_refused(run):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        code, _, error = run("explore", "--port", str(other.getsockname()[1]))
    assert code == 2
    assert "is in use; choose another one, such as --port 0" in error


def test_files_folders_and_addresses_are_offered(tmp_path):
    for name in ("b.csv", "a.parquet", "notes.txt"):
        (tmp_path / name).touch()
    names = [
        each.name for each in offered_tables([str(tmp_path), str(tmp_path / "b.csv"), "postgres://ann:x@host/d#t"])
    ]
    assert names == ["a.parquet", "b.csv", "b.csv", "d#t"]
    assert [each.name for each in offered_tables([])] == ["flights.csv"]


def test_a_missing_file_or_a_wrong_schema_is_refused(run, tmp_path):
    assert "there is no file nowhere.csv" in run("explore", "nowhere.csv", "--port", "0")[2]
    (tmp_path / "s.toml").write_text("[columns.age]\n")
    code, _, error = run("explore", "--port", "0", "--schema", str(tmp_path / "s.toml"))
    assert code == 2 and "has no kind" in error


def test_units_are_declared_once_for_all(run, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text('[unit]\ncolumn = "patient"\nmax_records = 3\n[columns.age]\nkind = "integer"\nlow = 0\nhigh = 9\n')
    for options, words in (
        (["--unit", "patient"], "--unit and --max-records belong together"),
        (["--max-records", "2"], "--unit and --max-records belong together"),
        (["--unit", "patient", "--max-records", "0"], "at least 1"),
        (["--unit", "doctor", "--max-records", "3", "--schema", str(path)], "s.toml declares another unit"),
        (["--unit", "patient", "--max-records", "2", "--schema", str(path)], "s.toml declares another unit"),
    ):
        code, _, error = run("explore", "--port", "0", *options)
        assert code == 2 and words in error


def test_without_the_extra_it_says_what_to_install(run, monkeypatch):
    for name in [each for each in sys.modules if each.startswith("privpac.app")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, error = run("explore", "--port", "0")
    assert code == 2 and "pip install 'privpac[app]'" in error


@pytest.mark.slow
def test_without_any_extra_it_asks_for_its_own():
    program = "import sys; sys.modules['sqlalchemy'] = None; from privpac.cli import run_typed; run_typed()"
    ran = subprocess.run([sys.executable, "-c", program, "explore"], check=False, capture_output=True, text=True)
    assert ran.returncode == 2 and "pip install 'privpac[app]'" in ran.stderr


def test_a_proxy_needs_its_header_and_its_key(run, tmp_path):
    code, _, error = run("explore", "--port", "0", "--proxy", "https://explorer.clinic.example")
    assert code == 2 and "--proxy, --user-header, and --key-file belong together" in error


def test_a_port_that_may_not_be_used_is_not_called_one_in_use(monkeypatch):
    def forbidden(self, place):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", forbidden)
    with pytest.raises(Refused, match=r"the port 80 cannot be used \(Permission denied\); choose another one"):
        _listening_socket(80)


def test_a_port_in_use_is_named():
    with _listening_socket(0) as place, pytest.raises(Refused, match="is in use; choose another one"):
        _listening_socket(place.getsockname()[1])
