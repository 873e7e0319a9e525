"""An erratum is three things that agree: an entry, a pair of tests, and a tag where code departs from the paper."""

import ast
import re

TAG = re.compile(r"E-[A-Z][A-Za-z]*\d\d-\d+\b")
HEADING = re.compile(rf"^## ({TAG.pattern}): ", re.MULTILINE)
SIDE = re.compile(rf"({TAG.pattern}), as (printed|corrected): ")
SOURCE = re.compile(r"`(src/privpac/[\w/]+\.py)`")


def entries(pages: dict[str, str]) -> dict[str, list[str]]:
    """Tag → the source files that its entry names, over pages given as key → text."""
    found = {}
    for key, text in pages.items():
        _, *parts = HEADING.split(text)
        for tag, body in zip(parts[::2], parts[1::2], strict=True):
            assert tag.startswith(f"E-{key}-"), f"{tag} stands on the page of {key}"
            found[tag] = SOURCE.findall(body)
    return found


def pairs(tests: list[str]) -> dict[str, set[str]]:
    """Tag → the sides that the docstrings of test functions claim to show."""
    found: dict[str, set[str]] = {}
    for source in tests:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for tag, side in SIDE.findall(ast.get_docstring(node) or ""):
                    found.setdefault(tag, set()).add(side)
    return found


def disagreements(pages: dict[str, str], tests: list[str], sources: dict[str, str]) -> list[str]:
    """Entries without both tests, tests or tags without an entry, and files named by an entry that lack its tag."""
    listed, shown = entries(pages), pairs(tests)
    tags = {path: set(TAG.findall(text)) for path, text in sources.items()}
    wrong = [f"{tag}: needs a test for each side" for tag in listed if shown.get(tag) != {"printed", "corrected"}]
    wrong += [f"{tag}: tested without an entry" for tag in shown if tag not in listed]
    wrong += [f"{tag}: used in {path} without an entry" for path in tags for tag in sorted(tags[path] - set(listed))]
    wrong += [f"{tag}: not tagged in {p}" for tag, paths in listed.items() for p in paths if tag not in tags.get(p, ())]
    return wrong


def test_errata_agree(root):
    pages = {path.stem: path.read_text("utf-8") for path in (root / "docs" / "errata").glob("[A-Z]*.md")}
    tests = [path.read_text("utf-8") for path in (root / "tests" / "errata").glob("*.py")]
    sources = {p.relative_to(root).as_posix(): p.read_text("utf-8") for p in (root / "src").rglob("*.py")}
    assert entries(pages)
    assert disagreements(pages, tests, sources) == []


def test_the_page_for_researchers_counts_the_errata(root):
    pages = {path.stem: path.read_text("utf-8") for path in (root / "docs" / "errata").glob("[A-Z]*.md")}
    told = (root / "docs" / "guide" / "researchers.md").read_text("utf-8")
    assert re.findall(r"(\d+) \[errata\]", told) == [str(len(entries(pages)))]


PAGE = "# Abc99\n\n## E-Abc99-1: a sign\n\nSee `src/privpac/exact/abc.py`.\n"
PRINTED = 'def test_a():\n    """E-Abc99-1, as printed: fails."""\n'
CORRECTED = 'def test_b():\n    """E-Abc99-1, as corrected: holds."""\n'
CODE = {"src/privpac/exact/abc.py": "x = -1  # E-Abc99-1\n"}


def test_agreement_passes():
    assert disagreements({"Abc99": PAGE}, [PRINTED + CORRECTED], CODE) == []


def test_disagreements_are_seen():
    assert disagreements({"Abc99": PAGE}, [PRINTED], CODE) == ["E-Abc99-1: needs a test for each side"]
    assert disagreements({}, [PRINTED], {}) == ["E-Abc99-1: tested without an entry"]
    assert disagreements({}, [], CODE) == ["E-Abc99-1: used in src/privpac/exact/abc.py without an entry"]
    assert disagreements({"Abc99": PAGE}, [PRINTED + CORRECTED], {}) == [
        "E-Abc99-1: not tagged in src/privpac/exact/abc.py"
    ]
