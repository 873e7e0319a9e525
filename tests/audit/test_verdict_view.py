"""What notebooks show of an audit: the verdict, the evidence, and the claim beside what was found."""

from math import inf

from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import Verdict
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget
from tests.report.pages.test_rule import Reader


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
