"""The folders of the explorer import only from those below them, in the order that its docstring lists."""

import ast
import re
from pathlib import Path

import privpac.app

FOLDER = Path(privpac.app.__file__).parent


def imports_inside(path: Path) -> set[str]:
    """The folders or modules of the explorer that a file imports."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {
        node.module.split(".")[2]
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privpac.app.")
    }


def test_imports_go_down_the_list():
    listed = re.findall(r"^    (\w+) {2,}\S", privpac.app.__doc__.partition("Folders")[2], re.MULTILINE)
    files = {path.relative_to(FOLDER): path for path in FOLDER.rglob("*.py") if path != FOLDER / "__init__.py"}
    owners = {path: relative.parts[0].removesuffix(".py") for relative, path in files.items()}
    assert set(listed) == set(owners.values())
    upward = [
        f"{path.name} → {target}"
        for path, owner in owners.items()
        for target in imports_inside(path) - {owner}
        if listed.index(target) <= listed.index(owner)
    ]
    assert upward == []
