"""How a command fits and releases: it shows progress on a terminal, and writes warnings with options for parameters."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli.output import say, working
from privpac.cli.spelling import OF_PRIVACY, for_the_shell
from privpac.privacy.accounting.delta import LargeDeltaWarning
from privpac.privacy.hold import hold
from privpac.refusals.refusal import InOtherWords, Refused, Sentence, Setting, parts_of

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from privpac.release.release import Release
    from privpac.release.release_request import ReleaseRequest

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


def run_release(
    request: ReleaseRequest, table: ir.Table, unit: str | None, held: float | None = None, *, y: str | None = None
) -> Release:
    """The release of an Ibis table, when its hold ends; with the column of labels ``y``, about rules."""
    run_fit("releasing", request.fit, table, y, unit, held=held)
    return request.release_


def say_unit_limit(release: Release, unit: str | None) -> None:
    """With units: say which records are counted."""
    if k := release.guarantee.certificate.unit_records:
        say(f"records: of the {f'at most {k} records' if k > 1 else '1 record'} counted per {unit or 'unit'}")


def misfit_advice(data: str, table: str | None, schema: Path | None) -> str:
    """What the user can do if most records do not fit."""
    if schema is None:
        on_invalid_raise = for_the_shell(Sentence((Setting.to("on_invalid", "raise"),)))
        return f"{on_invalid_raise} says what does not fit, and spends nothing"
    place = "DATA" if "://" in data else data  # an address may hold a password
    arguments = [place, *([] if table is None else ["--table", table]), "--schema", str(schema)]
    return f"To see what does not fit, without a charge, run: privpac schema check {shlex.join(arguments)}"


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    text = message.args[0] if isinstance(message, LargeDeltaWarning) else message
    typer.echo(f"warning: {for_the_shell(text) if isinstance(text, Sentence) else text}", err=True)
