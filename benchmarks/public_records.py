"""Public records without labels: half-spaces and boxes with a certificate that needs no margin, beside other learners.

Columns become whole numbers 0 … 999 by public bounds. 2,000 records without labels are public. The private ones are as
many as certify an error of at most α above the best half-space, or all that there are; further records measure errors.
Planted records are even or Gaussian, with a tenth of the labels wrong. "Public" is the share of records that the public
ones leave open. "Others" is the learner that is chosen without public records; in three dimensions and more, its
certificate needs a margin that these tables do not have. diffprivlib's logistic regression certifies no error.
"Measured n" is the certified one, halved as long as 19 of 20 fits on planted records keep its promise. Labels are
planted by half-spaces, which boxes do not come near, so diffprivlib errs less often there; the last row has a planted
box. The bar: no fit errs by more than the certified excess above the best rule that is known, and 2 % for chance.

Main declarations
    tables     the figures
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from measure import Table, ask_peer
from package_tables import TABLES

import privpac as pp

SIDE, PUBLIC = 1000, 2000
RNG = np.random.default_rng(12)
REAL = {
    "hr": ("age", "hours", "evaluation", "salary"),
    "census": ("age", "education", "hours", "gain"),
}
GOALS = {2: 0.1, 3: 0.15, 4: 0.3}  # α in d dimensions
Records = tuple[np.ndarray, np.ndarray]
Source = Callable[[int], Records]


def even(d: int) -> Source:
    """Even records, half of them with label 1, and a tenth of the labels wrong."""
    w = np.array([3, -2, 1, -1][:d])

    def draw(n: int) -> Records:
        X = RNG.integers(0, SIDE, (n, d))
        return X, (X @ w >= w.sum() * SIDE / 2) ^ (RNG.random(n) < 0.1)

    return draw


def gaussian(d: int) -> Source:
    """Two Gaussian groups in one direction, with a tenth of the labels wrong."""

    def draw(n: int) -> Records:
        y = RNG.random(n) < 0.4
        X = np.clip(RNG.normal(450 + 120 * y[:, None], 130, (n, d)), 0, SIDE - 1).astype(int)
        return X, y ^ (RNG.random(n) < 0.1)

    return draw


def boxed(d: int) -> Source:
    """Even records, half of them in a box and with label 1, and a tenth of the labels wrong."""
    half = SIDE / 2 * 0.5 ** (1 / d)

    def draw(n: int) -> Records:
        X = RNG.integers(0, SIDE, (n, d))
        return X, (np.abs(X - SIDE / 2) < half).all(axis=1) ^ (RNG.random(n) < 0.1)

    return draw


PLANTED = {"even": even, "gaussian": gaussian, "in a box": boxed}


@cache
def numbers(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The columns of a real table as whole numbers, and its labels."""
    table = TABLES[name]()
    columns = [(table.records[each].clip(*table.public[each]), table.public[each]) for each in REAL[name]]
    X = np.column_stack([(SIDE - 1) * (x - low) / (high - low) for x, (low, high) in columns])
    return np.round(X).astype(int), np.asarray(table.labels)


def real(name: str, d: int) -> Source:
    """Records of a table in random order, without replacement."""
    X, y = numbers(name)

    def draw(n: int) -> Records:
        chosen = RNG.permutation(len(X))[:n]
        return X[chosen, :d], y[chosen]

    return draw


def tables(quick: bool) -> list[Table]:
    """Half-spaces and boxes."""
    runs, sources = (1 if quick else 3), ("even", "gaussian", *REAL)
    rows = [_compared(name, d, pp.HalfSpaces(d, SIDE), runs) for d in GOALS for name in sources]
    header = ("records", "d", "public", "α", "certified n", "n", "error", "others", "others err", "diffprivlib", "best")
    boxes = [_compared(name, 3, pp.Rectangles(0, SIDE - 1, 3), runs) for name in sources]
    note = "A certified n of – means that no number of private records certifies this α with these public records."
    asked: list[tuple[str, pp.HalfSpaces | pp.Rectangles]]
    asked = [(name, pp.HalfSpaces(d, SIDE)) for d in GOALS for name in ("even", "gaussian")]
    needs = [_needed(*each, runs) for each in (*asked, ("in a box", pp.Rectangles(0, SIDE - 1, 3)))]
    measured = ("rules", "records", "d", "α", "certified n", "measured n")
    return [
        Table("Half-spaces, ε = 1", header, rows, note),
        Table("Boxes, ε = 1", header, boxes, note),
        Table("How many private records it takes", measured, needs),
    ]


def _goal(H: pp.ConceptClass, d: int) -> float:
    return GOALS[d] if isinstance(H, pp.HalfSpaces) else 0.3


def _needed(name: str, H: pp.HalfSpaces | pp.Rectangles, runs: int) -> tuple[object, ...]:
    """The certified n, halved as long as all but 5 % of fits on planted records err by at most α beyond the best."""
    draw, α, fits = PLANTED[name](H.dim), _goal(H, H.dim), 20 if runs > 1 else 5
    everything = draw(10_000)
    clf = pp.PrivateClassifier(H, alpha=α, public=everything[0][:PUBLIC])
    best = float((clf.asking(epsilon=1000).fit(*everything).predict(everything[0]) != everything[1]).mean())

    def fails(n: int) -> bool:
        X, y = draw(n)
        return float((clf.fit(X, y).predict(everything[0]) != everything[1]).mean()) > best + α

    certified = n = clf.certified_n() or 8000
    while n > 2 and sum(fails(n // 2) for _ in range(fits)) <= fits // 20:
        n //= 2
    return "half-spaces" if isinstance(H, pp.HalfSpaces) else "boxes", name, H.dim, α, certified, n


def _compared(name: str, d: int, H: pp.ConceptClass, runs: int) -> tuple[object, ...]:
    draw = real(name, d) if name in REAL else PLANTED[name](d)
    everything = draw(30_000)
    most, α = min(8000, (len(everything[0]) - PUBLIC) // 2), _goal(H, d)
    public = everything[0][:PUBLIC]
    clf = pp.PrivateClassifier(H, alpha=α, public=public)
    certified, left = clf.certified_n(), clf.learner().uncovered(0.05 / 4)  # type: ignore[attr-defined]
    n = min(certified or most, most)
    found: dict[str, list[float]] = {"ours": [], "others": [], "best": []}
    other = pp.PrivateClassifier(H)
    samples = []
    for _ in range(runs):
        order = PUBLIC + RNG.permutation(len(everything[0]) - PUBLIC)
        (X, y), (new, truth) = ((each[part] for each in everything) for part in (order[:n], order[n:]))
        samples.append((X, y, new[:5000], truth[:5000]))
        for key, made in (("ours", clf), ("others", other)):
            found[key].append(float((made.fit(X, y).predict(new) != truth).mean()))
    almost = clf.asking(epsilon=1000).fit(*everything)
    best = float((almost.predict(everything[0]) != everything[1]).mean())
    excess = max(found["ours"]) - best
    assert certified is None or n < certified or excess <= α + 0.02, "an error beyond the certificate"
    return (
        *(name, d, f"{left:.1%}", α, certified or "–", n, _mean(found["ours"]), other.learner_.name),
        *(_mean(found["others"]), _peer(samples), f"{best:.1%}"),
    )


def _mean(errors: list[float]) -> str:
    return f"{np.mean(errors):.1%}"


def _peer(samples: list[tuple[np.ndarray, ...]]) -> str:
    """diffprivlib's logistic regression with its default strength, on columns in −1 … 1."""
    X, y, new, truth = map(np.stack, zip(*samples, strict=True))
    given = {"X": 2 * X / (SIDE - 1) - 1, "y": y, "new": 2 * new / (SIDE - 1) - 1, "truth": truth}
    found = ask_peer("diffprivlib", "classifiers", epsilon=1, depths=[], strengths=[1.0], intercept=True, **given)
    return found if isinstance(found, str) else _mean(found["LogisticRegression"][0])
