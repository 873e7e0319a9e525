"""How a command fits: on a terminal it shows progress, and warnings are sentences with options in them."""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from privpac.cli.output import working
from privpac.cli.panels import OF_PRIVACY
from privpac.cli.spelling import for_the_shell
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.privacy.hold import hold
from privpac.refusals.refusal import InOtherWords, Refused, Sentence, Setting, parts_of

Held = Annotated[
    str | None,
    typer.Option(
        "--hold",
        metavar="TIME",
        rich_help_panel=OF_PRIVACY,
        help="Show nothing before TIME, such as 10s, has passed, or a multiple of it: time then tells nothing more.",
    ),
]
SHORTEST, LONGEST = 0.001, 24 * 3600.0  # seconds


def seconds_of(said: str | None) -> float | None:
    """How long a hold is: 10s, 2m, or a number of seconds; None if there is none.

    >>> seconds_of("10s"), seconds_of("2m"), seconds_of("0.5"), seconds_of(None)
    (10.0, 120.0, 0.5, None)
    """
    if said is None:
        return None
    from privpac.classes.shell import duration_of

    try:
        duration = duration_of(said)
        seconds = float(said) if duration is None else duration.total_seconds()
    except ValueError:
        seconds = 0.0
    if not SHORTEST <= seconds <= LONGEST:
        raise Refused("hold", Setting("hold"), " takes a time of at most a day, such as 10s, 2m, or 0.5")
    return seconds


def fitted(what: str, fit: Callable[..., object], *given: Any, held: float | None = None) -> None:
    """Call ``fit``; on a terminal, show that the command is at work. Nothing that follows comes before the hold ends.

    With a hold, a terminal shows no progress, and warnings come afterwards: how far the work is tells how fast it is.
    """
    with warnings.catch_warnings(), ExitStack() as shown, hold(held):
        if held is None:
            shown.enter_context(working(what))
        warnings.simplefilter("always", LargeDeltaWarning)
        warnings.showwarning = _warn if held is None else lambda told, *_, **__: _later(shown, told)
        # values of the wrong type are bad input like any other
        with InOtherWords(lambda error: Refused(getattr(error, "parameter", "X"), *parts_of(error)), TypeError):
            fit(*given)


def _later(shown: ExitStack, message: Warning | str) -> None:
    """Warn when what is shown ends."""
    shown.callback(_warn, message)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    told = message.args[0] if isinstance(message, LargeDeltaWarning) else message
    typer.echo(f"warning: {for_the_shell(told) if isinstance(told, Sentence) else told}", err=True)
