"""Labels: which records are positive, or which of several labels each has, and which records have a declared label."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

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
OR_DEFAULT = "; or say ", Setting.to("on_invalid", "default")
UNDECLARED = (
    *(DECLARE, TWO, "; or choose another column", *OR_DEFAULT),
    InPython(". Unknown label type: some are undeclared"),  # scikit-learn's own tests look for these words
)
SEVERAL_UNDECLARED = DECLARE, Setting("classes"), *OR_DEFAULT
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
    """One of several declared labels, as the positive one, against all others.

    >>> Against("adult", ("child", "senior")).names
    ('not adult', 'adult')
    """

    label: Hashable
    others: tuple[Hashable, ...]

    def __iter__(self) -> Iterator[Hashable]:
        return iter((*self.others, self.label))

    @property
    def names(self) -> tuple[str, str]:
        """The answers of a rule, negative first; as text, so that a column of answers has one type."""
        return f"not {self.label}", str(self.label)


# (negative, positive), a condition on a column (a sequence of two such labels), three labels or more, or one label
# against others; None means the labels that occur.
Declared = Sequence[Any] | Against | None


def declared_number(classes: object) -> int:
    """How many labels are declared, at least 2. If they are more than 2, Refused unless they are valid.

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
    is_list = isinstance(classes, Iterable) and not isinstance(classes, str | bytes | Set)  # a set has no order
    return label_array(list(classes) if is_list else [])


class ReadLabels(NamedTuple):
    """Labels as learners read them.

    ``numbers`` says of each label whether it is positive; of more than two labels, which one it is. ``known`` says
    which labels are declared (None: all). ``ordered`` holds the declared labels; of two, the negative one first.
    """

    numbers: NDArray[Any]
    known: NDArray[np.bool_] | None
    ordered: NDArray[Any]


def positives(labels: NDArray[Any], classes: Declared, *, strict: bool) -> ReadLabels:
    """The labels, read as ``classes`` declares them; with ``strict``, Refused if some are not declared.

    >>> positives(np.array(["no", "yes", "?"]), ("no", "yes"), strict=False).known.tolist()
    [True, True, False]
    >>> positives(np.array(["c", "a", "b"]), ("a", "b", "c"), strict=True).numbers.tolist()
    [2, 0, 1]
    """
    if isinstance(classes, LabelCondition):
        labels = classes.labels_of(labels)
    if strict or classes is None:  # without declared labels, it is public which labels occur
        _check_finite(labels)
    several = declared_number(classes) > 2
    ordered = _listed(classes) if several else _classes(labels, classes)
    declared = ordered.tolist() if several else [ordered[0], ordered[-1]]
    if isinstance(classes, Against):
        declared = list(classes)
    numbers, known = _positions(labels, declared, strict=strict)
    if strict and not known.all() and (several or isinstance(classes, Against)):
        raise Refused("classes", f"some labels are none of the {len(declared)} declared ones", *SEVERAL_UNDECLARED)
    if strict and not known.all():
        pair = " and ".join(map(value_text, declared))
        raise Refused("classes", f"some labels are neither of the two declared classes {pair}", *UNDECLARED)
    if not several:  # from positions to positive or not; if only one label occurs, it counts as negative
        numbers = (numbers == len(declared) - 1) & (len(ordered) > 1)
    return ReadLabels(numbers, None if known.all() else known, ordered)


def _positions(
    labels: NDArray[Any], declared: Sequence[Any], *, strict: bool
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The position of each label among the declared ones (0 if it is none of them), and whether it is one of them."""
    readable, known = labels, None
    if labels.dtype.kind == "O" and not strict:
        # Each label is read independently: one that raises an error counts as undeclared and does not stop the others.
        readable, known = valid(Listing(tuple(declared)), labels, "default")
    positions = np.full(len(readable), -1, dtype=np.intp)
    for position, label in enumerate(declared):
        positions[member(readable, [label])] = position
    if known is None:
        return np.maximum(positions, 0), positions >= 0
    all_positions = np.zeros(len(labels), dtype=np.intp)
    all_positions[known] = np.maximum(positions, 0)
    return all_positions, known


def _check_finite(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "O":
        # scikit-learn is not asked, because it would compare the labels, and an error of their code may quote them.
        if any(gaps(labels)):
            raise _no_label("Input y contains NaN")
        return
    if labels.dtype.kind != "f" or np.isfinite(labels).all():
        return
    from sklearn.utils.validation import assert_all_finite  # noqa: PLC0415  (models need no scikit-learn)

    # The message keeps scikit-learn's words, which quote no number, because its estimator checks look for them.
    with InOtherWords(lambda error: _no_label(str(error).rstrip(".")), ValueError):
        assert_all_finite(labels, input_name="y")


def _no_label(why: str) -> Refused:
    return Refused("y", f"some labels are missing or infinite: {why}", *NO_LABEL)


def _classes(labels: NDArray[Any], classes: Declared) -> NDArray[Any]:
    """The two labels, negative first: the declared ones, or those that occur if none are declared."""
    if isinstance(classes, Against):
        return label_array(classes.names)
    if classes is not None:
        return declared_pair(classes)
    with InOtherWords(lambda _: RefusedType("classes", *MIXED)):  # an error of their comparison may quote them
        # Equal labels take one form, because it is not public which of 1, True, and 1.0 a record held.
        occurring = np.unique(objects(forms(labels, canonical)) if labels.dtype.kind == "O" else labels)
    if len(occurring) > 2:
        raise Refused("classes", *MULTICLASS)
    if not len(occurring):
        raise _no_label("no label is left")
    return occurring + 0.0 if occurring.dtype.kind == "f" else occurring  # −0.0 + 0.0 is 0.0


def declared_pair(classes: object) -> NDArray[Any]:
    """The two declared labels, negative first; Refused if they are not two."""
    pair = _listed(classes)
    if pair.shape != (2,) or any(gaps(pair)) or pair[0] == pair[1]:
        raise Refused.must("classes", "be two different labels, (negative, positive)")
    return pair


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Public labels as an array: in one of numpy's types if that changes none of them, otherwise as Python objects.

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

    ``read`` yields the values that the rule reads, of some records at a time, and which of these records fit.
    """
    labels = label_array(list(classes))
    if rule.answers is not None:
        default = labels.tolist()[0]
        answers = np.concatenate([_filled_up(rule(values), fits, object, default) for values, fits in read])
        return answers.astype(labels.dtype)
    is_positive = np.concatenate([_filled_up(rule(values), fits, bool, False) for values, fits in read])
    return labels[np.where(is_positive, -1, 0)]  # a single label is both the first and the last


def _filled_up(answers: NDArray[Any], fits: WhichFit | None, kind: type, default: object) -> NDArray[Any]:
    """The answers for the records that fit, and ``default`` for all others."""
    if fits is None:
        return answers
    filled: NDArray[Any] = np.empty(len(fits), dtype=kind)
    filled.fill(default)  # not ``np.full``, which would unpack a label that is a tuple
    filled[fits] = answers
    return filled
