"""The algorithms of five papers as printed, line by line, with the corrections they need.

Each folder holds the algorithms and theorems of one paper, to be run, compared, and cited. A departure from a printed
line carries the number of an erratum, like E-Yan25-1. "yan25, Theorem 1" is a theorem of the corrected proofs. Each
folder names the pages with its errata and its proofs.

To learn from data, use the learners: they give the same guarantees with far fewer records. The planner reads the sample
sizes that the papers print.

Parts, each importing only from those below it:
    methods             editions as learners, for ``method=`` and ``privpac papers run``
    editions            all editions, and how to find one
    ggkm21              every class of finite Littlestone dimension
    half_spaces         the list of the editions of [HCT24], and the sample sizes that it prints
    hct24               half-spaces from thresholds; as printed, these algorithms are not private
    abms20              compositions of classes, and noisy labels
    yan25               classes of VC dimension 1, by their tree order
    bbkn14              points, intervals, representations, and releases
    edition             the facts that commands, plans, and audits need about an algorithm
    paper_learner       the contract of a paper's algorithm

>>> import privpac as pp
>>> pp.papers.yan25.__name__
'privpac.papers.yan25'
"""

from importlib import import_module
from typing import Any

PAPERS = ("abms20", "bbkn14", "ggkm21", "hct24", "yan25")


def __getattr__(name: str) -> Any:
    if name not in PAPERS:
        raise AttributeError(f"module 'privpac.papers' has no attribute {name!r}; it has {', '.join(PAPERS)}")
    return import_module(f"privpac.papers.{name}")
