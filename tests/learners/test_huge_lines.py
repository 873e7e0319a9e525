"""A line of 2^(2^20) values: what a plan certifies, a fit does, in a gigabyte."""

import subprocess
import sys

import pytest

import privpac as pp

BITS = 2**20
FIT = f"""
import random, resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # so that a fit that needs more stops, and nothing else does
import privpac as pp

rng = random.Random(3)
middle = 1 << {BITS} - 1
X = [middle + rng.choice([-1, 1]) * (1 << rng.randrange({BITS} - 2)) for _ in range(500)]
X += [rng.getrandbits({BITS}) for _ in range(500)]
y = [(x >= middle) != (rng.random() < 0.1) for x in X]
clf = pp.PrivateClassifier(pp.Thresholds(0, 2**{BITS} - 1), epsilon=3, delta=1e-6, feature=None).fit(X, y)
assert [int(label) for label in clf.predict([0, 2**{BITS} - 1])] == [0, 1]
assert str(clf.hypothesis_).startswith("x ≥ 0x")
print(int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024)  # of this program alone
"""


@pytest.mark.audit
def test_a_fit_on_a_huge_line_takes_less_than_a_gigabyte():
    """The 1000 records take 140 MB. A stand-in for each bit of the line, not of the records, takes 23 GB and more."""
    done = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert 140 < int(done.stdout) < 1024


def test_a_plan_for_a_huge_line_asks_for_few_records():
    asked = pp.PrivateClassifier(
        pp.Thresholds(0, 2**BITS - 1, direction="above"), epsilon=1, delta=1e-6, regime="realizable"
    )
    assert asked.certified_n() < 1000
