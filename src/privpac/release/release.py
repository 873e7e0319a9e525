"""A release as self-contained data: it answers queries, and it states its cost and its guarantees.

A release is stored as JSON text, which is read without pickle. Apart from what was released, it holds only the number
of records, which is public.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import floor
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.typed_fields import fit_fields
from privpac.data.files.private_files import write_new
from privpac.data.values.whole_numbers import is_whole
from privpac.exact.entropy import SYSTEM, Entropy, entropy
from privpac.privacy.budget import Number, as_rational
from privpac.privacy.certificate import Certificate, Entry, Statement
from privpac.privacy.rounding import certainty, text_rounded_down, text_rounded_up
from privpac.refusals.refusal import InOtherWords, Refused, RefusedType, Setting, Sketch, refusal_about
from privpac.release.charts import Chart, HeatMap
from privpac.release.labeled.answers import LabeledAnswers
from privpac.release.labeled.curves import best_within, curve_of
from privpac.release.labeled.lines import LabeledLineCounts
from privpac.release.labeled.rates import EXAMPLE_WEIGHTS, Curve, Labeling, Rates, required_share, weights_of
from privpac.release.sanitizer import RECORDS, Answers, Bounds, Frame, headings
from privpac.requests.conditions import misfit_advice
from privpac.requests.json_values import STORED, FileKind, stored, writable

RELEASES = FileKind("release", 1, ("misfits", "guarantee in words"), "`privpac release --out` or to_json()")
MOST_RECORDS = 2**62  # counts are machine integers
CUTS = Sketch("Thresholds(low, high)")
VALUE = "value"  # what answers call the values of a column without a name


@dataclass(frozen=True)
class Guarantee:
    """What holds for the answers: privacy always, then the bounds on all answers at once, in records.

    With units of which k records count, n is the number of their places, k for each unit, whether a record fills them
    or not; fractions are fractions of n.

    >>> from privpac.privacy.budget import Budget
    >>> print(Guarantee(Certificate(Budget(1), ("noise, Theorem 1",)), 1000, measured=31, beta=Fraction(1, 20)))
    privacy: ε = 1 for every pair of samples of equal size that differ in one record [noise, Theorem 1]
    all queries at once: every answer is off by at most 31 of 1000 records (0.031) with probability ≥ 0.95, as \
measured on these records [measured certificate, Theorems 1 and 3]
    """

    certificate: Certificate  # of privacy alone; it claims nothing about errors on new records
    n: int
    certain_shown: int | None = None  # with certainty, a count that is shown is off by at most this number
    certain_unseen: int | None = None  # with certainty, a count that is not shown is at most this number
    measured: int | None = None  # all answers are off by at most this, with probability 1 − beta
    beta: Fraction | None = None
    least: Fraction | None = None  # every release with this privacy has an error of at least this on some records

    @property
    def certain(self) -> Bounds | None:
        """Bounds that always hold."""
        if self.certain_shown is None or self.certain_unseen is None:
            return None
        return Bounds(self.certain_shown, self.certain_unseen)

    @property
    def counted(self) -> str:
        """What n counts: records; with units, the units if one record of each counts, otherwise places."""
        k = self.certificate.unit_records
        return "records" if k is None else "units" if k == 1 else "places"

    @property
    def size(self) -> str:
        """n, and what it counts."""
        return f"{self.n:,} places" if self.counted == "places" else f"{self.n} {self.counted}"

    @property
    def places(self) -> str:
        """The number of places in words, and what they are; empty unless n counts places.

        >>> from privpac.privacy.budget import Budget
        >>> print(Guarantee(Certificate(Budget(1), unit_records=5), 15000).places)
        15,000 places, 5 for each of 3,000 units; a unit with fewer records leaves places empty
        """
        if self.counted != "places":
            return ""
        k = self.certificate.unit_records or 1
        return f"{self.size}, {k} for each of {self.n // k:,} units; a unit with fewer records leaves places empty"

    @property
    def lines(self) -> tuple[str, ...]:
        """Each guarantee as a sentence, with the theorems that prove it."""
        return self._sentences(self.certificate.privacy_line, " [measured certificate, Theorems 1 and 3]")

    @property
    def claims(self) -> tuple[str, ...]:
        """Each guarantee as a sentence."""
        return self._sentences(f"privacy: {self.certificate.claim}", "")

    def _sentences(self, privacy: str, measured_by: str) -> tuple[str, ...]:
        sentences = [privacy]
        if self.certain is not None:
            sentences.append(
                f"per query: a count that is shown is off by at most {self.certain.shown} records, and one that is "
                f"not shown is at most {self.certain.unseen}, with certainty"
            )
        if self.measured is not None and self.beta is not None:
            sentences.append(
                f"all queries at once: every answer is off by at most {self.measured} of {self.size} "
                f"({text_rounded_up(Fraction(self.measured, self.n))}) with probability ≥ {certainty(self.beta)}, "
                f"as measured on these records{measured_by}"
            )
        if len(sentences) == 1:
            sentences.append("accuracy: not measured")
        if self.places:
            sentences.append(f"fractions: of {self.places}")
        if self.least is not None:
            sentences.append(
                f"lower bound: every release with this privacy has an error of {text_rounded_down(self.least)} or more "
                "on some records of this size"
            )
        return tuple(sentences)

    def __str__(self) -> str:
        return "\n".join(self.lines)


STORED["Guarantee"] = Guarantee


@dataclass(frozen=True)
class Release:
    """A release: ask it about any query of its class.

    >>> import privpac as pp
    >>> release = pp.PrivateRelease(pp.Points(), epsilon=1, delta=1e-6).fit(["EV"] * 300 + ["UA"] * 700).release_
    >>> Release.from_json(release.to_json()) == release
    True
    """

    answers_: Answers
    guarantee: Guarantee
    ledger: tuple[Entry, ...]
    sanitizer: str  # its title
    column: str = VALUE  # what people call the values, if the class names no columns

    def __post_init__(self) -> None:
        fit_fields(self)
        if self.answers_.n != self.guarantee.n or not 1 <= self.n <= MOST_RECORDS:
            raise ValueError("answers and guarantee must be about the same records")

    @property
    def agrees(self) -> bool:
        """Whether answers, guarantee, and ledger fit together: False if one of them was changed by itself."""
        guarantee, stated = self.guarantee, self.guarantee.certificate
        from_ledger = Statement(self.ledger).certificate()
        return (
            (stated.privacy, stated.private) == (from_ledger.privacy, from_ledger.private)
            and (stated.unit_records is None or stated.unit_records >= 1)
            and (stated.protected is None or 0 <= stated.protected <= self.n)
            and (guarantee.least is None or 0 <= guarantee.least <= 1)
            and guarantee.certain == self.answers_.certain
            and (guarantee.measured is None or 0 <= guarantee.measured <= self.answers_.farthest)
            and (guarantee.measured is None) == (guarantee.beta is None)
        )

    @property
    def n(self) -> int:
        """The number of records; with units, of their places: ``max_records`` for each unit."""
        return self.answers_.n

    def misfits(self, check: str = "") -> str:
        """A warning that most records do not fit what was declared, and what to do; empty unless the bound proves it.

        The warning follows from what was released. With units there is none, because a unit may have fewer records
        than count.

        >>> import privpac as pp
        >>> front = pp.PrivateRelease(pp.Thresholds(0, 9), epsilon=1, on_invalid="default", feature=None)
        >>> print(front.fit([3] * 100 + [None] * 9900).release_.misfits())
        At least 9... % of the records do not fit what you declared, with probability ≥ 0.95. ... charge stands: ε = 1.
        """
        guarantee, fitting = self.guarantee, self.answers_.fitting
        units = (guarantee.certificate.unit_records or 1) > 1
        if fitting is None or guarantee.measured is None or guarantee.beta is None or units:
            return ""
        count, answers = fitting
        most = max(count, 0) + answers * guarantee.measured
        if 2 * most >= self.n:
            return ""
        share = f"{floor(Fraction(1000 * (self.n - most), self.n)) / 10} %"
        sure = f"with probability ≥ {certainty(guarantee.beta)}"
        stands = f"The charge stands: {guarantee.certificate.privacy}."
        records = "the records, one of each unit," if guarantee.certificate.unit_records else "the records"
        unfit = f"At least {share} of {records} do not fit what you declared, {sure}."
        return f"{unfit} {check or misfit_advice()}. {stands}"

    @property
    def subject(self) -> str:
        """What is answered, as a heading."""
        k, records = self.guarantee.certificate.unit_records, "How many records"
        counted = "How many units" if k == 1 else f"How many of the at most {k} records counted per unit"
        subject = self.answers_.subject if k is None else self.answers_.subject.replace(records, counted, 1)
        return subject.replace(f"each {VALUE}", f"each {self.column}")

    def drawing(self) -> tuple[Chart, ...]:
        """The charts in a picture of the answers, with the name of the column."""
        charts, name = self.answers_.drawn(self.guarantee.measured), "" if self.column == VALUE else self.column
        return tuple(c if isinstance(c, HeatMap) or c.name else replace(c, name=name) for c in charts)

    def answer(self, query: Hypothesis) -> float:
        """The fraction of the records that satisfy the query; with units, the fraction of their places.

        A unit has ``max_records`` places, and those that no record fills satisfy no query.
        """
        return self._count(query) / self.n

    def answers(self, queries: Iterable[Hypothesis]) -> list[float]:
        """The fraction of the records that satisfy each query; with units, the fraction of their places."""
        return [self.answer(query) for query in queries]

    def interval(self, query: Hypothesis) -> tuple[float, float]:
        """Where the true fraction lies: with certainty where bounds are certain, otherwise as measured.

        It is a fraction of the records; with units, of their places, as in :meth:`answer`. Measured bounds hold for all
        queries at once with probability 1 − β; so do all intervals together.
        """
        count, certain = self._count(query), self.answers_.bound(query)
        bound = self._measured if certain is None else certain
        return max(0, count - bound) / self.n, min(self.n, count + bound) / self.n

    def quantile(self, q: Number) -> Any:
        """The value that about a fraction q of the records that count does not exceed; empty places do not count."""
        share = as_rational(q, "q")
        if not 0 <= share <= 1:
            raise Refused.must("q", "lie between 0 and 1")
        return self.answers_.quantile(share)

    def mean(self) -> Any:
        """The mean of the records that count, if the release is a distribution: a number, a date, or a time."""
        return self.answers_.mean()[0]

    def mean_interval(self) -> tuple[Any, Any]:
        """Where the mean of these records lies: about ± (high − low)·E/n, if all answers are off by E of n at most."""
        return self.answers_.mean(self._measured)[1:]

    @property
    def _measured(self) -> int:
        if self.guarantee.measured is None:
            raise Refused("certify", "this release was made without a certificate; fit it again with certify=0.1")
        return self.guarantee.measured

    def error(self, rule: Hypothesis) -> float:
        """The share of these records that the rule labels wrongly; only for a labeled release, ``fit(X, y)``."""
        return self.rates(rule).error

    def rates(self, rule: Hypothesis) -> Rates:
        """How often the rule is right and wrong on these records, with intervals that hold for all rules at once."""
        answers = self._labeled
        if not isinstance(rule, Hypothesis):
            raise RefusedType("rule", "ask about a rule of the class, such as concept_class.hypothesis(value)")
        with InOtherWords(lambda error: refusal_about(error, "rule"), Refused):
            outcomes = answers.outcomes(rule)
        return self._labeling.rates(self._rule_named(rule), outcomes, 0)

    def curve(self, above: bool | None = None) -> Curve:
        """Both error rates at every cut: the ROC curve with its band, and what each cut costs.

        For a class of both directions, ``above`` chooses one; by default, the one with the larger area under the curve.
        """
        answers = self._labeled
        if not isinstance(answers, LabeledLineCounts):
            raise Refused("rule", "only cuts of a line have a curve; release ", Setting.to("concept_class", CUTS))
        column = answers.column if answers.domain.column_names else self.column
        return curve_of(answers, self._labeling, column, above)

    def best(
        self,
        *,
        weights: object = None,
        sensitivity: Number | None = None,
        specificity: Number | None = None,
        flagged_at_most: Number | None = None,
        certain: bool = False,
    ) -> Rates:
        """The best rule of the class for these records, by one criterion, with its rates; it costs no privacy.

        ``weights`` of errors on negative and on positive records, such as (1, 9): the least cost; by default (1, 1),
        the least error. ``sensitivity``: the fewest flagged negative records, if at least this share of the positive
        ones is flagged. ``specificity`` and ``flagged_at_most``: the most flagged positive records, if at least this
        share of the negative ones is not flagged, or at most this share of all records is. With ``certain``, the
        condition holds for the whole interval, not only for the estimate.
        """
        answers, labeling = self._labeled, self._labeling
        shares = {"sensitivity": sensitivity, "specificity": specificity, "flagged_at_most": flagged_at_most}
        conditions = {name: required_share(name, share) for name, share in shares.items() if share is not None}
        if len(conditions) + (weights is not None) > 1:
            raise Refused(
                next(iter(conditions)), "give one criterion: ", EXAMPLE_WEIGHTS, ", or ", Setting.to("sensitivity", 0.8)
            )
        outcomes = answers.all_outcomes()
        pair = weights_of((1, 1) if weights is None else weights, answers.classes)
        if conditions:
            i = best_within(outcomes, labeling, *next(iter(conditions.items())), certain=certain)
        else:
            i = int(np.argmin(outcomes.cost(*pair)))
        return labeling.rates(self._rule_named(answers.rule(i)), outcomes, i, None if weights is None else pair)

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The two labels, negative first; None for a release without labels."""
        return self.answers_.classes if isinstance(self.answers_, LabeledAnswers) else None

    def labeled_as(self, classes: tuple[Any, ...]) -> Release:
        """The same release with labels in other words, such as those for truth values; without labels, this one."""
        if not isinstance(self.answers_, LabeledAnswers):
            return self
        return replace(self, answers_=replace(self.answers_, classes=tuple(classes)))  # type: ignore[type-var]

    @property
    def has_curve(self) -> bool:
        """Whether the release is about cuts of a line, with labels."""
        return isinstance(self.answers_, LabeledLineCounts)

    @property
    def _labeled(self) -> LabeledAnswers:
        if not isinstance(self.answers_, LabeledAnswers):
            raise Refused("y", "this release was made without labels; make one with labels: fit(X, y)")
        return self.answers_

    @property
    def _labeling(self) -> Labeling:
        answers, guarantee = self._labeled, self.guarantee
        return Labeling(self.n, guarantee.counted, answers.classes, guarantee.measured, guarantee.beta, answers.joint)

    def _rule_named(self, rule: Hypothesis) -> Hypothesis:
        return rule if self.column == VALUE else rule.named(self.column)

    def counts(self) -> Frame:
        """What is shown, as a table of columns and entries, which pandas and polars read."""
        return self._named(self.answers_.shown(self.guarantee.measured))

    def synthetic(self, size: int, rng: Entropy | int | None = None) -> Frame:
        """``size`` synthetic records, drawn from the answers alone, which costs no privacy."""
        if not is_whole(size) or size < 0:
            raise RefusedType.must("size", "be a whole number of records, at least 0")
        return self._named(self.answers_.rows(int(size), SYSTEM if rng is None else entropy(rng)))

    def _named(self, table: Frame) -> Frame:
        """The table with the column's own name instead of "value", also in headings such as "value from"."""
        (column,) = headings([self.column], *table.keys() & {RECORDS})
        return {
            column + name.removeprefix(VALUE) if name.split(" ")[0] == VALUE else name: entries
            for name, entries in table.items()
        }

    def _count(self, query: Hypothesis) -> int:
        if not isinstance(query, Hypothesis):
            raise RefusedType("query", "ask about a rule of the class, such as concept_class.hypothesis(value)")
        return self.answers_.count(query)

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.misfits(), str(self.guarantee))))

    def _repr_html_(self) -> str:
        """In a notebook: the card of the release. The report imports this room, so its function is found by name."""
        view: str = resolve_name("privpac.report.notebook:release_view")(self)
        return view

    def to_json(self) -> str:
        """The release as JSON text, which :meth:`from_json` reads."""
        parts = {field.name.rstrip("_"): stored(getattr(self, field.name)) for field in fields(self)}
        misfits = {"misfits": self.misfits()} if self.misfits() else {}
        heading = {RELEASES.mark: RELEASES.version, **misfits, "guarantee in words": list(self.guarantee.lines)}
        answers = json.dumps(parts.pop("answers"), ensure_ascii=False)  # on one line: there may be a million answers
        before = json.dumps(heading | parts, indent=1, ensure_ascii=False).removesuffix("\n}")
        return writable(f'{before},\n "answers": {answers}\n}}')

    def save(self, path: str | Path) -> None:
        """Write the release to a file, which ``pp.load(path)`` reads."""
        write_new(path, self.to_json(), newline="\n")

    @staticmethod
    def from_json(text: str) -> Release:
        """The release that :meth:`to_json` wrote; ValueError for any other text."""
        import privpac.release.choice  # noqa: F401, PLC0415  (so that all kinds of answers are known by their names)

        release = RELEASES.read(text, lambda answers, **others: Release(answers_=answers, **others))
        if not release.agrees:
            raise ValueError(
                "the guarantee in this JSON is not that of its answers and its ledger; ask for the original"
            )
        return release
