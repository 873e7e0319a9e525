"""Labeled records, their true outcomes, and all samples of small universes."""

from itertools import product

import numpy as np

from privpac.data.samples.sample import Sample


def labeled_sample(domain, records, size=None):
    """Pairs of a value and a label, as a release sees them; a pair None is a void record."""
    there = [each for each in records if each is not None]
    values = [x for x, _ in there]
    columns = np.array(values, dtype=object)
    if domain.column_names:
        entries = zip(*values, strict=True) if values else [()] * len(domain.columns)
        columns = domain.join([np.array(each, dtype=object) for each in entries])
    labels = np.array([bool(y) for _, y in there], dtype=bool)
    return Sample(domain.points(columns), labels, None, len(records) if size is None else size, columns)


def outcomes(sample, rule):
    """TP, FN, FP, TN, by asking the rule about every record."""
    if not len(sample.labels):
        return 0, 0, 0, 0
    tp, fp, fn, tn, *_ = sample.outcomes(rule)
    return tp, fn, fp, tn


def gap_by_definition(answers, sample, rules, totals=False):
    """The largest error of all counts that a labeled certificate is about."""
    largest = 0
    for rule in rules:
        answered = [int(each[0]) for each in answers.outcomes(rule)]
        tp, fn, fp, tn = (a - b for a, b in zip(answered, outcomes(sample, rule), strict=True))
        errors = [tp, fn, fp, tn, tp + fp, fn + tn]
        errors += [fp + fn, tp + tn] if answers.joint else []
        largest = max(largest, *map(abs, errors))
    if totals:
        ones = int(sample.labels.sum())
        sizes = len(sample.labels) - ones, ones
        largest = max(largest, *(abs(a - b) for a, b in zip(answers.totals, sizes, strict=True)))
    return largest


def assert_is_the_labeled_gap(answers, domain, universe, rules, n, totals=False):
    """On all samples of n records; and one substitution changes the gap by at most 1."""
    gaps = {}
    for records in product(universe, repeat=n):
        sample = labeled_sample(domain, records)
        gaps[records] = answers.gap(sample)
        assert gaps[records] == gap_by_definition(answers, sample, rules, totals), records
        assert type(gaps[records]) is int
    for records, gap in gaps.items():
        for i, other in product(range(n), universe):
            assert abs(gap - gaps[(*records[:i], other, *records[i + 1 :])]) <= 1
