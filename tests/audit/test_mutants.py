"""An audit by name refutes each mutant that is planted in what it audits."""

from collections import Counter

import pytest

from privpac.audit.claims.learners import LEARNED
from privpac.audit.claims.mechanisms import CATALOGUE, cases_named
from privpac.audit.claims.sensitivities import HANDED
from tests.audit.mutants import MUTANTS, planted

pytestmark = pytest.mark.audit


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_refuted(mutant):
    cases = cases_named(mutant.audited, (*CATALOGUE, *LEARNED, *HANDED))
    with planted(mutant):
        assert any(case.exact().refuted for case in map(fresh, reversed(cases)))  # the last ones are quick


def fresh(case):
    """The case without what its mechanism has computed already."""
    for name in ("parts", "_rule"):
        vars(case.mechanism).pop(name, None)
    return case


def test_there_are_many():
    assert min(Counter(mutant.audited for mutant in MUTANTS).values()) >= 8
