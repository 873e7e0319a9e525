"""Private learning algorithms, and the scikit-learn classifier that runs them.

An algorithm (``Learner``) has public parameters, its pseudo-code as ``run``, and its error certificate as ``failure``.
The families of classes have a folder each, under the same words as in ``classes`` and ``mechanisms``. ``choice`` lists
all algorithms and chooses among them by public numbers alone.

A fit begins in ``rule_request``, which reads, charges, learns, and certifies; ``classifier`` wraps it for
scikit-learn. The result can be kept as a ``model``: a rule that labels records by itself.

Parts, each importing only from those below it:
    one_per_label      one rule for each of several labels
    classifier         the front for scikit-learn
    rule_request       a fit, from the table to the rule
    fit                everything that a fit releases, and its preview
    choice             all learners, and the one for a class
    sample_sizes       the records that a learner needs for a certificate
    alternatives       what to try instead of a class that no learner supports
    public             learners with public records, and how these are read
    decision_trees     trees and scorecards over many columns
    subspaces          affine subspaces
    rules              boxes, and combinations of rules on several columns
    values             points, sets, equalities, lists of codes
    tree_orders        paths, prefixes, taxonomies: classes of VC dimension 1
    model              a rule to keep: predictions, JSON, SQL, Python
    lines              thresholds, intervals, stumps, pairs of cuts
    half_spaces        half-planes and half-spaces
    finite             any class that can be listed
    errors             measured errors, their costs, and risks of regions
    algorithm          the contract of a learner, and its certificate
    audit_cases        small universes in which audits try a learner
    grids              columns as cells, and private cuts of long ones
    certificates       bounds that several learners share
"""

from typing import TYPE_CHECKING, Any

from privpac.learners.algorithm import Learner
from privpac.learners.choice import LEARNERS
from privpac.requests.conditions import Terms

if TYPE_CHECKING:
    from privpac.learners.classifier import PrivateClassifier

__all__ = ["LEARNERS", "Learner", "PrivateClassifier", "Terms"]


def __getattr__(name: str) -> Any:
    """Import the classifier when it is first used: it loads scikit-learn, which plans and models do not need."""
    if name != "PrivateClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from privpac.learners.classifier import PrivateClassifier  # noqa: PLC0415

    return PrivateClassifier
