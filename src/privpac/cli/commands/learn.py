"""A note about columns of decimals between bounds that are whole numbers.

It depends on declarations and on the type in which a column is stored, and never on a value.

``privpac learn``: a private rule from a table, with its cost and its guarantees.

``privpac learn --classes a,b,c``: one rule for each label, label against the rest.
"""

from __future__ import annotations

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
import json

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli.class_options import Described, names_a_class
from privpac.cli.commands.budget import account, file_of, payer
from privpac.cli.drafts import Draft, draft_kept, drafts
from privpac.cli.fits import Held, fitted, seconds_of
from privpac.cli.interruption import charges_told, say_left
from privpac.cli.output import Json, Proofs, say
from privpac.cli.panels import OF_PRIVACY
from privpac.cli.release_options import (
    Epsilon,
    Key,
    LargeDelta,
    MaxRecords,
    OnInvalid,
    Owner,
    Paying,
    Purpose,
    Seed,
    Title,
    Unit,
    checking,
)
from privpac.cli.schema_options import SchemaFile, feature_of, task
from privpac.cli.sources import Data, Table, known_as
from privpac.cli.spelling import for_the_shell
from privpac.data.values.spelling import labels, words
from privpac.refusals.option_words import InvalidRule, Regime
from privpac.refusals.refusal import Refused, Sentence, Setting

if TYPE_CHECKING:
    from privpac.data.domains.base import Domain
    from privpac.learners.model import Model
    from privpac.learners.rule_request import RuleRequest
    from privpac.privacy.store.tried_charges import Watched


def learner_names() -> list[str]:
    """What ``--method`` takes, for shells that complete it."""
    from privpac.learners.choice import LEARNERS

    return ["auto", *(each.__name__ for each in LEARNERS)]


@names_a_class
def learn(
    data: Data,
    *,
    of: Described,
    schema: SchemaFile = None,
    x: Annotated[
        list[str] | None,
        typer.Option(help="The column that the rule reads. Repeat --x for rules that read several columns."),
    ] = None,
    y: Annotated[str | None, typer.Option(help="The column of labels.")] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="NO,YES",
            help="The two labels: negative, positive. Default: 0,1. If more: a rule for each; they share ε and δ.",
        ),
    ] = None,
    table: Table = None,
    epsilon: Epsilon = "1",
    delta: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=OF_PRIVACY, help="The total δ; 0 for pure learners. Default: min(1e-6, 1/(100·n))."
        ),
    ] = None,
    allow_large_delta: LargeDelta = False,
    unit: Unit = None,
    max_records: MaxRecords = None,
    regime: Annotated[
        Regime,
        typer.Option(
            rich_help_panel=OF_PRIVACY, help="agnostic: labels may be noisy. realizable: some rule makes no error."
        ),
    ] = "agnostic",
    method: Annotated[
        str,
        typer.Option(
            rich_help_panel=OF_PRIVACY,
            help="The name of a learner, or auto for the one that needs the fewest records.",
            autocompletion=learner_names,
        ),
    ] = "auto",
    alpha: Annotated[str, typer.Option(rich_help_panel=OF_PRIVACY, help="The error to plan for.")] = "0.1",
    beta: Annotated[str, typer.Option(rich_help_panel=OF_PRIVACY, help="How often a certificate may fail.")] = "0.05",
    on_invalid: OnInvalid = "raise",
    report_error: Annotated[
        bool,
        typer.Option(
            "--report-error", help="Measure the error on new records, on a fifth of the records that is held out."
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="JSON", help="Where to write the model.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="Where to write a report page.")] = None,
    title: Title = "",
    purpose: Purpose = "",
    owner: Owner = "",
    budget: Paying = None,
    once: Key = None,
    hold: Held = None,
    seed: Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Learn a private rule from a table."""
    from privpac.data.open_table import open_table
    from privpac.learners.model import model_of
    from privpac.learners.one_per_label import total_cost
    from privpac.learners.rule_request import RuleRequest

    said, held = None if classes is None else words(classes), seconds_of(hold)
    asked = task(of, schema, x, y=y, classes=said, unit=unit, max_records=max_records)
    named = asked.named(title=title, purpose=purpose, owner=owner)
    clf = RuleRequest(
        asked.concept_class, feature=feature_of(asked.concept_class, asked.x), epsilon=epsilon, delta=delta,
        regime=regime, method=method, alpha=alpha, beta=beta, classes=asked.classes,
        on_invalid=on_invalid, max_records=asked.max_records, report_error=report_error,
        allow_large_delta=allow_large_delta, random_state=seed,
    )  # fmt: skip
    _check(clf, asked.unit)
    paid = account(budget, once)
    rules, files = for_each(clf, asked.classes, paid, once), files_of({"out": out, "report": report}, asked.classes)
    reads = [data, *of.files, schema, file_of(budget)]
    with charges_told(paid), ExitStack() as written:
        places = [written.enter_context(drafts(each, reads)) for each in files]
        opened = open_table(data, table)
        asked.check(opened)
        if len(rules) == 1:
            clf.classes = labels(asked.classes, opened, asked.y)
        if note := note_about_decimals(asked.concept_class.domain, asked.x or (), opened, on_invalid):
            typer.echo(f"note: {for_the_shell(note)}", err=True)
        together = "" if len(rules) == 1 else f"one of {len(rules)} rules, which cost {total_cost(rules)} together"
        about = {"Purpose": named["purpose"], "Owner": named["owner"], "Account": (budget or "").rpartition("#")[2]}
        told = {name: text for name, text in (about | {"Release": together}).items() if text}
        for rule, (model_file, page_file) in zip(rules, places, strict=True):
            fitted("learning", rule.fit, opened, asked.y, asked.unit, held=held)
            model = model_of(rule, asked.y)
            if rule is clf:
                model = replace(model, classes=asked.classes)  # truth values in the caller's words
            if asked.columns and not as_json and rule is rules[0]:
                say(f"columns: {asked.columns}")
            tell(
                rule, model, data, model_file, page_file, as_json=as_json, indent=2 if rule is clf else None,
                title=named["title"], about=told, proofs=proofs, check=checking(data, table, schema),
            )  # fmt: skip
        if together and not as_json:
            say(f"total:   {total_cost(rules)} for the {len(rules)} rules together")
        if not as_json:
            say_left(paid)


def tell(
    clf: RuleRequest,
    model: Model,
    data: str,
    out: Draft | None,
    report: Draft | None,
    *,
    as_json: bool,
    indent: int | None = 2,
    title: str = "",
    about: Mapping[str, str] | None = None,
    proofs: bool = False,
    check: str = "",
) -> None:
    """Write the model and the page, then print what was learned and which files could not be written.

    ``check`` says what to run if most records do not fit.
    """
    files = {name: each for name, each in (("model", out), ("report", report)) if each}
    told = {"title": title, "about": about or {}, "file": out.path.name if out else None, "data": known_as(data)}
    write = {
        "model": lambda place: place.write(model.to_json()),
        "report": lambda place: place.write(_page(clf, model, **told)),
    }
    failed = [name for name, place in files.items() if not draft_kept(place, write[name])]
    written = {name: str(place.asked) for name, place in files.items() if name not in failed}
    if as_json:
        said = {"model": json.loads(model.to_json()), "written": written}
        typer.echo(json.dumps(said, indent=indent, ensure_ascii=False))
    else:
        _say(clf, model, written, proofs, check)
    if failed:
        if not as_json:
            typer.echo(model.to_json())
        lost = " and ".join(str(files[name].asked) for name in failed)
        raise Refused("out", f"{lost} could not be written; the budget is spent, so save the model printed above")


def _page(clf: RuleRequest, model: Model, **named: Any) -> str:
    from privpac.report.pages.frame import Named
    from privpac.report.pages.rule import fit_page

    return fit_page(clf, model, Named(**named))


def _say(clf: RuleRequest, model: Model, written: dict[str, str], proofs: bool, check: str) -> None:
    rule, told, error = f"rule:    {model}", model.certificate, _error_lines(clf, model, check)
    good = clf.error_ is not None and clf.error_.better
    nothing = model.mostly_unfit and not good
    first = [rule, *error] if good and not model.mostly_unfit else error if nothing else [*error, rule]
    utility = [] if nothing else [_utility(clf, model, proofs)]
    for line in [*first, f"privacy: {told.cited if proofs else told.claim}", *utility]:
        say(line)
    for name, path in written.items():
        typer.echo(f"{name + ':':8} {path}")


def _error_lines(clf: RuleRequest, model: Model, check: str) -> list[str]:
    """The measured error; the first thing to say if most records do not fit, or a constant may be as good."""
    if clf.error_ is None:
        return []
    verdict = model.verdict(lambda name, value: for_the_shell(Sentence((Setting.to(name, value),))), check)
    if model.mostly_unfit:
        return [f"unfit:   {verdict}", *([f"error:   the rule {clf.error_.in_words}"] if clf.error_.better else [])]
    misfits = [f"unfit:   {model.misfits_in_words}"] if model.misfits_in_words else []
    return [f"error:   {verdict}", *([f"rates:   {clf.error_.rates}"] if clf.error_.held else []), *misfits]


def _check(clf: RuleRequest, unit: str | None) -> None:
    """Refuse wrong parameters before any file is opened."""
    from privpac.requests.request import TOGETHER

    if (unit is None) != (clf.max_records is None):
        raise Refused("unit", *TOGETHER)
    clf.learner()


def _utility(clf: RuleRequest, model: Model, proofs: bool) -> str:
    """What is proved about the error, or why nothing is."""
    from privpac.learners.algorithm import Assumption

    if proved := model.certificate.utility:
        needed = Assumption.REALIZABLE, Assumption.SUCH, Assumption.FITTING  # or the bound would be misread
        meant: dict[str, str] = {each: "here, " if each == Assumption.FITTING else "provided that " for each in needed}
        brief = [proved.claim, *(f"{meant[each]}{each}" for each in proved.assumptions if each in needed)]
        return f"utility: {proved if proofs else '; '.join(brief)}"
    from privpac.report.pages.accuracy import why_not

    α = float(clf.alpha)
    return f"utility: {why_not(model, (α, clf.certified_n(α)))}"


IN_A_NAME = re.compile(r"[\w.-]{1,60}")


def for_each(
    clf: RuleRequest, labels: Sequence[Any], paid: Watched | None, once: str | None = None
) -> Sequence[RuleRequest]:
    """A classifier for each label, or just ``clf`` for two; BudgetExceeded unless the account covers all of them."""
    from privpac.learners.one_per_label import one_per_label, total_cost
    from privpac.requests.conditions import fit_ledger

    rules: Sequence[RuleRequest] = [clf] if len(labels) == 2 else one_per_label(clf, labels)
    if len(rules) == 1:
        clf.budget = payer(paid, once)
        return rules
    keys = [once and f"{once}: {label}" for label in labels]  # each rule is a release of its own
    due = [rule for rule, key in zip(rules, keys, strict=True) if not (paid and key and paid.claimed(key))]
    if due and paid is not None:
        fit_ledger(paid, None, total_cost(due))
    for rule, key in zip(rules, keys, strict=True):
        rule.budget = payer(paid, key)
    return rules


def files_of(options: Mapping[str, Path | None], labels: Sequence[Any]) -> list[Mapping[str, Path | None]]:
    """The options that name files, for each rule.

    >>> files_of({"out": Path("m.json"), "report": None}, ["a", "b", "c"])[0]["out"].name
    'm-a.json'
    """
    if len(labels) == 2:
        return [options]
    named = {str(label).casefold() for label in labels if IN_A_NAME.fullmatch(str(label))}
    if len(named) < len(labels) and (asked := [option for option, path in options.items() if path]):
        letters = "labels become names of files, so they may have letters, digits, and _ . - only, and must differ in "
        raise Refused(asked[0], f"{letters}more than case; leave out ", Setting(asked[0]))
    return [
        {name: path and path.with_name(f"{path.stem}-{label}{path.suffix}") for name, path in options.items()}
        for label in labels
    ]


TREATED = {"clamp": "are rounded down", "default": "count toward no score"}


def note_about_decimals(domain: Domain, columns: Sequence[str], table: Any, on_invalid: InvalidRule) -> Sentence | None:
    """None if no such column is read, or if decimals will be refused anyway."""
    schema, names = table.schema(), [str(name) for name in domain.column_names or columns]
    stored = [(name, each.line) for name, each in zip(names, domain.columns, strict=False) if name in schema]
    for name, line in stored:
        kind = schema[name]
        counted = line is not None and line.kind == "integer" and line.step is None
        if counted and on_invalid in TREATED and (kind.is_floating() or kind.is_decimal()):
            about = f"column {name!r} is stored as decimals, but ", Setting("low"), " and ", Setting("high")
            happens = f" are whole numbers, so values between them {TREATED[on_invalid]}; to tell decimals apart, say "
            return Sentence((*about, happens, Setting.to("step", 0.1)))
    return None
