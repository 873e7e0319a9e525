"""The words of each option are written once: signatures, refusals, and commands read the same list."""

import re

import pytest

import privpac as pp
from privpac.classes.lines.declared_line import ENDS
from privpac.classes.schemas.columns import KEYS, Column
from privpac.classes.shell_options import bound
from privpac.papers.bbkn14.points import ProperPoints
from privpac.papers.hct24.angles import Angles
from privpac.papers.hct24.plane import TIES, MakeThrData, Tie
from privpac.refusals.option_words import (
    BoundKind,
    ColumnKind,
    InvalidRule,
    LineRule,
    PaperConstants,
    PlanTask,
    QuantileMethod,
    Regime,
    ThresholdDirection,
    TreeKind,
    UnboundedKind,
    one_of,
    words_of,
)
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import Conditions

AGES = [40] * 400
MEDIAN = {"low": 0, "high": 120, "epsilon": 1, "delta": 1e-6}
USED = {
    "regime": (Regime, lambda word: Conditions.of(regime=word)),
    "on_invalid": (InvalidRule, lambda word: Conditions.of(on_invalid=word)),
    "task": (PlanTask, lambda word: pp.plan(pp.Points(3), task=word)),
    "direction": (ThresholdDirection, lambda word: pp.Thresholds(0, 9, direction=word)),
    "kind of a line": (UnboundedKind, lambda word: pp.Thresholds(kind=word, direction="above")),
    "kind of a bound": (BoundKind, lambda word: bound("2026-01-01" if "date" in word else "7", word)),
    "kind of a tree": (TreeKind, lambda word: pp.Taxonomy({"J10": "J"}, kind=word)),
    "method of a median": (QuantileMethod, lambda word: pp.private_median(AGES, **MEDIAN, method=word)),
    "method of quantiles": (QuantileMethod, lambda word: pp.private_quantiles(AGES, [0.5], **MEDIAN, method=word)),
    "method of a point": (QuantileMethod, lambda word: pp.interior_point(AGES * 9, **MEDIAN, method=word)),
    "on_invalid of a median": (LineRule, lambda word: pp.private_median(AGES, **MEDIAN, on_invalid=word)),
    "constants": (PaperConstants, lambda word: ProperPoints(9, pp.Budget(1), 0.1, 0.05, word)),
    "ties": (Tie, lambda word: MakeThrData(Angles(3, 1), 9, word, acknowledge_not_private=True)),
}


@pytest.mark.parametrize("option", USED)
def test_every_word_of_an_option_is_accepted_and_any_other_is_refused_with_the_same_list(option):
    choice, use = USED[option]
    for word in words_of(choice):
        use(word)
    for wrong in (f"{words_of(choice)[0]} ", words_of(choice)[0].upper(), ""):
        with pytest.raises(Refused, match=re.escape(f"must be one of {', '.join(words_of(choice))}")) as refused:
            use(wrong)
        assert refused.value.parameter == option.partition(" of ")[0]


@pytest.mark.parametrize("wrong", [None, 3, ["agnostic"], b"agnostic", ("agnostic",)])
def test_what_is_not_text_is_refused_as_a_wrong_word(wrong):
    with pytest.raises(Refused, match="regime must be one of agnostic, realizable"):
        one_of("regime", wrong, Regime)


def test_tables_by_word_have_every_word():
    assert words_of(ColumnKind) == tuple(KEYS)
    assert words_of(UnboundedKind) == tuple(ENDS)
    assert words_of(Tie) == tuple(TIES)
    assert set(words_of(UnboundedKind)) <= set(words_of(BoundKind))
    for kind in words_of(ColumnKind):
        with pytest.raises(Refused, match=f"kind must be one of {', '.join(words_of(ColumnKind))}"):
            Column("age", f"{kind}s")


def test_a_model_is_read_by_the_same_rules():
    clf = pp.PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature=None, random_state=1).fit(
        [2, 7] * 200, [0, 1] * 200
    )
    text, own = pp.model_of(clf).to_json(), '"on_invalid": "raise",\n  "label"'
    assert text.count(own) == 1

    def read(word):
        return text.replace(own, own.replace('"raise"', word))

    assert [pp.Model.from_json(read(f'"{word}"')).on_invalid for word in words_of(InvalidRule)] == [
        *words_of(InvalidRule)
    ]
    for wrong in ('"ignore"', "7", "null"):
        with pytest.raises(ValueError, match="on_invalid must be one of raise, clamp, default"):
            pp.Model.from_json(read(wrong))
