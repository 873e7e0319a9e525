"""How many records learners take: certified, and as it turns out on the worst of hostile populations.

The smallest n at which at least 95 % of fits err by at most α, δ = 1e-6, realizable labels declared. Predicted: n
depends on a domain through the logarithm of its bits, on ε through 1/ε, and on α through 1/α.
The bar: each figure at most that of the column "to beat", and the certified n never below the measured one. "Harder" is
the n on two more populations, which can be missed in two ways or by almost every rule, and has no bar of its own.
The thin mass next to the boundary, which a rule must not miss, is 1.02·α, and 1.25·α in the rows that say so. Measured
figures are good to about 4 %, so for points, whose certificate is nearly exact, one is 1 % above the certified n; for
listed rules they are also computed. Fewer fits are made where the first 150, 300, or 500 show at 99.9 % that more than
95 % succeed.

Throughout this file
    α       the error that is asked for, with probability SHARE          ε, δ    the promise

Main declarations
    CELLS       what is measured: class, learner, populations, and the figures to beat
    measured    the figures for some of them
    exact       the figures for listed rules, computed
    tables      the figures

``python benchmarks/samples.py listed pure`` takes and prints only the rows whose names have one of these words.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import populations
from measure import Table, in_processes
from scipy.stats import binom
from simulate import SHARE, Population, smallest_n

import privpac as pp
from privpac.learners.algorithm import Learner
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.finite import FiniteLearner
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.learners.tree_orders.learners import PathLearner
from privpac.learners.values.buckets import BucketLearner
from privpac.learners.values.points import PointLearner
from privpac.privacy.bisection import smallest

EPSILONS = (0.5, 1, 3)
δ = 1e-6
RIVALS = 149  # of 300 listed cuts, those between the middle and the near end


@dataclass(frozen=True)
class Cell:
    """A learner on a class, with its populations and the measured and certified figures to beat, one per ε."""

    name: str
    learner: type[Learner]
    concept_class: Any
    populations: Callable[[float], list[Population]]
    measured: tuple[int, int, int]
    certified: tuple[int, int, int] | None = None
    alpha: float = 0.1


CELLS = [
    Cell(
        "thresholds 2^16", ThresholdLearner, pp.Thresholds(0, 2**16 - 1, direction="above"),
        lambda α: populations.thresholds(16, α), (711, 379, 154), (992, 547, 232),
    ),
    Cell(
        "thresholds 2^64", ThresholdLearner, pp.Thresholds(0, 2**64 - 1, direction="above"),
        lambda α: populations.thresholds(64, α), (872, 459, 180), (1125, 617, 257),
    ),
    Cell("points, any text", PointLearner, pp.Points(), populations.points, (775, 419, 176), (1107, 606, 255)),
    Cell("points, pure ε", BucketLearner, pp.Points(2**64), populations.points, (320, 170, 77)),
    Cell(
        "root paths, 32 steps", PathLearner, pp.RootPaths("/", height=32),
        lambda α: populations.root_paths(32, α), (1293, 684, 268), (1499, 809, 328),
    ),
    Cell(
        "300 listed rules", FiniteLearner, populations.listed(300),
        lambda α: populations.explicit(300, α), (344, 188, 80),
    ),
    Cell(
        "300 listed rules, α = 0.02", FiniteLearner, populations.listed(300),
        lambda α: populations.explicit(300, α), (1344, 768, 344), alpha=0.02,
    ),
    Cell(
        "300 listed rules, α = 0.02, thin mass 1.25·α", FiniteLearner, populations.listed(300),
        lambda α: populations.explicit(300, α, beyond=1.25), (1344, 768, 344), alpha=0.02,
    ),
]  # fmt: skip


def tables(quick: bool) -> list[Table]:
    """All of them."""
    return [measured(range(len(CELLS)), quick), exact()]


def measured(places: Iterable[int], quick: bool) -> Table:
    """One row for each of these cells and each ε."""
    runs = 40 if quick else 1000
    asked = [(place, i, runs) for place in places for i in range(3) if not quick or EPSILONS[i] == 1]
    header = ("class", "ε", "measured n", "to beat", "ratio", "harder", "certified n", "to beat", "worst population")
    title = f"Smallest n for error ≤ α with probability 95 %, at most {runs} fits each"
    return Table(title, header, in_processes(row, asked))


def row(place: int, i: int, runs: int) -> tuple[Any, ...]:
    """A cell, at one ε."""
    rng, cell, ε = np.random.default_rng(), CELLS[place], EPSILONS[i]
    learner = PrivateClassifier(
        method=cell.learner.__name__,
        concept_class=cell.concept_class,
        epsilon=ε,
        delta=δ,
        alpha=cell.alpha,
        beta=1 - SHARE,
        regime="realizable",
    )
    them = cell.populations(cell.alpha)
    usual, harder = ([p for p in them if (p.name in populations.HARDER) is hard] for hard in (False, True))
    n, worst = smallest_n(learner, usual, cell.alpha, runs, rng=rng)
    most, _ = smallest_n(learner, harder, cell.alpha, runs, rng=rng, start=n)
    certified = cell.certified[i] if cell.certified else "–"
    ratio = f"{n / cell.measured[i]:.2f}×"
    return cell.name, ε, n, cell.measured[i], ratio, most, learner.certified_n(), certified, worst


def exact() -> Table:
    """Listed rules once more, on "thin atom below" and without the error of sampling."""
    rows = []
    for cell in CELLS:
        if cell.learner is FiniteLearner:
            (population,) = (each for each in cell.populations(cell.alpha) if each.name == "thin atom below")
            mass = population.masses[149]
            for ε, to_beat in zip(EPSILONS, cell.measured, strict=True):
                n = smallest(lambda n, ε=ε, mass=mass: missed(n, mass, ε) <= 1 - SHARE)
                rows.append((cell.name, mass, ε, n, to_beat, f"{n / to_beat:.2f}×"))
    return Table(
        'Listed rules on "thin atom below", computed', ("class", "thin mass", "ε", "n", "to beat", "ratio"), rows
    )


def missed(n: int, mass: float, ε: float) -> float:
    """How often one of m rules with J errors is released instead of the one that has none, J ~ Bin(n, mass).

    Given J, p = r^(−J), the right one is released with probability ∫ (1 − p·u)^m du = (1 − (1 − p)^(m+1))/((m+1)·p).
    """
    J = np.arange(n + 1)
    p = np.exp(-np.minimum(ε / 2 * J, 500))
    with np.errstate(divide="ignore"):
        right = -np.expm1((RIVALS + 1) * np.log1p(-p)) / ((RIVALS + 1) * p)
    return float(binom.pmf(J, n, mass) @ (1 - right))


if __name__ == "__main__":
    print(measured([i for i, cell in enumerate(CELLS) if any(word in cell.name for word in sys.argv[1:])], quick=False))
