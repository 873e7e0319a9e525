"""The page about a suggested schema: every column, what it cost, and nothing that a browser would run."""

from html import unescape

from privpac.release.suggestions.suggestion_request import SuggestionRequest
from privpac.report.pages.suggested_schema import suggestion_page

TABLE = {"age": [20, 35, 50, 70] * 300, "<b>": [f"person {i}" for i in range(1200)]}


def test_every_column_is_shown_and_escaped():
    found = SuggestionRequest(20, "1e-6").fit(TABLE, source="<i>.csv").suggestion_
    page = suggestion_page(found)
    assert "<b>" not in page and "<i>" not in page and "&lt;b&gt;" in page
    assert found.text in unescape(page) and "not suggested" in page
    assert "ε = 20, δ = 1e-06".replace(" ", "\N{NO-BREAK SPACE}")[:5] in page and "suggestions, Theorem 2" in page
    seeded = SuggestionRequest(20, "1e-6", random_state=3).fit(TABLE).suggestion_
    assert "NOT PRIVATE" in suggestion_page(seeded) and seeded.text.startswith("# NOT PRIVATE")
