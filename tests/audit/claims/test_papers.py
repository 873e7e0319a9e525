"""Claims of papers' algorithms: on ordered samples, and caught where an algorithm costs more than it says."""

from dataclasses import replace

from privpac.audit.claims.papers import claim_of
from privpac.papers.editions import edition_named
from privpac.privacy.budget import Budget


def test_a_claim_is_that_of_its_edition_and_has_power():
    """A twentieth of what the algorithm claims is refuted on its case."""
    claim = claim_of(edition_named("occam"))
    assert not claim.exact().refuted
    less = Budget(claim.claimed.epsilon / 20)
    assert replace(claim, claimed=less).exact().refuted


def test_an_edition_without_a_case_has_no_claim():
    assert claim_of(edition_named("make-tree")) is None
