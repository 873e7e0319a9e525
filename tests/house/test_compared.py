"""The page *Compared* quotes the benchmarks: each figure stands in the table that the page names."""

import re

import pytest

HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
QUOTED = re.compile(r'^Table "(.+)":\n\n((?:\|.*\n)+)', re.MULTILINE)
NAMED = re.compile(r'[Tt]able "(.+?)"')
FIGURE = re.compile(r"\d+\.\d+(?:e-\d+)?|\de-\d+")


def sections(results: str) -> dict[str, str]:
    """Heading → what stands below it. Two runs may share a heading; then both count."""
    _, *parts = HEADING.split(results)
    found: dict[str, str] = {}
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        found[heading] = found.get(heading, "") + text
    return found


def strangers(page: str, results: str) -> list[str]:
    """Figures and headings on the page that the results do not have."""
    tables = sections(results)
    wrong = [heading for heading in NAMED.findall(page) if heading not in tables]
    for heading, rows in QUOTED.findall(page):
        known = set(FIGURE.findall(tables.get(heading, "")))
        wrong += [f"{figure} of {heading}" for figure in FIGURE.findall(rows) if figure not in known]
    return wrong + [figure for figure in FIGURE.findall(page) if figure not in set(FIGURE.findall(results))]


@pytest.mark.slow
def test_every_figure_is_one_of_the_benchmarks(root):
    page = (root / "docs" / "compared.md").read_text("utf-8")
    assert len(QUOTED.findall(page)) >= 3
    assert strangers(page, (root / "benchmarks" / "results.md").read_text("utf-8")) == []


def test_figures_of_another_table_are_seen():
    results = "### One\n\n| a | 0.25 |\n\n### Two\n\n| a | 0.5 |\n"
    assert strangers('Table "One":\n\n| a | 0.25 |\n', results) == []
    assert strangers('Table "One":\n\n| a | 0.5 |\n', results) == ["0.5 of One"]
    assert strangers("It takes 0.75.", results) == ["0.75"]
    assert strangers('See table "Three".', results) == ["Three"]
