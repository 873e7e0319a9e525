"""Options that take words say which: as ``Literal`` types in signatures, and as choices on the command line."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest

import privpac as pp
from privpac.cli.commands.learn import learner_names
from privpac.cli.commands.release import sanitizer_names
from privpac.cli.program import COMMANDS, _with_options, words_taken
from privpac.learners.choice import LEARNERS
from privpac.refusals.option_words import (
    BoundKind,
    InvalidRule,
    PlanTask,
    Regime,
    ThresholdDirection,
    TreeKind,
    words_of,
)
from privpac.release.choice import SANITIZERS

OPTIONS = ("method", "regime", "on_invalid", "task", "direction", "kind", "constants", "step")
TYPED = {  # as Literal choices of commands
    "regime": words_of(Regime),
    "on_invalid": words_of(InvalidRule),
    "task": words_of(PlanTask),
    "direction": words_of(ThresholdDirection),
    "kind": (*words_of(BoundKind), *words_of(TreeKind)),
}
OUTCOMES = {pp.Dimension, pp.Utility}  # what is computed is not an option


def names_words(hint: Any) -> bool:
    """Whether an annotation names words, and does not allow any text."""
    parts = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
    return str not in parts and Any not in parts and any(get_origin(each) is Literal for each in parts)


def annotation(function: Any, parameter: str) -> Any:
    """The type of one parameter; those of others may be known to type checkers alone."""
    written = function.__annotations__[parameter]
    return eval(written, function.__globals__) if isinstance(written, str) else written


def wordless(names: dict[str, Any]) -> Iterator[str]:
    """The options of public callables whose annotation names no words."""
    for name, thing in names.items():
        if not callable(thing) or thing in OUTCOMES:
            continue
        function = thing.__init__ if isinstance(thing, type) else thing
        for parameter in getattr(function, "__annotations__", {}):
            registered = parameter == "method" and isinstance(thing, type)  # learners and sanitizers name themselves
            if parameter in OPTIONS and not registered and not names_words(annotation(function, parameter)):
                yield f"{name}({parameter}=)"


def test_public_signatures_name_the_words():
    assert list(wordless({name: getattr(pp, name) for name in pp.__all__})) == []


def test_a_signature_without_words_is_seen():
    def loose(regime: str, method: Literal["auto"] | None, task: Any, step: int | str, beta: float) -> None: ...

    assert list(wordless({"loose": loose})) == ["loose(regime=)", "loose(task=)", "loose(step=)"]


def test_methods_are_all_learners_and_all_sanitizers():
    assert learner_names() == ["auto", *(each.__name__ for each in LEARNERS)]
    assert sanitizer_names() == ["auto", *(each.__name__ for each in SANITIZERS)]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_offer_the_words_of_the_library(command):
    options = {each.name for each in getattr(_with_options(command), "params", [])}
    assert words_taken(command) == {name: words for name, words in TYPED.items() if name in options}


def test_commands_that_take_words_are_seen():
    assert {*words_taken("learn"), *words_taken("plan")} == set(TYPED)
    assert {*words_taken("count")} == {"on_invalid"} == {*words_taken("release")} - {*words_taken("plan")}
