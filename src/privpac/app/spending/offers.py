"""What a page offers about a question: the button that spends, or what came of the same question before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from privpac.app.forms import FormField, FormValues
from privpac.app.outcomes.outcome import Question, SpendOutcome
from privpac.app.session import Session
from privpac.app.spending.store_keys import next_round, paying_account, store_key, stored_charge
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class SpendForm:
    """A button that spends, and the values that it sends; there are none if this server is read-only."""

    kind: str
    button: str
    values: Mapping[str, str] = field(default_factory=dict)
    box: FormField | None = None  # a box that must be ticked first

    @staticmethod
    def of(session: Session, question: Question, button: str, box: FormField | None = None) -> SpendForm:
        """The form that asks a question about a table that is offered now."""
        if not session.spends:
            return SpendForm(question.kind, button)
        place = {"source": session.identifier_of(question.table) or "", "round": str(question.round)}
        tokens = {"token": session.token_of(question.key), "form_token": session.form_token}
        return SpendForm(question.kind, button, dict(question.fields) | place | tokens, box)

    @staticmethod
    def new_round(session: Session, question: Question) -> SpendForm | None:
        """The form that releases the same question once more, with a box to tick; None without its table."""
        if session.identifier_of(question.table) is None:
            return None
        again, name = next_round(session, question), paying_account(session, question).name
        box = FormField(f"Release anew and charge {name} once more", "anew", flag=True, needed=True)
        return SpendForm.of(session, again, "Release anew", box)


@dataclass(frozen=True)
class EarlierQuestion:
    """What the store of accounts knows about a question whose release is not in this server's folder of releases."""

    source: str
    charge: str = ""  # what was charged, when, and by whom; "" if nothing was
    released: bool = False
    form: SpendForm | None = None  # None if the table is not offered now
    new_round: SpendForm | None = None

    @staticmethod
    def of(session: Session, question: Question, source: str) -> EarlierQuestion:
        """The question about the table ``source``."""
        stored = stored_charge(paying_account(session, question), store_key(session, question))
        new_round = SpendForm.new_round(session, question)
        if new_round is None:  # the table is not offered now
            return EarlierQuestion(source)
        if stored is None:
            return EarlierQuestion(source, form=SpendForm.of(session, question, "Ask again, and release"))
        charge = f"{stored.entry.cost} on {stored.entry.time:%Y-%m-%d}, by {stored.entry.who}"
        form = SpendForm.of(session, question, "Show the release, for nothing")
        return EarlierQuestion(source, charge, stored.released, form, new_round)


@dataclass(frozen=True)
class SpendOffer:
    """The offer below a preview: a form that spends, or what came of the same question before.

    Without an account, nothing is looked up, because users must not see what others asked.
    """

    account: str = ""
    outcome: SpendOutcome | None = None  # what came of the question at this server
    earlier: EarlierQuestion | None = None  # set if it was charged or released, but this server has no release of it
    new_round: SpendForm | None = None
    form: SpendForm | None = None  # None if the account cannot pay
    upload: str = ""  # the name of the table, if it was uploaded
    similar: Sequence[SpendOutcome] = ()  # releases of the same question about another upload of this name

    @staticmethod
    def of(session: Session, values: FormValues, question: Question, cost: Budget) -> SpendOffer:
        """The offer for a question about a table that is offered now."""
        name = values.get("account", "")
        if name not in session.accounts():
            return SpendOffer()
        if (again := next_round(session, question)).round:  # it was charged or released: show its last round
            return _earlier_offer(session, name, replace(question, round=again.round - 1))
        if not cost <= session.account(name).remaining:
            return SpendOffer(name)
        form = SpendForm.of(session, question, f"Spend {cost} and release")
        upload, similar = _similar_releases(session, question)
        outcome = session.outcome_store.get(question.key)
        return SpendOffer(name, outcome, form=form, upload=upload, similar=similar)


def _earlier_offer(session: Session, account: str, question: Question) -> SpendOffer:
    """A question that was asked before, here or at another server with the same store."""
    outcome = session.outcome_store.get(question.key)
    if outcome is not None and outcome.is_released:
        return SpendOffer(account, outcome, new_round=SpendForm.new_round(session, question))
    return SpendOffer(account, outcome, EarlierQuestion.of(session, question, _source_name(session, question)))


def _similar_releases(session: Session, question: Question) -> tuple[str, list[SpendOutcome]]:
    """The file name of an upload ("" for other tables), and releases of the same question about uploads of this name.

    The contents of the uploads may differ.
    """
    name = _source_name(session, question).rpartition(" (upload")[0]
    outcomes = [outcome for outcome in session.outcomes() if outcome.question.like(question)] if name else []
    return name, [outcome for outcome in outcomes if outcome.source.startswith(f"{name} (")]


def _source_name(session: Session, question: Question) -> str:
    return session.source(session.identifier_of(question.table) or "").name
