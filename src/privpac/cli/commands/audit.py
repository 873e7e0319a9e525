"""``privpac audit``: try to refute what the mechanisms and the learners promise."""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import sys
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, SupportsFloat

import typer

from privpac.cli.output import Json, OutputRow, print_rows
from privpac.cli.program import REFUSED

if TYPE_CHECKING:
    from privpac.audit.claims.case import Case

SAMPLED_RUNS, TIMED_RUNS = 20_000, 5000  # a minute or two for all mechanisms
BRIEF = ("mechanism", "n", "claim", "of the claim", "ε at least", "time and noise", "runs", "verdict")


def audited_names() -> list[str]:
    """What ``privpac audit`` takes, for shells that complete it."""
    from privpac.audit.claims.learners import LEARNED
    from privpac.audit.claims.mechanisms import CATALOGUE

    return list(dict.fromkeys(case.name.replace(" ", "-") for case in (*CATALOGUE, *LEARNED)))


def audit(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A mechanism or learner, such as sparse-exponential or PointLearner. Default: all.",
            autocompletion=audited_names,
        ),
    ] = None,
    *,
    broken: Annotated[
        bool, typer.Option("--controls", help="Audit broken mechanisms and learners; every one must be refuted.")
    ] = False,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="Judge by sampled outputs on the worst neighbors.")
    ] = False,
    timing: Annotated[
        bool, typer.Option("--timing", help="Judge by sampled outputs and by the time that each release takes.")
    ] = False,
    runs: Annotated[
        int | None,
        typer.Option(
            min=4,
            max=10**8,
            help="Runs on each of the two neighbors. Default: 20000 with --sampled, 5000 with --timing.",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="With --sampled or --timing: the confidence of each refutation.")
    ] = 0.999,
    as_json: Json = False,
) -> None:
    """Try to refute what mechanisms and learners promise, on all neighbors of small universes.

    With --sampled and --timing, a learner is audited only if you name it, because its fits are slow. With --timing,
    each mechanism is audited on one universe, unless you name it. Run it on an idle machine, with --runs 20000 if you
    have five minutes: more runs show more.
    """
    from rich.console import Console
    from rich.progress import track

    from privpac.audit.claims.holding_out import HELD_OUT, HELD_OUT_CONTROLS
    from privpac.audit.claims.learners import LEARNED
    from privpac.audit.claims.mechanisms import CATALOGUE, cases_named, one_each
    from privpac.audit.claims.sensitivities import HANDED
    from privpac.audit.controls.learners import LEARNER_CONTROLS
    from privpac.audit.controls.mechanisms import controls
    from privpac.audit.controls.releases import RELEASE_CONTROLS
    from privpac.audit.controls.timing import TIMED_CONTROLS

    sampled = sampled or timing
    if timing:
        mechanisms = TIMED_CONTROLS if broken else CATALOGUE if name else one_each(CATALOGUE)
        fits = () if broken else (*LEARNED, *HELD_OUT)
    else:
        mechanisms = controls(0.05 if sampled else 1e-6) if broken else CATALOGUE  # sampling cannot detect a δ of 1e-6
        broken_fits = *LEARNER_CONTROLS, *HELD_OUT_CONTROLS, *RELEASE_CONTROLS
        fits = broken_fits if broken else (*LEARNED, *HANDED, *HELD_OUT)
    tried = (*mechanisms, *fits) if name is not None or not sampled else mechanisms
    cases = tried if name is None else cases_named(name, tried)
    bar = track(cases, "auditing", console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    sampling = (runs or (TIMED_RUNS if timing else SAMPLED_RUNS), confidence) if sampled else None
    rows = [_row(case, sampling, timing=timing) for case in bar]
    print_rows(rows if as_json else list(map(_brief, rows)), as_json)
    if any((row["verdict"] == "REFUTED") != broken for row in rows):
        raise typer.Exit(REFUSED)


def _row(case: Case, sampling: tuple[int, float] | None, *, timing: bool = False) -> OutputRow:
    """What is claimed, what was found, and whether that refutes the claim."""
    found: Any
    claim = {"mechanism": case.name, "audited on": case.about, "n": case.n, "claim": case.claimed}
    if sampling is None:
        found = case.exact()
        figures = {"worst": _figure(found.value), "of the claim": _figure(found.share), "pairs": found.pairs}
    else:
        found, correlation = case.timed(*sampling) if timing else (case.sampled(*sampling), None)
        seen = {"time and noise": correlation, "event": found.event} if timing else {}
        figures = {"ε at least": _figure(found.epsilon_lower)} | seen
        figures |= {"runs": sampling[0], "confidence": sampling[1]}
    return claim | figures | {"verdict": "REFUTED" if found.refuted else "NOT_REFUTED"}


def _brief(row: OutputRow) -> OutputRow:
    """What people look for; the universe comes last, where a long text is wrapped."""
    first = {name: row[name] for name in row if name in BRIEF}
    return first | {"audited on": row["audited on"]}


def _figure(value: SupportsFloat) -> float | str:
    return float(f"{float(value):.6g}") if isfinite(float(value)) else "∞"  # JSON has no infinity
