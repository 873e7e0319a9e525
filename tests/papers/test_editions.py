"""Editions: what they declare is there, what they claim is not refuted, and one learner stands for each."""

from fractions import Fraction
from importlib import import_module

import pytest

import privpac as pp
from privpac.audit.claims.papers import claim_of
from privpac.papers.abms20 import PrivateAgnostic
from privpac.papers.abms20 import editions as abms20
from privpac.papers.abms20.editions import base_learner
from privpac.papers.bbkn14 import editions as bbkn14
from privpac.papers.edition import Goal
from privpac.papers.editions import BY_KEY, BY_NAME, EDITIONS, edition_named
from privpac.papers.ggkm21 import editions as ggkm21
from privpac.papers.yan25 import editions as yan25
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused

pytestmark = pytest.mark.papers

AUDITED = [each.key for each in EDITIONS if each.trial]


@pytest.mark.parametrize("module", [abms20, bbkn14, ggkm21, yan25], ids=lambda module: module.__name__)
def test_each_paper_lists_its_own_algorithms_and_no_others(module):
    own = [each for each in EDITIONS if each.paper.lower() in module.__name__]
    assert own == list(module.EDITIONS) and own


def test_keys_and_names_are_unique():
    assert len(BY_KEY) == len(BY_NAME) == len(EDITIONS)
    assert not BY_KEY.keys() & BY_NAME.keys() - {"relabel"}
    assert BY_KEY["relabel"] == BY_NAME["relabel"]


@pytest.mark.parametrize("key", [each.key for each in EDITIONS if not each.false])
def test_every_name_is_in_the_folder_of_its_paper(key):
    edition = BY_KEY[key]
    folder = import_module(f"privpac.papers.{edition.paper.lower()}")
    parts = [folder, *(vars(folder).get(part) for part in ("trees", "recprefix"))]
    assert any(hasattr(part, edition.name) for part in parts)


@pytest.mark.parametrize("key", AUDITED)
def test_no_claim_is_refuted_and_the_records_count(key):
    found = claim_of(BY_KEY[key]).exact()
    assert not found.refuted
    assert float(found.ratio) > 0.03


def test_what_is_not_private_has_neither_a_learner_nor_a_case():
    refuted = [each for each in EDITIONS if each.false]
    assert {each.paper for each in refuted} == {"HCT24"}
    assert len(refuted) == 7
    assert not any(each.runs or each.trial for each in refuted)


def test_what_runs_has_a_number_and_its_theorem():
    runs = [each for each in EDITIONS if each.runs]
    assert len(runs) == 15
    assert all(each.tight and each.theorem for each in runs)


def test_an_unknown_name():
    with pytest.raises(Refused, match="did you mean 'occam'"):
        edition_named("ocam")
    with pytest.raises(Refused, match="`privpac papers` lists them"):
        edition_named("a name that resembles none")


@pytest.mark.parametrize(
    "H",
    [
        pp.Points(2**16),
        pp.Thresholds(1, 2**16, direction="below"),
        pp.Thresholds(0, 2**16 - 1),
        pp.Intervals(0, 2**16 - 1),
        pp.Or(pp.Thresholds(0, 2**16, direction="above").on("x"), pp.Thresholds(0, 9, direction="below").on("y")),
        pp.SparseSets(1, 4),
    ],
    ids=repr,
)
def test_base_learners_are_proper_and_proved(H):
    """Where a pattern is drawn without a table, the class is not listed."""
    A, listed = base_learner(H, Goal(Budget(1), Fraction(1, 10), Fraction(1, 20)))
    assert A.stays_in(listed)
    assert A.cost == Budget(1)
    assert (listed is H) is (H.domain.size > 100)
    assert PrivateAgnostic(A, listed, 0.2, 0.1, "tight").N >= 18 * A.N
