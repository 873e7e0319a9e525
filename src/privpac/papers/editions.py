"""All editions, paper by paper, and how to find one."""

from __future__ import annotations

from privpac.papers import half_spaces
from privpac.papers.abms20 import editions as abms20
from privpac.papers.bbkn14 import editions as bbkn14
from privpac.papers.edition import Edition
from privpac.papers.ggkm21 import editions as ggkm21
from privpac.papers.yan25 import editions as yan25
from privpac.refusals.absent_names import did_you_mean
from privpac.refusals.refusal import Refused

EDITIONS: tuple[Edition, ...] = (
    *yan25.EDITIONS,
    *bbkn14.EDITIONS,
    *ggkm21.EDITIONS,
    *abms20.EDITIONS,
    *half_spaces.EDITIONS,
)
BY_KEY = {edition.key: edition for edition in EDITIONS}
BY_NAME = {edition.name: edition for edition in EDITIONS}


def edition_named(name: str) -> Edition:
    """The edition with this key or name; Refused if there is none.

    >>> edition_named("polypri").name, edition_named("PolyPriLearn").place
    ('PolyPriLearn', 'GGKM21, Alg. 2')
    >>> edition_named("polyprop")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: there is no algorithm 'polyprop'; did you mean 'polypri-prop'?
    """
    edition = BY_KEY.get(name) or BY_NAME.get(name)
    if edition is None:
        advice = did_you_mean(name, [*BY_KEY, *BY_NAME]) or "; `privpac papers` lists them"
        raise Refused("name", f"there is no algorithm {name!r}{advice}")
    return edition
