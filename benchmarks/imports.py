"""How long a fresh interpreter takes before it can do anything.

Predicted: rooms open when a name is first used, so ``import privpac`` costs less than numpy alone.
The bar: ``import privpac`` ≤ 300 ms, ``privpac --help`` ≤ 500 ms.

Main declarations
    tables    the figures
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from measure import Table, clock

STATEMENTS = (
    "pass",
    "import numpy",
    "import privpac",
    "import privpac as pp; pp.private_median",
    "import privpac.audit",
)


def tables(quick: bool) -> list[Table]:
    """Fresh interpreters that take turns."""
    commands = {statement: [sys.executable, "-c", statement] for statement in STATEMENTS}
    commands["privpac --help"] = [sys.executable, "-c", "from privpac.cli import app; app()", "--help"]
    start = partial(subprocess.run, check=True, capture_output=True)
    times = clock({name: partial(start, command) for name, command in commands.items()}, 5 if quick else 11)
    bare, numpy = times["pass"].warm, times["import numpy"].warm
    rows = [(name, time.warm, time.warm - bare, f"{time.warm / numpy:.2f}×") for name, time in times.items()]
    header = ("statement", "ms", "ms beyond a bare interpreter", "to import numpy")
    return [Table("Fresh interpreters, median", header, rows)]
