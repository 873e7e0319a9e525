"""Several quantiles: rank errors beside JointExp, the tree of medians, and a released distribution.

Predicted: up to 19 quantiles come from the same law as JointExp [GJK21], with exact coins, integer ranks, and tie bits,
so rank errors are equal up to chance; many quantiles are those of a distribution.
The bar: mean rank error at most 1.1 times JointExp's at m = 3, 9, 19 and n = 10³, 10⁴, and at most that of the own
distribution from m = 20 on; ε = 1, integers in ±10⁵. On floats, candidates weigh by length.

``JointExp`` is that of the paper in NumPy's floats: intervals between records, a sampler by sums of products in
logarithms, sensitivity 2. Records are moved by less than half a step, since it does not cut values in two.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from measure import Table, clock, rank_error

import privpac as pp
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree
from privpac.privacy.budget import Budget, as_rational

RNG = np.random.default_rng(29)
LOW, HIGH = -(10**5), 10**5
SAMPLES = {
    "Gaussian": lambda n: RNG.normal(0, 10**4, n),
    "log-normal": lambda n: np.exp(RNG.normal(0, 1, n)) * 3000,
    "two clusters": lambda n: np.where(RNG.random(n) < 0.3, RNG.normal(-5e4, 100, n), RNG.normal(6e4, 3000, n)),
}


def tables(quick: bool) -> list[Table]:
    """Few quantiles, many quantiles, floats, and times."""
    return [few(quick), many(quick), floats(quick), times()]


def spaced(m):
    return [i / (m + 1) for i in range(1, m + 1)]


def error(x, answers, taus):
    if x.dtype.kind == "i":
        return float(np.mean([rank_error(x, value, τ) * len(x) for value, τ in zip(answers, taus, strict=True)]))
    below, upto = (np.searchsorted(x, answers, side=side) for side in ("left", "right"))
    ranks = np.array(taus) * len(x)
    return float(np.maximum(0, np.maximum(below - ranks, ranks - upto)).mean())


def whole(name, n):
    return np.sort(np.clip(SAMPLES[name](n), LOW, HIGH).astype(np.int64))


def mean_errors(x, taus, ways, runs):
    found = {way: [error(x, ask(), taus) for _ in range(runs)] for way, ask in ways.items()}
    return {way: (np.mean(each), np.std(each) / np.sqrt(runs)) for way, each in found.items()}


def few(quick: bool) -> Table:
    runs, rows = 100 if quick else 400, []
    for m in (3, 9, 19):
        for n in (10**3, 10**4):
            for name in SAMPLES:
                x, taus = whole(name, n), spaced(m)
                tree = QuantileTree(Budget(1), Line(LOW, HIGH), tuple(as_rational(τ, "τ") for τ in taus))
                moved = np.sort(np.clip(x + RNG.uniform(-0.5, 0.5, n), LOW, HIGH))
                ways = {
                    "ours": partial(pp.private_quantiles, x, taus, low=LOW, high=HIGH, epsilon=1),
                    "joint": partial(joint_exp, moved, taus, LOW, HIGH, 1.0),
                    "tree": partial(tree.release, tree.check(x), SYSTEM),
                }
                means = mean_errors(x, taus, ways, runs if n == 1000 else runs // 2)
                ratio = means["ours"][0] / means["joint"][0]
                rows.append((m, n, name, *(f"{mean:.2f} ± {se:.2f}" for mean, se in means.values()), f"{ratio:.2f}×"))
    header = ("m", "n", "sample", "private_quantiles", "JointExp", "tree of medians", "of JointExp")
    return Table("Mean rank error of m quantiles, ε = 1, ± standard error", header, rows)


def many(quick: bool) -> Table:
    runs, rows = 30 if quick else 100, []
    for m in (20, 49):
        for n in (10**3, 10**4):
            for name in SAMPLES:
                x, taus = whole(name, n), spaced(m)
                line = pp.Thresholds(LOW, HIGH)

                def own(x=x, taus=taus, line=line):
                    release = pp.PrivateRelease(line, epsilon=1, certify=0).fit(x)
                    return [release.quantile(τ) for τ in taus]

                moved = np.sort(np.clip(x + RNG.uniform(-0.5, 0.5, n), LOW, HIGH))
                ways = {
                    "ours": partial(pp.private_quantiles, x, taus, low=LOW, high=HIGH, epsilon=1),
                    "own": own,
                    "joint": partial(joint_exp, moved, taus, LOW, HIGH, 1.0),
                }
                means = mean_errors(x, taus, ways, runs)
                ratio = means["ours"][0] / means["own"][0]
                rows.append((m, n, name, *(f"{mean:.2f} ± {se:.2f}" for mean, se in means.values()), f"{ratio:.2f}×"))
    header = ("m", "n", "sample", "private_quantiles", "own distribution", "JointExp", "of own distribution")
    return Table("Mean rank error of many quantiles, ε = 1, ± standard error", header, rows)


def floats(quick: bool) -> Table:
    runs, rows = 100 if quick else 400, []
    for m in (1, 9):
        for name in ("Gaussian", "log-normal"):
            normal = np.sort(RNG.normal(0, 1, 1000))
            x, taus = normal if name == "Gaussian" else np.clip(np.exp(normal), 0, 100), spaced(m)
            ways = {
                "ours": partial(pp.private_quantiles, x, taus, low=-100.0, high=100.0, epsilon=1),
                "joint": partial(joint_exp, x, taus, -100.0, 100.0, 1.0),
            }
            means = mean_errors(x, taus, ways, runs)
            ratio = means["ours"][0] / means["joint"][0]
            rows.append((m, name, *(f"{mean:.2f} ± {se:.2f}" for mean, se in means.values()), f"{ratio:.2f}×"))
    return Table(
        "Mean rank error on floats in ±100, n = 1,000, ε = 1", ("m", "sample", "ours", "JointExp", "ratio"), rows
    )


def times() -> Table:
    rows = []
    for n in (10**3, 10**4, 10**5):
        x = whole("Gaussian", n)
        for m in (3, 9, 19):
            taus = spaced(m)
            taken = clock(
                {
                    "ours": partial(pp.private_quantiles, x, taus, low=LOW, high=HIGH, epsilon=1),
                    "joint": partial(joint_exp, x + 0.0, taus, LOW, HIGH, 1.0),
                },
                3,
            )
            rows.append((n, m, *(each.warm for each in taken.values())))
    return Table("Milliseconds, warm; no bar", ("n", "m", "private_quantiles", "JointExp"), rows)


def joint_exp(x, taus, low, high, epsilon):
    """JointExp [GJK21] of sorted floats."""
    n, m, rate = len(x), len(taus), epsilon / 4
    ends = np.concatenate([[low], x, [high]])
    wanted = np.diff([0, *(τ * n for τ in taus), n])
    with np.errstate(divide="ignore"):
        length = np.log(np.diff(ends))
    i = np.arange(n + 1)
    G, F = [-rate * np.abs(i - wanted[0])], []
    for j in range(1, m + 1):
        parts = [
            r * length - np.log(np.arange(1, r + 1)).sum() - rate * wanted[j - r + 1 : j].sum() + G[j - r]
            for r in range(1, j + 1)
        ]
        F.append(np.logaddexp.reduce(parts))
        if j < m:
            G.append(_next(F[-1], wanted[j], rate))
    cuts, later, left = [], None, m
    while left:
        stop = n if later is None else later
        weights = F[left - 1] - rate * np.abs(stop - i - wanted[left])
        gap = _drawn(weights if later is None else np.where(i < later, weights, -np.inf))
        parts = [
            r * length[gap]
            - np.log(np.arange(1, r + 1)).sum()
            - rate * wanted[left - r + 1 : left].sum()
            + G[left - r][gap]
            for r in range(1, left + 1)
        ]
        run = _drawn(np.array(parts)) + 1
        cuts += sorted(RNG.uniform(ends[gap], ends[gap + 1], run), reverse=True)
        left, later = left - run, gap
    return cuts[::-1]


def _next(F, wanted, rate):
    """log Σ exp(F(i') − rate·|i − i' − wanted|) over i' < i: by sums from the left, and within blocks."""
    n, w = len(F), int(np.ceil(wanted))
    i = np.arange(n)
    far = np.logaddexp.accumulate(F + rate * i) - rate * i  # Σ F(i')·e^(−rate·(i − i'))
    out = np.full(n, -np.inf)
    shift = max(w, 1)
    out[shift:] = far[: n - shift] - rate * (shift - wanted)
    if w > 1:
        pad = -(n + w) % w + w
        tilted = np.concatenate([np.full(w, -np.inf), F - rate * i, np.full(pad, -np.inf)])
        tilted = tilted[: len(tilted) // w * w].reshape(-1, w)
        before = np.logaddexp.accumulate(tilted, axis=1).ravel()
        after = np.logaddexp.accumulate(tilted[:, ::-1], axis=1)[:, ::-1].ravel()
        first, last = i - w + 1 + w, i - 1 + w  # the window i − w + 1 … i − 1, with w places before the first
        same = first // w == last // w
        window = np.where(
            same, np.where(first % w == 0, before[last], after[first]), np.logaddexp(after[first], before[last])
        )
        out = np.logaddexp(out, window + rate * (i - wanted))
    return out


def _drawn(logs):
    weights = np.exp(logs - logs.max())
    return int(np.searchsorted(np.cumsum(weights), RNG.random() * weights.sum(), side="right"))
