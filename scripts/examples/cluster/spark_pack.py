"""Packs a plan with Spark: one task for each part.

    hotpack plan --images train --labels masks --classes class_dict.csv --size 512x512 -o train.plan
    spark-submit --conf spark.task.maxFailures=4 spark_pack.py /nfs/train.plan /nfs/packed/train 40

All executors share the plan, the images and the output, and have the package hotpack.
"""

import os
import sys

import hotpack
from pyspark.sql import SparkSession

NO_USE_TO_RETRY = (1, 2, 4)  # wrong data, a wrong call, damage


def main(plan, output, parts):
    plan, output, parts = os.path.abspath(plan), os.path.abspath(output), int(parts)

    def pack(mine):
        for part in mine:
            try:
                yield hotpack.pack_part(plan, part, parts, output=output, jobs=1)
            except hotpack.Error as error:
                if error.exit not in NO_USE_TO_RETRY:
                    raise  # Spark tries again
                yield error

    spark = SparkSession.builder.appName("hotpack").getOrCreate()
    receipts = spark.sparkContext.parallelize(range(parts), parts).mapPartitions(pack).collect()
    spark.stop()
    for receipt in receipts:
        if isinstance(receipt, Exception):
            raise receipt
    print(hotpack.merge(receipts=receipts, output=output))


if __name__ == "__main__":
    main(*sys.argv[1:])
