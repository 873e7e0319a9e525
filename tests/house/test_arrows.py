"""Imports point one way, as CONTRIBUTING.md draws and lists them. Nothing below ``privacy`` knows of it."""

import ast
import re

import pytest

BASE = {"refusals", "data", "exact", "privacy"}
THEORY = {"classes", "dimensions"}
BELOW = BASE | THEORY | {"mechanisms", "requests", "online", "learners", "release", "report", "audit", "planning"}
ARROWS = {
    "refusals": set(),
    "data": {"refusals"},
    "exact": {"data"},
    "privacy": {"exact", "data", "refusals"},
    "classes": {"data", "refusals"},
    "dimensions": {"classes", "refusals"},
    "online": {"classes", "dimensions"},
    "mechanisms": BASE,
    "requests": BASE | {"classes", "mechanisms"},
    "learners": BASE | THEORY | {"mechanisms", "requests"},
    "release": BASE | {"classes", "mechanisms", "requests"},
    "papers": BASE | THEORY | {"mechanisms", "requests", "learners"},
    "report": {"release", "learners", "requests", "privacy", "dimensions", "classes", "data"},
    "planning": THEORY | {"release", "papers", "learners", "requests", "privacy", "report", "refusals"},
    "audit": BASE | {"report", "release", "papers", "learners", "requests", "mechanisms", "classes"},
    "app": {*BELOW, "papers"},
    "cli": {"privpac", "app", "papers", *BELOW},
}


def rooms_imported(module: str, tree: ast.Module) -> set[str]:
    """The rooms of privpac that ``module`` imports from; "privpac" stands for the package's own front door."""
    targets = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*module.split(".")[: -node.level], *base.split(".")]).rstrip(".")
            targets |= {f"{base}.{alias.name}" for alias in node.names}
    inside = [target.split(".") for target in targets if target.split(".")[0] == "privpac"]
    return {parts[1] if len(parts) > 1 and parts[1] in ARROWS else "privpac" for parts in inside}


DOORS = ("privpac", "privpac.__main__", "privpac.loading")  # may import from every room


def wrong_arrows(modules: dict[str, ast.Module]) -> list[str]:
    """Every import that no arrow allows."""
    wrong = []
    for module, tree in modules.items():
        if module not in DOORS:
            room = module.split(".")[1]
            allowed = ARROWS.get(room, set()) | {room}
            wrong += [f"{module} → {target}" for target in sorted(rooms_imported(module, tree) - allowed)]
    return wrong


@pytest.mark.slow
def test_every_import_follows_an_arrow(modules):
    assert wrong_arrows(modules) == []


def test_every_room_has_its_arrows(modules):
    assert {module.split(".")[1] for module in modules if module not in DOORS} <= set(ARROWS)


@pytest.mark.parametrize(
    ("module", "source", "target"),
    [
        ("privpac.exact.entropy", "from privpac.privacy.budget import Budget", "privacy"),
        ("privpac.exact.entropy", "from ..privacy import budget", "privacy"),
        ("privpac.exact.entropy", "from .. import privacy", "privacy"),
        ("privpac.privacy.ledger", "import privpac.mechanisms.noise.laplace", "mechanisms"),
        ("privpac.classes.finite.explicit", "from privpac.privacy.budget import Budget", "privacy"),
        ("privpac.classes.finite.explicit", "from privpac.dimensions import vc", "dimensions"),
        ("privpac.data.domains.line", "def f():\n    from privpac.privacy import budget", "privacy"),
        ("privpac.mechanisms.noise.laplace", "from privpac import audit", "audit"),
        ("privpac.mechanisms.noise.laplace", "from privpac import Budget", "privpac"),
        ("privpac.attic.noise", "from privpac.exact import entropy", "exact"),
    ],
)
def test_a_wrong_arrow_is_seen(module, source, target):
    assert wrong_arrows({module: ast.parse(source)}) == [f"{module} → {target}"]


def listed(text: str) -> dict[str, set[str]]:
    """Room → rooms that it may import from, as the table of a page has them; "privpac" stands for the front door."""
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|$", text, re.MULTILINE)
    return {room: set(re.findall(r"\w+", cell)) for room, cell in rows}


def drawn(text: str) -> list[set[str]]:
    """The rooms on each line of the drawing of a page, from top to bottom."""
    found = re.search(r"^```text\n(cli\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [set(line.split()) for line in found[1].splitlines()] if found else []


def upward(levels: list[set[str]], arrows: dict[str, set[str]]) -> list[str]:
    """Arrows that do not point to a lower line of a drawing, and rooms that do not stand on one line of it."""
    rooms = [room for level in levels for room in level]
    height = {room: -i for i, level in enumerate(levels) for room in level}
    wrong = [room for room in arrows if rooms.count(room) != 1]
    pairs = [(room, target) for room, targets in arrows.items() for target in targets - {"privpac"}]
    return wrong + [f"{a} → {b}" for a, b in pairs if {a, b} <= set(rooms) and height[a] <= height[b]]


def test_the_house_is_listed_and_drawn_as_it_is(root):
    page = (root / "CONTRIBUTING.md").read_text("utf-8")
    assert listed(page) == ARROWS
    assert upward(drawn(page), ARROWS) == []


def test_a_wrong_table_and_a_wrong_drawing_are_seen():
    assert listed("| `exact/` | how coins are tossed | `data`, `privacy` |\n") == {"exact": {"data", "privacy"}}
    levels = drawn("```text\ncli\nexact   privacy\n```\n")
    assert levels == [{"cli"}, {"exact", "privacy"}]
    assert upward(levels, {"cli": {"exact"}, "privacy": {"exact"}}) == ["privacy → exact"]
    assert upward(levels, {"data": set()}) == ["data"]


HEADING = "Parts, each importing only from those below it:"
PARTS = re.compile(HEADING + r"\n\n?((?:    .+\n?)+)")


def parts_of(room: ast.Module) -> list[str]:
    """The folders and modules of a room, from top to bottom, as the docstring of the room lists them."""
    found = PARTS.search(ast.get_docstring(room) or "")
    return re.findall(r"^ {4}(\w+)", found[1], re.MULTILINE) if found else []


def runtime_imports(module: str, tree: ast.Module) -> set[str]:
    """The dotted names that a module imports, in functions too, but not for type checkers alone."""
    hidden = {id(each) for node in ast.walk(tree) if _is_type_checking(node) for each in ast.walk(node)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in hidden:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import) and id(node) not in hidden:
            found |= {alias.name for alias in node.names}
    return found


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def wrong_parts(modules: dict[str, ast.Module]) -> list[str]:
    """Imports inside a room that go up or sideways in its list of parts, and parts that the list lacks."""
    wrong = []
    lists = {room: parts_of(modules[f"privpac.{room}"]) for room in ARROWS if f"privpac.{room}" in modules}
    for module, tree in modules.items():
        _, _, inside = module.partition(".")
        room, _, rest = inside.partition(".")
        if not rest or room not in lists:
            continue
        order, part = lists[room], rest.split(".")[0]
        if part not in order:
            wrong.append(f"{room} does not list {part}")
            continue
        below = {*order[order.index(part) :], part}
        targets = {each.split(".")[2] for each in runtime_imports(module, tree) if each.startswith(f"privpac.{room}.")}
        wrong += [f"{module} → {target}" for target in sorted(targets - below) if target in order]
    return sorted(set(wrong))


@pytest.mark.slow
def test_parts_of_a_room_import_from_those_below(modules):
    assert wrong_parts(modules) == []


def test_wrong_parts_are_seen():
    sources = {
        "privpac.exact": f'"""Coins.\n\n{HEADING}\n    top    x\n    low    y\n"""',
        "privpac.exact.top": "from privpac.exact.low import a",
        "privpac.exact.low": "def f():\n    from privpac.exact.top import b",
        "privpac.exact.attic": "",
    }
    parsed = {name: ast.parse(text) for name, text in sources.items()}
    assert parts_of(parsed["privpac.exact"]) == ["top", "low"]
    assert wrong_parts(parsed) == ["exact does not list attic", "privpac.exact.low → top"]
    parsed["privpac.exact.low"] = ast.parse("if TYPE_CHECKING:\n    from privpac.exact.top import b")
    assert wrong_parts(parsed) == ["exact does not list attic"]


def test_a_right_arrow_passes():
    assert wrong_arrows({"privpac.privacy.ledger": ast.parse("from privpac.exact.entropy import Entropy")}) == []
