"""What notebooks show of a plan: every row of the table, the notes, and the numbers that have all constants."""

import re

import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.values.points import Points
from privpac.planning.plan_pictures import MOST_MEASURES, plan_view
from privpac.planning.planner import plan
from tests.report.pages.test_rule import Reader

RULES = ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["<child>", "adult", "senior"])


@pytest.mark.parametrize(
    "asked",
    [{}, {"n": 4000}, {"n": 4000, "alpha": 0.05, "epsilon": 1}, {"n": 2, "alpha": 0.01}, {"task": "release"}],
    ids=str,
)
@pytest.mark.parametrize("H", [RULES, Points()], ids=["listed", "points"])
def test_a_card_is_whole_and_tells_all_rows(H, asked):
    made = plan(H, **asked)
    html = plan_view(made)
    assert html == made._repr_html_()
    said = Reader(html.replace("<br>", " ")).text
    assert all(cell in said for row in made.cells() for cell in (" ".join(each.split()) for each in row.values()))
    assert all(" ".join(str(note).split()) in said for note in made.notes)


def test_certified_numbers_are_filled_dots():
    made = plan(Points())
    dots = re.findall(r'<circle class="(\w+)"', plan_view(made))
    whole = [row for row in made.rows if row.n and not row.kind.hidden]
    assert dots == ["yes" if row.kind.certified else "no" for row in whole][:MOST_MEASURES]
    assert "yes" in dots and "no" in dots
