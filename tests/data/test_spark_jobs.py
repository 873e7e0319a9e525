"""Jobs on Spark: only the driver charges, so tasks that Spark repeats and jobs that run again are charged once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

JOB = Path(__file__).with_name("spark_retries.py")


@pytest.mark.engines
def test_repeated_tasks_and_jobs_are_charged_once(tmp_path):
    pytest.importorskip("pyspark")
    said = [
        subprocess.run([sys.executable, JOB, tmp_path], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    (attempts, rule, charges), (_, again, after) = (json.loads(each.splitlines()[-1]) for each in said)
    assert attempts > 1000  # the first task died and was repeated
    assert (rule, charges) == (again, after)
    assert charges == 1
