"""ALL QUERIES AT ONCE: how many records satisfy each rule of a class, from one private release.

A sanitizer is an algorithm that answers every query of a class. It asks for noisy counts, and everything else follows
from these: answers, synthetic records, and charts. Each family of classes has its own sanitizer, and the first one in
``choice.SANITIZERS`` that supports a class is used by default.

A release holds the answers with their guarantee and their ledger, as data that ships. Unless bounds are certain, a part
of the budget measures how far the answers are off.

Parts, each importing only from those below it:
    suggestions         a schema of a table, measured column by column
    private_release     the front for scikit-learn
    external_answers    certificates for answers that other software made
    summarize           counts, sums, means, and quartiles of a column by groups, in one call
    release_request     a request: it reads, charges, answers, and certifies
    release             the release as self-contained data, with its guarantee
    algorithm           answers and their certificate as one algorithm, and its preview
    choice              which sanitizer answers a class
    labeled             error, rates, and cost of every rule, where records have labels
    histograms          counts of values and of combinations of values
    code_trees          counts of prefixes of codes, and of subtrees of a taxonomy
    summaries           counts, sums, means, and quartiles by groups
    lines               distribution functions and quantiles
    rectangles          counts of rectangles of a grid
    tables              whole tables: counts of several columns together
    explicit            classes whose queries and points can be listed
    postprocessing      what follows from noisy counts alone: consistency, fitted weights, synthetic records
    noise_choice        which noise many counts get, and sanitizers that add it
    sanitizer           the contract of sanitizers and of their answers
    charts              charts as plain values, which the report draws
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from privpac.release.release import Release

if TYPE_CHECKING:
    from privpac.release.external_answers import certified
    from privpac.release.private_release import PrivateRelease

__all__ = ["PrivateRelease", "Release", "certified"]

_HOMES = {"PrivateRelease": "private_release", "certified": "external_answers"}


def __getattr__(name: str) -> Any:
    """Load a name that needs scikit-learn when it is first used, so that reading a release does not wait for it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
