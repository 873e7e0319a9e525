"""Every mutant changes a line that its function has once; that the audit refutes it is tested by ``make audit``."""

import builtins
import dis

import pytest

from tests.audit.learner_mutants import COUNTED_TWICE, LEARNER_MUTANTS
from tests.audit.mechanism_mutants import MECHANISM_MUTANTS
from tests.audit.mutants import changed, source
from tests.audit.release_mutants import RELEASE_MUTANTS

MUTANTS = [*MECHANISM_MUTANTS, *LEARNER_MUTANTS, *RELEASE_MUTANTS, *COUNTED_TWICE]


@pytest.mark.slow
def test_a_renamed_line_takes_its_mutant_along():
    lost = [str(mutant) for mutant in MUTANTS if source(mutant.function).count(mutant.line) != 1]
    assert len(MUTANTS) > 200 and not lost


@pytest.mark.slow
def test_a_changed_line_uses_only_names_that_exist():
    unknown = {str(mutant): names for mutant in MUTANTS if (names := unknown_names(mutant))}
    assert not unknown


def test_a_name_that_does_not_exist_is_noticed():
    assert unknown_names(MUTANTS[0]._replace(instead=f"no_such_name, {MUTANTS[0].line}")) == {"no_such_name"}


def unknown_names(mutant):
    """The global names of the changed function that neither its module nor Python has."""
    function = changed(mutant)
    return set(_global_names(function.__code__)) - {*function.__globals__, *vars(builtins)}


def _global_names(code):
    yield from (step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if hasattr(inner, "co_code"):
            yield from _global_names(inner)
