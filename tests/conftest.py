"""A real PostgreSQL server for the session."""

import os
import uuid
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory

import psycopg
import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn skips some of its checks


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """A function that makes an empty schema and returns a URL whose tables live there."""
    # not pytest's own folder: each start of pytest closes that to other users, and so to a server that root starts
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        import pgserver  # noqa: PLC0415 (it asks for that directory when it is imported, and warns if there is none)

        server = pgserver.get_server(f"{folder}/postgres", cleanup_mode="delete")

        def fresh() -> str:
            name = f"test_{uuid.uuid4().hex}"
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {name}")
            return f"{server.get_uri()}&options=-csearch_path%3D{name}"

        yield fresh
        server.cleanup()
