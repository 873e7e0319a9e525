"""A job on Spark whose first task dies, started by test_spark_jobs.py: ``FOLDER`` holds its marker and its account.

Prints, as JSON, how many attempts Spark made of the tasks, the rule, and the charges.
"""

import json
import sys
from functools import partial
from pathlib import Path

import ibis

from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.classifier import PrivateClassifier
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore


def dies_once(folder: Path, x: int) -> int:
    """The value; the first task that asks for it dies."""
    with (folder / "attempts").open("a") as attempts:
        attempts.write("x")
    if not (folder / "died").exists():
        (folder / "died").touch()
        raise OSError("the executor died")
    return x


if __name__ == "__main__":
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import col, udf

    folder = Path(sys.argv[1])
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.driver.host": "127.0.0.1"}
    session = SparkSession.builder.master("local[1,4]").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    rows = session.range(0, 1000, 1, 1).select((col("id") % 100).cast("int").alias("age"))
    rows = rows.withColumn("age", udf(partial(dies_once, folder), "int")(col("age"))).withColumn(
        "ill", (col("age") > 49).cast("int")
    )
    rows.createOrReplaceTempView("visits")
    account = BudgetStore(f"sqlite:///{folder}/budget.db").account("clinic", Budget(1))
    clf = PrivateClassifier(
        Thresholds(0, 99, direction="above"), epsilon=0.1, delta=0, feature="age", budget=account.once("night of May 3")
    )
    clf.fit(ibis.pyspark.connect(session).table("visits"), "ill")
    attempts = len((folder / "attempts").read_text())
    print(json.dumps([attempts, str(clf.hypothesis_), len(account.history())]))
