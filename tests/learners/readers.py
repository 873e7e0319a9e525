"""What a classifier reads of a table, before anything is learned."""

from dataclasses import replace

from privpac.learners.classifier import PrivateClassifier


def gathered(clf: PrivateClassifier, X, y, unit=None, slots=1):
    """The sample; the classifier remembers labels and columns as after a fit."""
    conditions = replace(clf.conditions(), max_records=None if unit is None else slots)
    clf.reading_ = clf._reading(clf.concept_class.domain, y, unit)
    sample, clf.labels_ = clf._gathered(clf.reading_, X, y, clf._quota(unit, conditions), conditions)
    return sample


def read(clf: PrivateClassifier, X):
    """What a rule would read of X, and which records fit the domain."""
    if not hasattr(clf, "reading_"):
        clf.reading_ = clf._reading(clf.concept_class.domain)
    return next(clf._read(X))
