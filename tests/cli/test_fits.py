"""Fits of commands: their warnings and refusals are sentences."""

import warnings

import pytest

from privpac.cli.fits import run_fit
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.refusals.refusal import Refused, Sentence, Setting


def test_warnings_name_options(capsys):
    def fit():
        warnings.warn(LargeDeltaWarning(Sentence(("too large: ", Setting("delta")))), stacklevel=1)

    run_fit("releasing", fit)
    assert capsys.readouterr().err == "warning: too large: --delta\n"


def test_wrong_types_are_bad_input():
    with pytest.raises(Refused, match="not text") as refused:
        run_fit("releasing", lambda values: (_ for _ in ()).throw(TypeError(values)), "not text")
    assert refused.value.parameter == "X"
