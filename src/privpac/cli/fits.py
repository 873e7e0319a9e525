"""How a command fits: on a terminal it shows progress, and warnings are sentences with options in them.

Main declarations
    fitted    calls a fit
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import typer

from privpac.cli.output import working
from privpac.cli.spelling import for_the_shell
from privpac.data.refusal import InOtherWords, Refused, Sentence, parts_of
from privpac.privacy.delta import LargeDeltaWarning


def fitted(what: str, fit: Callable[..., object], *given: Any) -> None:
    """Call ``fit``; on a terminal, show that the command is at work."""
    with warnings.catch_warnings(), working(what):
        warnings.simplefilter("always", LargeDeltaWarning)
        warnings.showwarning = _warn
        # values of the wrong type are bad input like any other
        with InOtherWords(lambda error: Refused(getattr(error, "parameter", "X"), *parts_of(error)), TypeError):
            fit(*given)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    told = message.args[0] if isinstance(message, LargeDeltaWarning) else message
    typer.echo(f"warning: {for_the_shell(told) if isinstance(told, Sentence) else told}", err=True)
