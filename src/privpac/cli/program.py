"""The command line: ``privpac --help``.

A failure that a user can cause ends with one sentence on stderr and an exit code, never with a traceback:
0 done, 1 refused (the budget does not cover it, δ·n is too large, or a key was charged before) or refuted (a promise
does not hold), 2 bad usage or input, 130 interrupted (the sentence says what was charged). A reader that stops early
(``| head``) is not a failure.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any, NoReturn, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from privpac import __version__
from privpac.cli.charges import NO_CHARGE
from privpac.cli.spelling import for_the_shell
from privpac.privacy.accounting.delta import LargeDelta
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store.once import AlreadyCharged
from privpac.refusals.option_words import words_in
from privpac.refusals.refusal import Refusal, Refused

COMMANDS = (
    *("learn", "predict", "release", "count", "summarize", "schema"),
    *("plan", "dimension", "audit", "papers"),
    *("demo", "examples", "explore", "budget"),
)
REFUSED, BAD_INPUT, INTERRUPTED = 1, 2, 130
HELP_ALL = "--help-all"
FEW = 4  # --help hides the options in panels if there are more of them than this


def end(reason: Exception, code: int) -> NoReturn:
    """Print the reason on stderr and exit."""
    typer.echo(f"error: {_sentence(reason)}", err=True)
    raise typer.Exit(code)


def _sentence(reason: Exception) -> str:
    if isinstance(reason, OSError) and reason.filename is not None:  # the system's message begins with a number
        return f"{reason.filename} cannot be used: {reason.strerror}; check the path"
    return for_the_shell(reason.sentence) if isinstance(reason, Refusal) else str(reason)


class PlainFlags:
    """A command whose help shows no type after a flag, such as --help <bool>."""

    def get_params(self, ctx: Any) -> Any:
        """The options, with nothing after those that take no value."""
        params = super().get_params(ctx)  # type: ignore[misc]
        for parameter in params:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return params


class PlainCommand(PlainFlags, TyperCommand):
    """A command with plain flags, whose --help leaves out the options in panels if there are more than a few."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        in_panels: list[Any] = [parameter for parameter in self.params if getattr(parameter, "rich_help_panel", None)]
        self.hideable = in_panels if len(in_panels) > FEW else []
        self.brief = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; --help-all becomes a --help that hides nothing."""
        self.brief = bool(self.hideable) and HELP_ALL not in args
        return super().parse_args(ctx, ["--help"] if self.hideable and HELP_ALL in args else args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help. Options are hidden only while it is written, so that shells still complete all of them."""
        self.epilog = f"{ctx.command_path} {HELP_ALL} shows {len(self.hideable)} more options." if self.brief else ""
        for parameter in self.hideable:
            parameter.hidden = self.brief
        try:
            super().format_help(ctx, formatter)
        finally:
            for parameter in self.hideable:
                parameter.hidden = False


class PlainGroup(PlainFlags, TyperGroup):
    """A group of commands with plain flags."""


@contextmanager
def _interruptible() -> Iterator[None]:
    """A block that Ctrl-C ends with a sentence."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        typer.echo(str(interruption) or NO_CHARGE, err=True)
        raise typer.Exit(INTERRUPTED) from None


class Program(PlainGroup):
    """All commands. Expected failures are sentences. The options of a command are read only if it is called."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named | {"commands": {name: TyperCommand(name) for name in COMMANDS}})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command with its help text alone, for the list of all commands."""
        if cmd_name not in COMMANDS:
            return None
        command = _command(cmd_name)
        return TyperCommand(cmd_name, help=command.info.help if isinstance(command, typer.Typer) else getdoc(command))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, _with_options(name), rest

    @_interruptible()
    def make_context(self, *arguments: Any, **named: Any) -> Any:
        return super().make_context(*arguments, **named)

    @_interruptible()
    def invoke(self, ctx: Any) -> Any:
        """Run the command; failures that a user can cause end with a sentence."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except (BudgetExceeded, LargeDelta, AlreadyCharged) as refusal:
            end(refusal, REFUSED)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            # On exit, Python flushes stdout, which would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        except typer.BadParameter as wrong:
            name = str(wrong.param and wrong.param.name)
            if not (words := words_taken(ctx.invoked_subcommand).get(name)):
                raise
            end(Refused.must(name, f"be one of {', '.join(words)}"), BAD_INPUT)
        except (ValueError, LookupError, ImportError, OSError) as error:
            end(error, BAD_INPUT)
        return result


def _command(name: str | None) -> Any:
    """The function, or the group of functions, that is the command with this name."""
    return getattr(import_module(f"privpac.cli.commands.{name}"), str(name))


def words_taken(name: str | None) -> dict[str, tuple[str, ...]]:
    """The options of a command that take one of several words, and these words.

    >>> words_taken("plan")["task"]
    ('learning', 'release')
    """
    command = _command(name)
    hints = {} if isinstance(command, typer.Typer) else get_type_hints(command)
    return {option: words for option, hint in hints.items() if (words := words_in(hint))}


@cache
def _with_options(name: str | None) -> Any:
    command = _command(name)
    if isinstance(command, typer.Typer):
        return get_command(command)
    alone = typer.Typer(add_completion=False)
    alone.command(name, cls=PlainCommand)(command)
    return get_command(alone)


app = typer.Typer(
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Differentially private PAC learning, with an exact account of the privacy spent.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"privpac {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


def run_typed() -> None:
    """Run the command that was typed."""
    try:
        app()
    except SystemExit as done:
        if sys.version_info < (3, 14):  # newer versions abort if DuckDB's connections are not freed one by one
            gc.freeze()  # memory is freed at once when the process ends, so Python need not free it object by object
        if done.code != INTERRUPTED:
            raise
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # threads that read ahead for an engine may still be at work; none is waited for
