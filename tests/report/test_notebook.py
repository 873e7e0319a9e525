"""What notebooks show: whole HTML, escaped, in a style that stays inside, and with pictures of rules and witnesses."""

import re
from importlib.resources import files
from math import inf

import pytest

import privpac as pp
from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import Verdict
from privpac.dimensions.dimension import Dimension
from privpac.dimensions.witnesses import MistakeTree, ShatteredSet, ThresholdSequence
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from privpac.report.notebook import MOST_PATTERNS, dimension_view, model_view, notebook_card
from tests.report.pages.test_rule import Reader, model

NASTY = "<script>alert('&')</script>"


def text(html):
    return Reader(html.replace("<br>", " ")).text


def test_a_rule_is_shown_with_its_picture_and_its_promises():
    shown = model()
    html = model_view(shown)
    assert html == shown._repr_html_()
    said = text(html)
    assert str(shown) in said and "ε = 1, δ = 1e-06" in said and "Certified error" in said
    assert shown.certificate.privacy_line in said and shown.certificate.utility_line in said
    assert html.count("<svg") == 1


def test_a_rule_from_a_seed_is_not_private():
    assert "NOT PRIVATE" in text(model_view(model(certificate=Certificate(Budget(1), private=False))))


def test_a_constant_has_no_picture():
    assert "<svg" not in model_view(model(classes=("no",)))


@pytest.mark.parametrize("name", [NASTY, "\ud800 half", "a\x00b", "東京" * 200])
def test_names_cannot_break_the_card(name):
    witnesses = [
        MistakeTree((name,), (name, name)),
        ShatteredSet((name,), (name, name)),
        ThresholdSequence((name,), (name,)),
    ]
    cards = [dimension_view(Dimension("VC", 1, 1, each, name)) for each in witnesses]
    for html in [*cards, model_view(model(feature=name, label=name)), notebook_card(name, name, [])]:
        Reader(html.replace("<br>", " "))
        assert "<script" not in html
        html.encode()


def test_the_style_holds_only_inside_the_card():
    style = files("privpac.report").joinpath("notebook.css").read_text("utf-8")
    selectors = [part for block in re.findall(r"([^{}]+)\{", style) for part in block.split(",")]
    assert all(part.strip().startswith(".privpac") for part in selectors) and len(selectors) > 10
    assert "http" not in style and "--ink: currentColor" in style


RULES = pp.ExplicitClass([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], points=["child", "adult", "senior"])


def bits(html):
    """The rows of a table of labels."""
    return ["".join(re.findall(r"<td(?: class=\"one\")?>([01])</td>", row)) for row in html.split("<tr>")[2:]]


def test_a_mistake_tree_is_drawn():
    html = pp.littlestone_dimension(RULES)._repr_html_()
    assert html.count("<svg") == 1 and "Littlestone dimension 2" in html and "Witness: a tree of points" in text(html)


def test_a_shattered_set_shows_all_patterns():
    cube = pp.ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]])
    answer = pp.vc_dimension(cube)
    assert bits(answer._repr_html_()) == ["00", "01", "10", "11"]
    assert pp.verify(cube, answer)  # so the table is the witness that was checked


def test_a_threshold_sequence_is_a_staircase():
    assert bits(pp.threshold_dimension(RULES)._repr_html_()) == ["111", "011", "001"]


def test_a_theorem_has_no_witness():
    said = text(pp.vc_dimension(pp.Thresholds(0, 9, direction="above"))._repr_html_())
    assert "VC dimension 1" in said and "Witness" not in said


def test_bounds_say_which_of_them_the_witness_proves():
    tree = MistakeTree(("x",), ("never", "always"))
    assert "Witness of 1: " in text(dimension_view(Dimension("Littlestone", 1, 4, tree, "time limit")))


def test_a_large_witness_is_cut_short():
    many = tuple(range(100))
    html = dimension_view(Dimension("threshold", 100, 100, ThresholdSequence(many, many), "search"))
    assert len(bits(html)) == MOST_PATTERNS and "and more" in html and len(html) < 20_000
    empty = Dimension("Littlestone", -1, -1, MistakeTree((), ()), "no concept")
    assert "<svg" not in dimension_view(empty)


def said(found):
    return Reader(found._repr_html_().replace("<br>", " ")).text


def test_a_refuted_claim_is_a_warning():
    text = said(Verdict(True, 4.0914, Budget(1), "<1> against <0>", "output ≥ <b>", 1000, 0.999))
    assert text.startswith("REFUTED claimed: ε = 1 The claim does not hold.")
    assert "4.091" in text and "<1> against <0>, event: output ≥ <b>" in text


def test_a_claim_that_stands_is_not():
    text = said(Verdict(False, 0.3, Budget(1, 1e-6), "1 against 0", "output ≥ 1", 1000, 0.999))
    assert text.startswith("NOT REFUTED claimed: ε = 1, δ = 1e-06 ε at δ = 1e-06") and "does not hold" not in text


def test_infinite_losses_are_shown():
    assert "∞" in said(Verdict(True, inf, Budget(1), "1 against 0", "output ≥ 1", 1000, 0.999))


def vote(claimed):
    law = Exponential(Budget(1)).law
    return worst_divergence(lambda sample: law([sample.count(c) for c in "ab"]), "ab", 2, claimed)


def test_exact_audits_are_shown_as_well():
    assert said(vote(Budget(1))).startswith("NOT REFUTED claimed: ε = 1 ε; the dashed line is the claim")
    assert said(vote(Budget(0.1))).startswith("REFUTED claimed: ε = 0.1 The claim does not hold.")
    assert " δ; the dashed line" in said(vote(Budget(1, 1e-6)))
