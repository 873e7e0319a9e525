"""Labels: which records are positive, or which of more than two labels they have, and which have a declared label."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.domain import WhichFit
from privpac.data.domains.listing import Listing
from privpac.data.domains.on_invalid import valid
from privpac.data.samples.label_conditions import LabelCondition
from privpac.data.samples.sample import MOST_LABELS
from privpac.data.values.allowed_types import gaps
from privpac.data.values.columns import objects
from privpac.data.values.equal_values import canonical, forms, member
from privpac.data.values.value_text import value_text
from privpac.refusals.refusal import InOtherWords, InPython, Refused, RefusedType, Setting, Sketch

TWO = Setting.to("classes", Sketch("(negative, positive)"))
DECLARE = " (case, spaces, and type matter); declare all labels that occur (with a schema, in its [label]): "
OTHERWISE = "; or say ", Setting.to("on_invalid", "default")
UNDECLARED = (
    *(DECLARE, TWO, "; or choose another column", *OTHERWISE),
    InPython(". Unknown label type: some are undeclared"),  # what scikit-learn's checks look for
)
SEVERAL_UNDECLARED = DECLARE, Setting("classes"), *OTHERWISE
MULTICLASS = (
    "Unknown label type: there are more than two labels. Only binary classification is supported. The type of the "
    "target is multiclass; declare two labels, ",
    TWO,
    ", or, for decision trees, all of them: ",
    Setting.to("classes", Sketch('("a", "b", "c")')),
)
NO_LABEL = (
    "; give every record a label or leave it out, or declare the two labels, ",
    *(TWO, ", and say ", Setting.to("on_invalid", "default")),
    ", which counts such records toward n but toward no score",
)
MIXED = "the labels have several types, so they cannot be ordered; declare the two labels: ", TWO


@dataclass(frozen=True)
class Against:
    """One of several declared labels against all others.

    >>> Against("adult", ("child", "senior")).names
    ('not adult', 'adult')
    """

    label: Hashable
    others: tuple[Hashable, ...]

    def __iter__(self) -> Iterator[Hashable]:
        return iter((*self.others, self.label))

    @property
    def names(self) -> tuple[str, str]:
        """What a rule answers, negative first; as text, so that a column of answers has one type."""
        return f"not {self.label}", str(self.label)


# (negative, positive), a condition on a column (which lists such a pair), or more labels; None: the labels that occur
Declared = Sequence[Any] | Against | None


def declared_number(classes: object) -> int:
    """How many labels are declared: 2 unless they are more, whose form is then checked.

    >>> declared_number(("no", "yes")), declared_number(None), declared_number(("red", "green", "blue"))
    (2, 2, 3)
    """
    if classes is None or isinstance(classes, Against) or len(labels := _listed(classes)) < 3:
        return 2
    if any(gaps(labels)) or len(set(forms(labels, canonical))) < len(labels):
        raise Refused.must("classes", "be different labels, none of them missing; name each of them once")
    if len(labels) > MOST_LABELS:
        few = f"classes must be at most {MOST_LABELS} labels; declare those that matter and say "
        raise Refused("classes", few, Setting.to("on_invalid", "default"), ", or join rare labels into one")
    return len(labels)


def _listed(classes: Any) -> NDArray[Any]:
    """Declared labels as an array; empty if they are not a list."""
    whole = isinstance(classes, str | bytes | Set) or not isinstance(classes, Iterable)
    return label_array([] if whole else list(classes))


def positives(
    labels: NDArray[Any], classes: Declared, *, strict: bool
) -> tuple[NDArray[Any], NDArray[np.bool_] | None, NDArray[Any]]:
    """Whether each label is positive, whether it is declared (None: all are), and the two labels, negative first.

    If more than two are declared, the position of each label among them takes the place of whether it is positive.

    >>> positives(np.array(["no", "yes", "?"]), ("no", "yes"), strict=False)[1].tolist()
    [True, True, False]
    >>> positives(np.array(["c", "a", "b"]), ("a", "b", "c"), strict=True)[0].tolist()
    [2, 0, 1]
    """
    if isinstance(classes, LabelCondition):
        labels = classes.labels_of(labels)
    if strict or classes is None:  # which labels occur is then public
        _check_finite(labels)
    several = declared_number(classes) > 2
    ordered = _listed(classes) if several else _classes(labels, classes)
    declared = ordered.tolist() if several else [ordered[0], ordered[-1]]
    if isinstance(classes, Against):
        declared = list(classes)
    numbers, known = _places(labels, declared, strict=strict)
    if strict and not known.all() and (several or isinstance(classes, Against)):
        raise Refused("classes", f"some labels are none of the {len(declared)} declared ones", *SEVERAL_UNDECLARED)
    if strict and not known.all():
        pair = " and ".join(map(value_text, declared))
        raise Refused("classes", f"some labels are neither of the two declared classes {pair}", *UNDECLARED)
    # The only label that occurs counts as negative.
    found = numbers if several else (numbers == len(declared) - 1) & (len(ordered) > 1)
    return found, None if known.all() else known, ordered


def _places(
    labels: NDArray[Any], declared: Sequence[Any], *, strict: bool
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The position of each label among the declared ones, or 0, and whether it is one of them."""
    read, known = labels, None
    if labels.dtype.kind == "O" and not strict:
        # Each label is read by itself: one that raises an error counts as undeclared and does not stop the others.
        read, known = valid(Listing(tuple(declared)), labels, "default")
    which = np.full(len(read), -1, dtype=np.intp)
    for number, each in enumerate(declared):
        which[member(read, [each])] = number
    if known is None:
        return np.maximum(which, 0), which >= 0
    numbers = np.zeros(len(labels), dtype=np.intp)
    numbers[known] = np.maximum(which, 0)
    return numbers, known


def _check_finite(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "O":  # scikit-learn would compare them, and their own code may raise errors that quote them
        if any(gaps(labels)):
            raise _no_label("Input y contains NaN")
        return
    if labels.dtype.kind != "f" or np.isfinite(labels).all():
        return
    from sklearn.utils.validation import assert_all_finite  # noqa: PLC0415  (models need no scikit-learn)

    # scikit-learn's checks look for its words, which quote no number
    with InOtherWords(lambda error: _no_label(str(error).rstrip(".")), ValueError):
        assert_all_finite(labels, input_name="y")


def _no_label(why: str) -> Refused:
    return Refused("y", f"some labels are missing or infinite: {why}", *NO_LABEL)


def _classes(labels: NDArray[Any], classes: Declared) -> NDArray[Any]:
    """The two labels, negative first: the declared ones, or, if the caller makes them public, those in y."""
    if isinstance(classes, Against):
        return label_array(classes.names)
    if classes is not None:
        return declared_pair(classes)
    with InOtherWords(lambda _: RefusedType("classes", *MIXED)):  # what their comparison raises may quote them
        # Equal labels take one form, because it is not public which of 1, True, and 1.0 a record held.
        found = np.unique(objects(forms(labels, canonical)) if labels.dtype.kind == "O" else labels)
    if len(found) > 2:
        raise Refused("classes", *MULTICLASS)
    if not len(found):
        raise _no_label("no label is left")
    return found + 0.0 if found.dtype.kind == "f" else found  # −0.0 + 0.0 is 0.0


def declared_pair(classes: object) -> NDArray[Any]:
    """The two declared labels, negative first; Refused if they are not two."""
    pair = _listed(classes)
    if pair.shape != (2,) or any(gaps(pair)) or pair[0] == pair[1]:
        raise Refused.must("classes", "be two different labels, (negative, positive)")
    return pair


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Public labels as an array: of a numpy type if that changes none of them, of Python objects otherwise.

    >>> label_array(["no", "yes"]), label_array([0, "yes"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 'yes'], dtype=object))
    """
    plain = objects(labels)
    try:
        array = np.asarray(labels)
    except ValueError:  # tuples of several lengths
        return plain
    return array if array.ndim == 1 and array.tolist() == plain.tolist() else plain


def predicted(
    rule: Hypothesis, classes: Sequence[Any] | NDArray[Any], read: Iterable[tuple[Any, WhichFit | None]]
) -> NDArray[Any]:
    """The rule's label for each record; records that do not fit the domain get the first label (of two, the negative).

    ``read`` gives the values that the rule reads, of some records at a time, and which of these records fit.
    """
    labels = label_array(list(classes))
    if rule.answers is not None:
        default = labels.tolist()[0]
        found = np.concatenate([_filled_up(rule(values), fits, object, default) for values, fits in read])
        return found.astype(labels.dtype)
    found = np.concatenate([_filled_up(rule(values), fits, bool, False) for values, fits in read])
    return labels[np.where(found, -1, 0)]  # if there is one label, it is the first and the last


def _filled_up(answers: NDArray[Any], fits: WhichFit | None, kind: type, default: object) -> NDArray[Any]:
    """The answers for the records that fit, and ``default`` for all others."""
    if fits is None:
        return answers
    found: NDArray[Any] = np.empty(len(fits), dtype=kind)
    found.fill(default)
    found[fits] = answers
    return found
