"""How a command fits: it shows progress on a terminal, and writes warnings with options in place of parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated

import typer

from privpac.cli.output import working
from privpac.cli.spelling import OF_PRIVACY, for_the_shell
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.privacy.hold import hold
from privpac.refusals.refusal import InOtherWords, Refused, Sentence, Setting, parts_of

Hold = Annotated[
    str | None,
    typer.Option(
        "--hold",
        metavar="TIME",
        rich_help_panel=OF_PRIVACY,
        help="Show nothing before TIME, such as 10s, has passed, or a multiple of it: time then tells nothing more.",
    ),
]
SHORTEST, LONGEST = 0.001, 24 * 3600.0  # seconds


def seconds_of(typed: str | None) -> float | None:
    """How long a hold is: 10s, 2m, or a number of seconds; None if there is none.

    >>> seconds_of("10s"), seconds_of("2m"), seconds_of("0.5"), seconds_of(None)
    (10.0, 120.0, 0.5, None)
    """
    if typed is None:
        return None
    from privpac.classes.shell_options import duration_of

    try:
        duration = duration_of(typed)
        seconds = float(typed) if duration is None else duration.total_seconds()
    except ValueError:
        seconds = 0.0
    if not SHORTEST <= seconds <= LONGEST:
        raise Refused("hold", Setting("hold"), " takes a time of at most a day, such as 10s, 2m, or 0.5")
    return seconds


def run_fit(what: str, fit: Callable[..., object], *arguments: object, held: float | None = None) -> None:
    """Call ``fit``; on a terminal, show ``what`` is done. With a hold of ``held`` seconds, return only when it ends.

    With a hold, a terminal shows no progress, and warnings come afterwards, because both would tell how fast it works.
    """
    with warnings.catch_warnings(), ExitStack() as afterwards, working(what) if held is None else hold(held):

        def later(message: Warning | str, *_: object, **__: object) -> None:
            afterwards.callback(_warn, message)

        warnings.simplefilter("always", LargeDeltaWarning)
        warnings.showwarning = _warn if held is None else later
        # Values of the wrong type are bad input like any other.
        with InOtherWords(lambda error: Refused(getattr(error, "parameter", "X"), *parts_of(error)), TypeError):
            fit(*arguments)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    text = message.args[0] if isinstance(message, LargeDeltaWarning) else message
    typer.echo(f"warning: {for_the_shell(text) if isinstance(text, Sentence) else text}", err=True)
