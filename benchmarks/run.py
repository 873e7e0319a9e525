"""All benchmarks, or the named ones: ``python benchmarks/run.py [--quick] [--write] [names…]``.

Each benchmark states its bar in its docstring and prints figures that were taken side by side in this run; only their
ratios carry from one machine to another. ``--quick`` repeats less (under three minutes in all), ``--write`` puts what
was printed into benchmarks/results.md. Peers are looked for in .envs (``make bench`` makes them), or where
PRIVPAC_BENCH_OPENDP and PRIVPAC_BENCH_DIFFPRIVLIB say.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
from importlib import import_module
from importlib.metadata import version
from inspect import getdoc
from pathlib import Path
from time import perf_counter
from types import ModuleType

from measure import PEERS, ask_peer

BENCHMARKS = ("selection", "median", "interior_sizes", "dimensions", "store", "imports", "audits")
RESULTS = Path(__file__).with_name("results.md")


def section(module: ModuleType, quick: bool) -> str:
    """One benchmark: what it says of itself, then its tables."""
    about = re.split("\n\n(?:Throughout|Main declarations)", str(getdoc(module)))[0]
    start = perf_counter()
    tables = [str(table) for table in module.tables(quick)]
    return "\n\n".join([f"## {module.__name__}", about, *tables, f"({perf_counter() - start:.0f} s)"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmarks of privpac, with ratios measured in one run.")
    parser.add_argument("--quick", action="store_true", help="repeat less; under three minutes in all")
    parser.add_argument("--write", action="store_true", help=f"write what is printed to {RESULTS.name}")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}; all if none is given")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(BENCHMARKS):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")

    modules = [import_module(name) for name in asked.names or BENCHMARKS]  # all now: one run, one state of the code
    versions = [f"Python {platform.python_version()}", f"numpy {version('numpy')}"]
    versions += [f"{peer} {ask_peer(peer, 'version')}" for peer in PEERS]
    extent = "quick" if asked.quick else "full"
    about = f"A {extent} run on {os.cpu_count()} cores, {', '.join(versions)}. Ratios count; times do not."
    texts = [f"# Figures of one run\n\n{about}"]
    print(texts[0])
    for module in modules:
        texts.append(section(module, asked.quick))
        print("\n" + texts[-1], flush=True)
        if asked.write:
            RESULTS.write_text("\n\n".join(texts) + "\n", "utf-8")


if __name__ == "__main__":
    main()
