"""An empty store of either kind for each test."""

from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store, in each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/budget.db"
    return request.getfixturevalue("postgres")()
