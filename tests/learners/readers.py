"""What a classifier reads of a table, before anything is learned."""

from dataclasses import replace

from privpac.learners.classifier import PrivateClassifier


def gathered(clf: PrivateClassifier, X, y, unit=None, slots=1):
    """The sample; the classifier remembers labels and columns as after a fit."""
    conditions = replace(clf.conditions(), max_records=None if unit is None else slots)
    sample, clf.classes_ = clf._gathered(X, y, unit, conditions)
    return sample


def read(clf: PrivateClassifier, X):
    """What a rule would read of X, and which records fit the domain."""
    reading = replace(clf._reading(), beside=getattr(clf, "_beside", ()))
    return reading.values(X, clf._table(reading, X, reset=False))
