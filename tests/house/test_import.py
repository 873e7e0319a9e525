"""``import privpac`` is light: it loads nothing that only some uses need. All public names stand in one list."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import privpac

HEAVY = {"sqlalchemy", "psycopg", "scipy", "typer", "rich", "pandas", "sklearn", "matplotlib"}


def loaded_after(statement: str) -> set[str]:
    """The top-level modules a fresh interpreter has loaded after ``statement``."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_importing_privpac_is_light():
    loaded = loaded_after("import privpac")
    assert "privpac" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.slow
def test_only_estimators_load_scikit_learn():
    rooms = "pp.learners, pp.release, pp.report, pp.planning"
    names = "pp.Model, pp.Release, pp.write_report, pp.private_median, pp.plan(pp.Thresholds(0, 9)).best"
    assert "sklearn" not in loaded_after(f"import privpac as pp; {rooms}; {names}")


@pytest.mark.parametrize(
    ("room", "name"), [("learners", "PrivateClassifier"), ("release", "PrivateRelease"), ("release", "certified")]
)
def test_rooms_give_what_loads_scikit_learn_when_asked(room, name):
    room = getattr(privpac, room)
    assert getattr(room, name) is getattr(privpac, name)
    assert name in room.__all__
    with pytest.raises(AttributeError, match="has no attribute 'Estimatorz'"):
        room.Estimatorz  # noqa: B018


@pytest.mark.slow
def test_a_heavy_import_is_seen():
    assert loaded_after("import scipy.special") & HEAVY == {"scipy"}


def exported(stub: str) -> set[str]:
    """What a type checker takes for public names of a stub: those imported as themselves, and those declared."""
    body = ast.parse(stub).body
    imports = [alias for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]
    declared = {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    return declared | {alias.asname for alias in imports if alias.asname == alias.name}


def test_programs_and_type_checkers_see_the_same_names():
    stub = Path(privpac.__file__).with_suffix(".pyi").read_text("utf-8")
    assert sorted(privpac.__all__) == sorted(exported(stub)) == sorted([*dir(privpac), "__version__"])
    assert {"Thresholds", "classes", "audit", "__version__"} <= exported(stub)


def test_names_that_type_checkers_hide_are_seen():
    stub = "from a import b as b\nfrom a import c\nfrom a import d as e\nf: int"
    assert exported(stub) == {"b", "f"}


def test_every_public_name_can_be_imported():
    names: dict[str, object] = {}
    exec("from privpac import *", names)
    assert set(privpac.__all__) <= set(names)
    assert names["Budget"] is privpac.Budget
    assert names["classes"] is privpac.classes


def test_a_name_that_is_not_public_is_refused():
    with pytest.raises(AttributeError, match="attribute Thresholdz"):
        privpac.Thresholdz  # noqa: B018


@pytest.mark.slow
def test_the_room_of_audits_is_its_function_from_the_first_use_on():
    code = "import privpac; first = privpac.audit; print(first is privpac.audit, callable(first))"
    assert (
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "True True\n"
    )
