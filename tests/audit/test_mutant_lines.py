"""Every mutant changes a line that its function has once; that the audit refutes it is tested by ``make audit``."""

import pytest

from tests.audit.learner_mutants import COUNTED_TWICE, LEARNER_MUTANTS
from tests.audit.mechanism_mutants import MECHANISM_MUTANTS
from tests.audit.mutants import source
from tests.audit.release_mutants import RELEASE_MUTANTS


@pytest.mark.slow
def test_a_renamed_line_takes_its_mutant_along():
    mutants = [*MECHANISM_MUTANTS, *LEARNER_MUTANTS, *RELEASE_MUTANTS, *COUNTED_TWICE]
    lost = [str(mutant) for mutant in mutants if source(mutant.function).count(mutant.line) != 1]
    assert len(mutants) > 200 and not lost
