"""All benchmarks, or the named ones: ``python benchmarks/run.py [--quick] [--write] [names…]``.

Each benchmark states its bar in its docstring and prints figures that were taken side by side in this run; only their
ratios carry from one machine to another. ``--quick`` repeats less, ``--write`` puts what was printed into
benchmarks/results.md, in the place of the sections of the same names. Peers are looked for in .envs (``make bench``
makes them), or where PRIVPAC_BENCH_OPENDP and PRIVPAC_BENCH_DIFFPRIVLIB say.
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

from measure import PEERS, TREES, ask_peer

BENCHMARKS = (
    *("selection", "median", "quantiles", "means", "interior_sizes", "dimensions", "store", "imports", "audits"),
    *(
        "samples",
        "noise",
        "certificates",
        "noisy_certificates",
        "hostile_certificates",
        "accuracy",
        "learners",
        "plane_learners",
    ),
    *(
        "half_planes",
        "flats",
        "engines",
        "reading",
        "fit_overhead",
        "many_columns",
        "tree_growth",
        "rule_growth",
        "auto_choice",
        "comparison",
        "equalities",
        "any_code",
        "several_labels",
        "suggested_schemas",
        "first_try",
        "quoted_error",
        "risks",
        "risk_rankings",
        "rare_outcomes",
        "missing_values",
        "weighted_certificates",
        "neighbor_times",
        "public_records",
    ),
    *("real_tables", "release", "papers_yan25", "papers_bbkn14", "papers_abms20", "papers_ggkm21"),
    *(
        "release_certificates",
        "release_tables",
        "release_heaped",
        "release_code_trees",
        "release_marginals",
        "labeled_release",
    ),
    *("capacity", "cluster"),
)
RESULTS = Path(__file__).with_name("results.md")


def section(module: ModuleType, quick: bool) -> str:
    """One benchmark: what it says of itself, then its tables."""
    about = re.split("\n\n(?:Throughout|Main declarations)", str(getdoc(module)))[0]
    start = perf_counter()
    tables = [str(table) for table in module.tables(quick)]
    taken = f"({'a quick run, ' if quick else ''}{perf_counter() - start:.0f} s)"
    return "\n\n".join([f"## {module.__name__}", about, *tables, taken])


def write(about: str, name: str, text: str) -> None:
    """Put a section in the place of the one of the same name; the others stay."""
    kept = RESULTS.read_text("utf-8").split("\n\n## ")[1:] if RESULTS.exists() else []
    sections = {each.split("\n", 1)[0]: f"## {each.strip()}" for each in kept} | {name: text}
    ordered = [sections[name] for name in BENCHMARKS if name in sections]
    RESULTS.write_text("\n\n".join([f"# Figures\n\n{about}", *ordered]) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Benchmarks of privpac, with ratios measured in one run.")
    parser.add_argument("--quick", action="store_true", help="repeat less")
    parser.add_argument("--write", action="store_true", help=f"write what is printed to {RESULTS.name}")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}; all if none is given")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(BENCHMARKS):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")

    modules = [import_module(name) for name in asked.names or BENCHMARKS]  # all now: one run, one state of the code
    versions = [f"Python {platform.python_version()}", f"numpy {version('numpy')}"]
    versions += [f"{peer} {ask_peer(peer, 'version')}" for peer in (*PEERS, *TREES)]
    machine = f"{os.cpu_count()} cores, {', '.join(versions)}"
    about = f"Sections are from runs of their own, on {machine}.\nRatios count; times do not."
    print(f"# Figures\n\n{about}")
    for module in modules:
        text = section(module, asked.quick)
        print("\n" + text, flush=True)
        if asked.write:
            write(about, module.__name__, text)


if __name__ == "__main__":
    main()
