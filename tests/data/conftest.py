"""Servers for the tests that are marked `engines`: Debian's, `apt install postgresql mariadb-server`, and PyPI's."""

import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run
from tempfile import TemporaryDirectory

import pytest


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="session")
def debian_postgres() -> Iterator[str]:
    """The URL of a server that has citext and ICU, which the one of pgserver has not."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        pytest.skip("PostgreSQL is not installed")
    with TemporaryDirectory() as folder:
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []  # it does not run as root
        if user:
            shutil.chown(folder, "postgres")
        control = [*user, programs[-1] / "pg_ctl", "--silent", "-w", "-D", f"{folder}/data"]
        run([*control, "initdb", "-o", "-A trust -E UTF8 -U postgres"], check=True, stdout=DEVNULL, cwd=folder)
        options = f"-k {folder} -c listen_addresses=''"
        run([*control, "-l", f"{folder}/log", "-o", options, "start"], check=True, stdout=DEVNULL, cwd=folder)
        yield f"postgresql://postgres@/postgres?host={folder}"
        run([*control, "-m", "immediate", "stop"], check=True, stdout=DEVNULL, cwd=folder)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[dict[str, object]]:
    """How Ibis connects to a server with MariaDB's usual settings."""
    server = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin")
    if server is None:
        pytest.skip("MariaDB is not installed")
    import MySQLdb  # noqa: PLC0415

    with TemporaryDirectory() as folder:
        data = ["--no-defaults", f"--datadir={folder}/data", *(["--user=root"] if os.getuid() == 0 else [])]
        run(["mariadb-install-db", *data, "--auth-root-authentication-method=normal"], check=True, stdout=DEVNULL)
        port, address = _free_port(), "127.0.0.1"
        running = Popen(
            [server, *data, f"--socket={folder}/socket", f"--bind-address={address}", f"--port={port}"],
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
        given = {"host": address, "port": port, "user": "root", "password": ""}
        for _ in range(100):
            try:
                with MySQLdb.connect(**given) as connection:
                    connection.cursor().execute("CREATE DATABASE records")
                break
            except MySQLdb.OperationalError:
                time.sleep(0.3)
        yield given | {"database": "records"}
        running.terminate()
        running.wait()


@contextmanager
def _clickhouse() -> Iterator[tuple[Popen, dict[str, object]]]:
    if find_spec("chdb") is None:
        pytest.skip("chDB is not installed")
    port = _free_port()
    with Popen([sys.executable, Path(__file__).with_name("clickhouse_server.py"), str(port)], stdout=PIPE) as running:
        running.stdout.readline()
        yield running, {"host": "127.0.0.1", "port": port}
        running.kill()


@pytest.fixture(scope="session")
def clickhouse() -> Iterator[dict[str, object]]:
    """How Ibis connects to ClickHouse's engine, which is chDB's."""
    with _clickhouse() as (_, given):
        yield given


@pytest.fixture
def mortal_clickhouse() -> Iterator[tuple[Popen, dict[str, object]]]:
    """The same, of a process that a test may end."""
    with _clickhouse() as running:
        yield running


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession  # noqa: PLC0415

    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1"}
    return SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
