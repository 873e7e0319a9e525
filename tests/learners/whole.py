"""Whole fits as claims that can be audited: everything that a classifier releases, on all neighbors."""

from privpac.audit.claims.case import Case
from privpac.audit.claims.fits import AuditedFit


def whole(clf, about, universe, n, claimed=None):
    """The claim that a fit costs what it says, or what is claimed, on all samples of n records of ``universe``."""
    learned = AuditedFit(clf.fitting(n), n)
    return Case(learned, learned.sample, about, universe, n, learned.cost if claimed is None else claimed)
