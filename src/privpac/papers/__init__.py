"""AS PRINTED: the algorithms of the papers, line by line, with the corrections they need.

They exist to be run, compared and cited. Each departure from a printed line carries the number of an erratum. To learn
from data, use the learners: they give the same guarantees with far fewer records.

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
