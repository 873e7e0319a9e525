"""How things are measured here: side by side, in one run.

Two times are only compared when they were taken in turns in the same run, so that whatever else slows the machine
slows both. A peer runs in an environment of its own: it is started by path, reads its arrays from .npy files, and
answers in JSON.

Main declarations
    Table         figures with a title, written as Markdown
    clock         the first and the median time of several functions that take turns
    ask_peer      what a peer answers to a question, or why it does not
    ask_synthesizer    the same of peers that make tables, with a time limit
    growth        times that grow with a number, and the exponent
    on_all_cores  what a function says of several things, each in a process
    rank_error    how far a value is from a quantile, in ranks, as a fraction of n
"""

from __future__ import annotations

import json
import os
import subprocess
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import ceil, floor, log
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
PEERS = {"OpenDP": "opendp", "diffprivlib": "diffprivlib"}
TREES = {"PrivaTree": "privatree"}  # a peer that learns nothing else
SYNTHESIZERS = {"OpenDP": "opendp_mbi", "dpmm": "dpmm", "smartnoise": "smartnoise"}  # of tables


@dataclass(frozen=True)
class Table:
    """Rows of figures under a header."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    note: str = ""

    def __str__(self) -> str:
        cells = [self.header, *(tuple(map(_cell, row)) for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.header))]
        lines = [
            "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
            for row in cells
        ]
        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        note = ["", self.note] if self.note else []
        return "\n".join([f"### {self.title}", "", lines[0], rule, *lines[1:], *note])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


class Time(NamedTuple):
    """Milliseconds of the first call and of the median call after it."""

    first: float
    warm: float


def clock(contenders: dict[str, Callable[[], Any]], repeats: int) -> dict[str, Time]:
    """Each contender's time; they take turns ``repeats`` + 1 times."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats + 1):
        for name, run in contenders.items():
            start = perf_counter()
            run()
            times[name].append(1e3 * (perf_counter() - start))
    return {name: Time(taken[0], median(taken[1:])) for name, taken in times.items()}


def growth(
    title: str, numbers: tuple[str, ...], cases: Iterable[tuple[int, ...]], seconds: Callable[..., float]
) -> Table:
    """The shortest of three times for each case; the exponent is that of the number that differs from the row above."""
    rows: list[tuple[Any, ...]] = []
    for case in cases:
        shortest, exponent = min(seconds(*case) for _ in range(3)), ""
        if rows:
            old, new = next((a, b) for a, b in zip(rows[-1], case, strict=False) if a != b)
            exponent = f"{log(shortest / rows[-1][len(case)]) / log(new / old):.2f}"
        rows.append((*case, shortest, exponent))
    return Table(f"{title}: seconds of one processor", (*numbers, "s", "exponent"), rows)


def on_all_cores(work: Callable[[Any], Any], given: Iterable[Any]) -> list[Any]:
    """What ``work`` makes of each; both travel between processes, so they are names and numbers."""
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        return list(pool.map(work, given))


def ask_peer(peer: str, question: str, **given: Any) -> Any:
    """The peer's answer to ``question``; a string says why there is none."""
    return _answer((PEERS | TREES)[peer], None, question, given)


def ask_synthesizer(peer: str, limit: float, question: str, **given: Any) -> Any:
    """The same of one that makes tables, within ``limit`` seconds."""
    return _answer(SYNTHESIZERS[peer], limit, question, given)


def _answer(name: str, limit: float | None, question: str, given: dict[str, Any]) -> Any:
    python = Path(os.environ.get(f"PRIVPAC_BENCH_{name.upper()}", HERE.parent / ".envs" / name / "bin" / "python"))
    if not python.exists():
        return "not installed"
    with TemporaryDirectory() as folder:
        plain = {}
        for key, value in given.items():
            if isinstance(value, np.ndarray):
                np.save(Path(folder) / f"{key}.npy", value)
            else:
                plain[key] = value
        command = [python, HERE / "peers" / f"{name}_peer.py", folder, question, json.dumps(plain)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
        except subprocess.TimeoutExpired:
            return f"did not end in {limit:.0f} s"
    if done.returncode == 0:
        return json.loads(done.stdout.strip().splitlines()[-1])
    said = [line.strip() for line in done.stderr.splitlines() if any(map(str.isalpha, line))]
    return f"raises {said[-1] if said else 'nothing that it tells'}"


def rank_error(ordered: np.ndarray, value: float, tau: float = 0.5) -> float:
    """max(0, #{x < v} − ⌊τn⌋, ⌈τn⌉ − #{x ≤ v})/n for sorted integers x and any number v."""
    n = len(ordered)
    below, at_most = bisect_left(ordered, ceil(value)), bisect_right(ordered, floor(value))
    return max(0, below - floor(tau * n), ceil(tau * n) - at_most) / n
