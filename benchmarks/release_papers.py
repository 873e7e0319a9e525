"""The papers' releases beside ours, where records can be listed: [BBKN14, Thm 7.1] and [GGKM21, Thm 6.6].

sup is the largest error of all answers, as a share of n; means of several runs at ε = 1, and δ = 1e-6 where it is used.

Main declarations
    tables    the figures
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from measure import Table

import privpac as pp
from privpac.classes.finite.explicit import ExplicitClass, explicit
from privpac.exact.entropy import SYSTEM
from privpac.papers.bbkn14 import NetRelease
from privpac.papers.ggkm21.sanitizer import FoolingGame
from privpac.privacy.budget import Budget

α, RECORDS = Fraction(2, 5), (100, 1000, 10_000)


def tables(quick: bool) -> Iterable[Table]:
    """Points and thresholds."""
    rng, runs, rows = np.random.default_rng(), 3 if quick else 20, []
    line = explicit(pp.Thresholds(0, 15, direction="below"))
    keys = ExplicitClass(np.eye(16, dtype=int), points=range(16))
    ours = {
        "16 points": pp.Points().on("x", values=tuple(range(16))),
        "a line of 16": pp.Thresholds(0, 15, direction="above"),
    }
    for name, queries in (("16 points", keys), ("a line of 16", line)):
        net, game = NetRelease(queries, Budget(1), α), FoolingGame(queries, Budget(1, 1e-6), α)
        for n in RECORDS:
            samples = [np.minimum(rng.geometric(0.2, n) - 1, 15) for _ in range(runs)]

            def mean(error: Callable[[Any], float], samples: list[np.ndarray] = samples) -> float:
                return float(np.mean([error(x) for x in samples]))

            def netted(x: np.ndarray, net: NetRelease = net) -> float:
                data = net.check(x.tolist())
                return float(net.mechanism.error(data, net.release(data, SYSTEM)))

            def played(x: np.ndarray, game: FoolingGame = game, queries: ExplicitClass = queries) -> float:
                data = game.check(x.tolist())
                told = np.array(list(game.release(data, SYSTEM).estimates(queries).values()))
                return float(np.abs(told - queries.matrix_on(x.tolist()).mean(axis=1)).max())

            def released(x: np.ndarray, name: str = name) -> float:
                return _ours(ours[name], x)

            rows.append((name, n, mean(netted), net.N, mean(played), game.N, mean(released)))
    header = ("queries", "n", "net: sup", "its N", "game: sup", "its N", "ours: sup")
    note = f"N is how many records the papers' releases need for an error of {float(α)} with probability 0.95."
    yield Table("Releases of the papers, all constants, beside ours, ε = 1", header, rows, note)


def _ours(queries: pp.ConceptClass, x: np.ndarray) -> float:
    release = pp.PrivateRelease(queries, epsilon=1).fit({"x": x} if queries.domain.column_names else x)
    if queries.domain.column_names:
        told = [release.answer(queries.hypothesis(i)) - np.mean(x == i) for i in range(16)]
    else:
        told = [release.answer(queries.hypothesis(i)) - np.mean(x >= i) for i in range(16)]
    return float(np.abs(told).max())
