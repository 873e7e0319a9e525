"""What the house checks look at: the repository, and every module of the package as a syntax tree."""

import ast
import gc
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def modules(root: Path) -> dict[str, ast.Module]:
    """Dotted name → syntax tree; a package goes by its own name."""
    gc.disable()  # in millions of small objects, none of them garbage, the search for it takes most of the time
    trees = {}
    for path in sorted((root / "src").rglob("*.py")):
        parts = path.relative_to(root / "src").with_suffix("").parts
        trees[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text("utf-8"))
    gc.freeze()  # nor does a later search look at them
    gc.enable()
    return trees
