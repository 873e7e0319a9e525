"""``privpac audit``: try to refute what the mechanisms and the learners promise."""

from __future__ import annotations

import sys
from collections.abc import Sequence
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
    from privpac.audit.claims.learners import LEARNER_CLAIMS
    from privpac.audit.claims.mechanisms import CATALOGUE

    return list(dict.fromkeys(case.name.replace(" ", "-") for case in (*CATALOGUE, *LEARNER_CLAIMS)))


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

    from privpac.audit.claims.mechanisms import cases_named

    sampled = sampled or timing
    cases = _controls(sampled, timing, name) if broken else _claims(sampled, timing, name)
    if name is not None:
        cases = cases_named(name, cases)
    bar = track(cases, "auditing", console=Console(stderr=True), transient=True) if sys.stderr.isatty() else cases
    sampling = (runs or (TIMED_RUNS if timing else SAMPLED_RUNS), confidence) if sampled else None
    rows = [audit_row(case, sampling, timing=timing) for case in bar]
    print_rows(rows if as_json else list(map(_brief, rows, cases)), as_json)
    if any((row["verdict"] == "REFUTED") != broken for row in rows):
        raise typer.Exit(REFUSED)


def _claims(sampled: bool, timing: bool, name: str | None) -> Sequence[Case]:
    """The claims of the library; without a name, sampled audits leave out learners, because their fits are slow."""
    from privpac.audit.claims.holding_out import HOLDING_OUT_CLAIMS
    from privpac.audit.claims.learners import LEARNER_CLAIMS
    from privpac.audit.claims.mechanisms import CATALOGUE, one_each
    from privpac.audit.claims.sensitivities import SENSITIVITIES

    if sampled and name is None:
        return one_each(CATALOGUE) if timing else CATALOGUE
    return *CATALOGUE, *LEARNER_CLAIMS, *(() if timing else SENSITIVITIES), *HOLDING_OUT_CLAIMS


def _controls(sampled: bool, timing: bool, name: str | None) -> Sequence[Case]:
    """The mechanisms, learners, and releases that are broken on purpose."""
    from privpac.audit.controls.learners import LEARNER_CONTROLS
    from privpac.audit.controls.mechanisms import controls
    from privpac.audit.controls.releases import RELEASE_CONTROLS
    from privpac.audit.controls.timing import TIMED_CONTROLS

    if timing:
        return TIMED_CONTROLS
    mechanisms = controls(0.05 if sampled else 1e-6)  # Sampling cannot detect a δ of 1e-6.
    return mechanisms if sampled and name is None else (*mechanisms, *LEARNER_CONTROLS, *RELEASE_CONTROLS)


def audit_row(case: Case, sampling: tuple[int, float] | None = None, *, timing: bool = False) -> OutputRow:
    """The claim, the figures of the audit, and whether they refute the claim."""
    verdict: Any
    claim = {"mechanism": case.name, "audited on": case.about, "n": case.n, "claim": case.claimed}
    if sampling is None:
        verdict = case.exact()
        figures = {"worst": _figure(verdict.value), "of the claim": _figure(verdict.share), "pairs": verdict.pairs}
    else:
        verdict, correlation = case.timed(*sampling) if timing else (case.sampled(*sampling), None)
        timing_figures = {"time and noise": correlation, "event": verdict.event} if timing else {}
        figures = {"ε at least": _figure(verdict.epsilon_lower)} | timing_figures
        figures |= {"runs": sampling[0], "confidence": sampling[1]}
    return claim | figures | {"verdict": "REFUTED" if verdict.refuted else "NOT_REFUTED"}


def _brief(row: OutputRow, case: Case) -> OutputRow:
    """The main columns; the universe, or what is broken and why it leaks, comes last, where a long text is wrapped."""
    why = f": {case.why}" if hasattr(case, "why") else ""
    return {name: row[name] for name in row if name in BRIEF} | {"audited on": f"{case.about}{why}"}


def _figure(value: SupportsFloat) -> float | str:
    return float(f"{float(value):.6g}") if isfinite(float(value)) else "∞"  # JSON has no infinity
