"""``privpac learn --classes a,b,c``: one rule for each label, label against the rest.

Main declarations
    for_each    the classifiers, each with its share of the budget
    files_of    the files of each rule: model.json becomes model-a.json, model-b.json, model-c.json
"""

# ruff: noqa: PLC0415  (imports wait until the command runs, so --help is fast)
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privpac.cli.budget import payer
from privpac.data.refusal import Refused, Setting

if TYPE_CHECKING:
    from privpac.learners.rule_request import RuleRequest
    from privpac.privacy.watched import Watched

IN_A_NAME = re.compile(r"[\w.-]{1,60}")


def for_each(
    clf: RuleRequest, labels: Sequence[Any], paid: Watched | None, once: str | None = None
) -> Sequence[RuleRequest]:
    """A classifier for each label, or just ``clf`` for two; BudgetExceeded unless the account covers all of them."""
    from privpac.learners.conditions import fit_ledger
    from privpac.learners.several import one_per_label, total_cost

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
