"""Digits come in groups of three, and everywhere in the same ones."""

import re
from pathlib import Path

import pytest

import privpac
from privpac.report.numbers import grouped


@pytest.mark.parametrize(("n", "text"), [(0, "0"), (999, "999"), (1000, "1 000"), (1234567, "1 234 567")])
def test_groups_of_three(n, text):
    assert grouped(n) == text


def test_no_other_module_groups_digits():
    package = Path(privpac.__file__).parent
    found = [path.name for path in package.rglob("*.py") if re.search(r":,[}'\"]", path.read_text("utf-8"))]
    assert found == ["numbers.py"]
