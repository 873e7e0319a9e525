"""``import privpac`` is light: it loads nothing that only some uses need."""

import subprocess
import sys

HEAVY = {"sqlalchemy", "psycopg", "scipy", "typer", "rich", "pandas", "sklearn", "matplotlib"}


def loaded_after(statement: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after ``statement``."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_importing_privpac_is_light():
    loaded = loaded_after("import privpac")
    assert "privpac" in loaded
    assert loaded & HEAVY == set()


def test_a_heavy_import_is_seen():
    assert loaded_after("import scipy.special") & HEAVY == {"scipy"}
