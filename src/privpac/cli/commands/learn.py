"""``privpac learn``: a private rule from a table, with its cost and its guarantees.

If there are more than two labels, it learns one rule for each label against the rest; the rules share ε and δ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import options
from privpac.cli.charges import account, charge_note, file_of, payer, say_remaining_budget
from privpac.cli.class_options import ClassOptions, names_a_class
from privpac.cli.drafts import Draft, drafts, save_drafts
from privpac.cli.fits import Hold, misfit_advice, run_fit, seconds_of
from privpac.cli.output import Json, Proofs, print_json, say
from privpac.cli.schema_options import page_names, rule_for_misfits, task_of
from privpac.cli.sources import Data, DecimalComma, Encoding, Table, display_name, file_format, source
from privpac.cli.spelling import OF_PRIVACY, for_the_shell
from privpac.refusals.option_words import InvalidRule, Regime
from privpac.refusals.refusal import Refused, Sentence, Setting

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from privpac.data.domains.domain import Domain
    from privpac.data.files.file_format import FileFormat
    from privpac.learners.model import Model
    from privpac.learners.rule_request import RuleRequest
    from privpac.privacy.store.tried_charges import WatchedAccount
    from privpac.report.pages.frame import PageNames

MOST_RISKS = 4  # regions whose risks are printed
FILE_NAME_PART = re.compile(r"[\w.-]{1,60}")  # labels that may be part of the name of a file


def learner_names() -> list[str]:
    """What ``--method`` takes, for shells that complete it."""
    from privpac.learners.choice import LEARNERS

    return ["auto", *(kind.__name__ for kind in LEARNERS)]


@names_a_class
def learn(
    data: Data,
    *,
    of: ClassOptions,
    schema: options.SchemaFile = None,
    x: options.Features = None,
    y: options.LabelColumn = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="NO,YES",
            help="The two labels: negative, positive. Default: 0,1. If more: one tree for all; in other classes, a "
            "rule for each, and the rules share ε and δ.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="NO,YES",
            help="What an error costs on records of each label: 1,9. Or balanced: both constant rules cost the same.",
        ),
    ] = None,
    prevalence: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=OF_PRIVACY, help="With --weights balanced: the share of positive records, if it is public."
        ),
    ] = None,
    public: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            rich_help_panel=OF_PRIVACY,
            callback=source,
            help="Records that anyone may see, with the columns --x, from the distribution of the private ones.",
        ),
    ] = None,
    table: Table = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    epsilon: options.Epsilon = "1",
    delta: options.Delta = None,
    allow_large_delta: options.LargeDelta = False,
    unit: options.Unit = None,
    max_records: options.MaxRecords = None,
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
    beta: options.Beta = "0.05",
    on_invalid: options.OnInvalid = None,
    report_error: options.ReportError = False,
    out: options.ModelFile = None,
    report: options.ReportFile = None,
    title: options.Title = "",
    purpose: options.Purpose = "",
    owner: options.Owner = "",
    budget: options.AccountAddress = None,
    once: options.Key = None,
    hold: Hold = None,
    seed: options.Seed = None,
    proofs: Proofs = False,
    as_json: Json = False,
) -> None:
    """Learn a private rule from a table."""
    from privpac.classes.schemas.classes_by_name import columns_read
    from privpac.data.open_table import opened
    from privpac.data.values.spelling import stored_labels, typed_labels
    from privpac.learners.choice import learns_several
    from privpac.learners.model import model_of
    from privpac.learners.one_per_label import total_cost
    from privpac.learners.rule_request import RuleRequest
    from privpac.requests.labels import Against

    of, separator = of.without_file_separator(by_schema=schema is not None)
    label_words, seconds = None if classes is None else typed_labels(classes), seconds_of(hold)
    task = task_of(of, schema, x, y=y, classes=label_words, unit=unit, max_records=max_records, weights=weights)
    misfits = rule_for_misfits(on_invalid, task.schema)
    names = page_names(task.schema, budget, title=title, purpose=purpose, owner=owner)
    one_rule = len(task.classes) == 2 or learns_several(task.concept_class)
    declared: Any = task.classes if one_rule else Against(task.classes[0], tuple(task.classes[1:]))
    request = RuleRequest(
        task.concept_class, feature=columns_read(task.concept_class, task.x), epsilon=epsilon, delta=delta,
        regime=regime, method=method, alpha=alpha, beta=beta, classes=declared,
        on_invalid=misfits, max_records=task.max_records, report_error=report_error,
        allow_large_delta=allow_large_delta, random_state=seed, class_weight=task.weights, prevalence=prevalence,
    )  # fmt: skip
    domain = task.concept_class.domain
    form = file_format(task.schema, separator, encoding, decimal_comma, domain=domain, names=task.x or ())
    request.public = _public_records(public, data, form)
    request.learner()  # refuses wrong parameters before the private table is opened
    paying_account = account(budget, once)
    rules = () if one_rule else task.classes
    requests = _request_per_label(request, rules, paying_account, once)
    files = _files_per_label({"out": out, "report": report}, rules)
    inputs = [data, public, *of.files, schema, file_of(budget)]
    with charge_note(paying_account), ExitStack() as open_drafts:
        places = [open_drafts.enter_context(drafts(paths, inputs)) for paths in files]
        with of.file_words(by_schema=schema is not None):
            records = opened(data, table, form, at_once=True)
        task.check(records)
        if len(requests) == 1:
            request.classes = stored_labels(task.classes, records, task.y)
        if note := _decimals_note(domain, task.x or (), records, misfits):
            typer.echo(f"note: {for_the_shell(note)}", err=True)
        total = None if len(requests) == 1 else total_cost(requests)
        about = {} if total is None else {"Release": f"one of {len(requests)} rules, which cost {total} together"}
        names = replace(names, about={**names.about, **about}, data=display_name(data))
        for rule_request, drafts_of_rule in zip(requests, places, strict=True):
            run_fit("learning", rule_request.fit, records, task.y, task.unit, held=seconds)
            model = model_of(rule_request, task.y)
            if rule_request is request:
                model = replace(model, classes=tuple(task.classes))  # truth values in the caller's words
            if task.columns and not as_json and rule_request is requests[0]:
                say(f"columns: {task.columns}")
            save_and_print(
                rule_request, model, drafts_of_rule, names,
                as_json=as_json, indent=2 if rule_request is request else None,
                proofs=proofs, check=partial(misfit_advice, data, table, schema),
            )  # fmt: skip
        if total is not None and not as_json:
            say(f"total:   {total} for the {len(requests)} rules together")
        if not as_json:
            say_remaining_budget(paying_account)


def _public_records(public: str | None, data: str, form: FileFormat) -> ir.Table | None:
    """The table of public records; Refused if it is the private one."""
    from privpac.data.open_table import opened

    if public == data:
        raise Refused("public", "the table itself is not public: its records are protected; give another file")
    return None if public is None else opened(public, None, form)


def _request_per_label(
    request: RuleRequest, labels: Sequence[object], paying_account: WatchedAccount | None, once: str | None
) -> Sequence[RuleRequest]:
    """A request for each of ``labels``, or just ``request``; BudgetExceeded unless the account covers all of them."""
    from privpac.learners.one_per_label import one_per_label, total_cost
    from privpac.requests.conditions import fit_ledger

    if not labels:
        request.budget = payer(paying_account, once)
        return [request]
    requests = one_per_label(request, labels)
    keys = [once and f"{once}: {label}" for label in labels]  # each rule is a release of its own
    if paying_account is not None:
        pairs = zip(requests, keys, strict=True)
        # Refuse an account that cannot pay for all rules that it has not paid for already.
        if unpaid := [rule_request for rule_request, key in pairs if not (key and paying_account.claim_on(key))]:
            fit_ledger(paying_account, None, total_cost(unpaid))
    for rule_request, key in zip(requests, keys, strict=True):
        rule_request.budget = payer(paying_account, key)
    return requests


def _files_per_label(options: Mapping[str, Path | None], labels: Sequence[object]) -> list[Mapping[str, Path | None]]:
    """The options that name files, for the rule of each label, or for the only rule.

    >>> _files_per_label({"out": Path("m.json"), "report": None}, ["a", "b", "c"])[0]["out"].name
    'm-a.json'
    """
    if not labels:
        return [options]
    parts = {str(label).casefold() for label in labels if FILE_NAME_PART.fullmatch(str(label))}
    if len(parts) < len(labels) and (named := [option for option, path in options.items() if path]):
        letters = "labels become names of files, so they may have letters, digits, and _ . - only, and must differ in "
        raise Refused(named[0], f"{letters}more than case; leave out ", Setting(named[0]))
    return [
        {name: path and path.with_name(f"{path.stem}-{label}{path.suffix}") for name, path in options.items()}
        for label in labels
    ]


def _decimals_note(
    domain: Domain, columns: Sequence[str], records: ir.Table, on_invalid: InvalidRule
) -> Sentence | None:
    """A note about a column of decimals between bounds that are whole numbers; None if they are refused anyway.

    The note depends on declarations and on the type in which a column is stored, and never on a value.
    """
    treatment = {"clamp": "are rounded down", "default": "count toward no score"}.get(on_invalid)
    schema, names = records.schema(), [str(name) for name in domain.column_names or columns]
    stored = [(name, column.line) for name, column in zip(names, domain.columns, strict=False) if name in schema]
    for name, line in stored:
        kind = schema[name]
        whole = line is not None and line.kind == "integer" and line.step is None
        if whole and treatment is not None and (kind.is_floating() or kind.is_decimal()):
            about = f"column {name!r} is stored as decimals, but ", Setting("low"), " and ", Setting("high")
            happens = f" are whole numbers, so values between them {treatment}; to tell decimals apart, say "
            return Sentence((*about, happens, Setting.to("step", 0.1), ', or kind = "decimal" in a schema'))
    return None


def save_and_print(
    request: RuleRequest,
    model: Model,
    places: Mapping[str, Draft | None],
    names: PageNames,
    *,
    as_json: bool,
    indent: int | None = 2,
    proofs: bool = False,
    check: Callable[[], str] = str,
) -> None:
    """Write the model and the report, then print what was learned and which files could not be written.

    ``names`` are for the report. ``check`` says what to run if most records do not fit.
    """
    from privpac.report.pages.rule import fit_page

    file = places["out"]
    named = replace(names, file=file.path.name if file else None)
    texts = {"out": model.to_json, "report": lambda: fit_page(request, model, named)}
    files = save_drafts(places, texts)
    shown = {"model" if option == "out" else option: path for option, path in files.written.items()}
    if as_json:
        print_json({"model": json.loads(model.to_json()), "written": shown}, indent=indent)
    else:
        _say(request, model, shown, proofs, check)
        if files.only_printed:
            typer.echo(model.to_json())
    files.check("model")


def _say(request: RuleRequest, model: Model, written: dict[str, str], proofs: bool, check: Callable[[], str]) -> None:
    """The rule, its measured error, its cost, and its guarantees; what is most important comes first."""
    rule, certificate, error = f"rule:    {model}", model.certificate, _error_lines(request, model, check)
    better = request.error_ is not None and request.error_.better
    useless = model.mostly_unfit and not better
    first = [rule, *error] if better and not model.mostly_unfit else error if useless else [*error, rule]
    utility = [] if useless else [_utility(request, model, proofs)]
    unmeasured = [] if request.report_error or request.on_invalid == "raise" else [_unmeasured()]
    choice = [f"class:   {request.learner_.choice}"] if request.learner_.choice else []
    for line in [
        *first,
        *_hint(request, model),
        *choice,
        f"privacy: {certificate.cited if proofs else certificate.claim}",
        *utility,
        *unmeasured,
    ]:
        say(line)
    for name, path in written.items():
        typer.echo(f"{name + ':':8} {path}")


def _unmeasured() -> str:
    """A line that says that misfits were not counted. It is printed whether or not there are any."""
    reporting = for_the_shell(Sentence((Setting.to("report_error", True),)))
    counting = "with a schema, `privpac schema check` counts them without a charge"
    return f"unfit:   not measured; {reporting} tells how many records do not fit; {counting}"


def _hint(request: RuleRequest, model: Model) -> list[str]:
    """What to try if a constant rule was released, and no measured error says how often it errs."""
    from privpac.data.values.value_text import value_text
    from privpac.requests.labels import Against

    constant, weighed = model.constant, request.class_weight is not None or request.regime == "realizable"
    one_of_several = isinstance(request.classes, Against)  # its rule takes no weights
    if constant is None or len(model.classes) != 2 or weighed or one_of_several or request.error_ is not None:
        return []
    rare = value_text(model.classes[0 if constant else 1])
    return [
        f"hint:    if {rare} is rare, {_spelled('class_weight', 'balanced')} gives it more weight in a new, paid run"
    ]


def _error_lines(request: RuleRequest, model: Model, check: Callable[[], str]) -> list[str]:
    """The lines about the measured error. If most records do not fit, they say this first."""
    error = request.error_
    if error is None:
        return []
    if model.mostly_unfit:
        rule = [f"error:   the rule {error.in_words}"] if error.better else []
        return [f"unfit:   {model.verdict(_spelled, check())}", *rule]
    misfits = [f"unfit:   {model.misfits_in_words}"] if model.misfits_in_words else []
    rates = [f"rates:   {error.rates}"] if error.held else []
    return [f"error:   {model.verdict(_spelled)}", *rates, *_risk_lines(model), *misfits]


def _spelled(name: str, value: object) -> str:
    return for_the_shell(Sentence((Setting.to(name, value),)))


def _risk_lines(model: Model) -> list[str]:
    """The regions with the highest measured risks; nothing for a rule with one region."""
    from privpac.data.values.value_text import value_text
    from privpac.learners.errors.risks import UNFIT

    regions = sorted((region for region in model.risks if region.sentence != UNFIT), key=lambda region: -region.risk)
    if len(regions) < 2:
        return []
    more, name = len(regions) - MOST_RISKS, f"{value_text(model.label)} = " if model.label else ""
    hint = [f"risk:    {more} more region{'s' * (more > 1)}, which the report shows"] if more > 0 else []
    labeled = [(model.classes[region.label if model.several else -1], region) for region in regions[:MOST_RISKS]]
    return [*(f"risk:    {name}{value_text(label)} in {region}" for label, region in labeled), *hint]


def _utility(request: RuleRequest, model: Model, proofs: bool) -> str:
    """What is proved about the error, or why nothing is."""
    from privpac.learners.algorithm import STANDS_FOR_MISFITS, Assumption
    from privpac.report.pages.accuracy import Goal, constant_promise, why_not

    proved = model.certificate.utility
    if proved is None:
        return f"utility: {why_not(model, Goal.of(request), _spelled)}"
    # Assumptions without which the bound would be misread, and the words before each.
    begins: dict[str, str] = {
        Assumption.REALIZABLE: "provided that ",
        Assumption.REALIZABLE_BY_REFERENCE: "provided that ",
        Assumption.FITTING: "here, ",
        Assumption.PUBLIC: "provided that ",
    }
    begins |= {each: "provided that " for each in proved.assumptions if each.endswith(STANDS_FOR_MISFITS)}
    important = [assumption for assumption in proved.assumptions if assumption in begins]
    brief = [proved.claim, *(f"{begins[assumption]}{assumption}" for assumption in important)]
    constant = constant_promise(proved, len(model.classes))
    return f"utility: {'; '.join([str(proved) if proofs else '; '.join(brief), *([constant] if constant else [])])}"
