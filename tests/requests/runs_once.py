"""A process that fits under a key, started by test_paying.py together with its twin."""

import sys

from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.classifier import PrivateClassifier
from privpac.privacy.store.accounts import BudgetStore

if __name__ == "__main__":
    budget = BudgetStore(sys.argv[1]).account("clinic").once("May 3")
    clf = PrivateClassifier(Thresholds(0, 2**64, direction="above"), budget=budget, epsilon=0.01, delta=0)
    ages = list(range(100))
    clf.fitting(len(ages))
    print("ready", flush=True)
    sys.stdin.readline()
    print(clf.fit(ages, [int(age > 49) for age in ages]).hypothesis_.to_json())
