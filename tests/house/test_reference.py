"""What *Reference* and *What is public and stable* say is true."""

import re
from importlib import import_module
from pkgutil import resolve_name
from types import ModuleType

import privpac

LISTED = re.compile(r"^   ~(privpac\.\S+)\.(\w+)$", re.MULTILINE)
ROOM = re.compile(r"^   (privpac(?:\.\w+)+)$", re.MULTILINE)
CODE = re.compile(r"^\| (\d+) \|", re.MULTILINE)


def page(root, name: str) -> str:
    return (root / "docs" / name).read_text("utf-8")


def strangers(text: str) -> list[str]:
    """Names on the page that are not where it says, or that are another thing than the public name."""
    found = []
    for module, name in LISTED.findall(text):
        try:
            thing = resolve_name(f"{module}:{name}")
        except (ImportError, AttributeError):
            thing = None
        public = getattr(privpac, name, None)  # audit is a function, and its room, which has this function
        if thing is None or thing not in (public, getattr(public, name, None)):
            found.append(f"{module}.{name}")
    return found


def test_every_public_name_is_listed_once_and_resolves(root):
    text = page(root, "reference.md")
    names = [name for _, name in LISTED.findall(text)]
    public = [name for name in privpac.__all__ if callable(getattr(privpac, name))]
    assert sorted(names) == sorted(public)
    assert strangers(text) == []


def test_a_name_that_has_moved_is_seen():
    assert strangers("   ~privpac.privacy.budget.Budget\n") == []
    assert strangers("   ~privpac.privacy.ledger.Budgets\n   ~privpac.elsewhere.Budget\n") == [
        "privpac.privacy.ledger.Budgets",
        "privpac.elsewhere.Budget",
    ]
    assert strangers("   ~privpac.privacy.certificate.dataclass\n") == ["privpac.privacy.certificate.dataclass"]


def test_every_room_is_listed_and_exports_what_it_has(root):
    listed = ROOM.findall(page(root, "reference.md"))
    rooms = [name for name in privpac.__all__ if isinstance(getattr(privpac, name), ModuleType)]
    assert {f"privpac.{name}" for name in rooms} <= set(listed)
    for room in map(import_module, listed):
        assert [name for name in getattr(room, "__all__", ()) if not hasattr(room, name)] == []


def test_files_are_marked_as_stated(root):
    text = page(root, "stability.md")
    assert set(re.findall(r'"privpac (\w+)": (\d)', text)) == {("model", "1"), ("release", "1")}
    release = privpac.PrivateRelease(privpac.Thresholds(0, 9, direction="above"), epsilon=1).fit(
        [[each % 9] for each in range(200)]
    )
    assert '"privpac release": 1' in release.release_.to_json()
    models = list((root / "tests" / "models").glob("*.json"))
    assert models
    assert [path.name for path in models if '"privpac model": 1' not in path.read_text("utf-8")] == []


def test_exit_codes_are_those_of_the_guide(root):
    assert CODE.findall(page(root, "stability.md")) == CODE.findall(page(root, "guide/learning.md")) != []
