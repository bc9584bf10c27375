"""Packs a plan with Dask: one task for each part.

    hotpack plan --images train --labels masks --classes class_dict.csv --size 512x512 -o train.plan
    python dask_pack.py train.plan packed/train 40 [tcp://SCHEDULER:8786]

All workers share the plan, the images and the output. Without a scheduler, a cluster of this
machine is started.
"""

import os
import sys

import hotpack
from dask.distributed import Client

NO_USE_TO_RETRY = (1, 2, 4)  # wrong data, a wrong call, damage


def pack(part, parts, plan, output):
    """Returns the receipt of a part; or an error that another try would only repeat."""
    try:
        return hotpack.pack_part(plan, part, parts, output=output, jobs=1)
    except hotpack.Error as error:
        if error.exit in NO_USE_TO_RETRY:
            return error
        raise


def main(plan, output, parts, scheduler=None):
    plan, output, parts = os.path.abspath(plan), os.path.abspath(output), int(parts)
    with Client(scheduler) as client:
        tasks = client.map(pack, range(parts), parts=parts, plan=plan, output=output, retries=3)
        receipts = client.gather(tasks)
    for receipt in receipts:
        if isinstance(receipt, Exception):
            raise receipt
    print(hotpack.merge(receipts=receipts, output=output))


if __name__ == "__main__":
    main(*sys.argv[1:])
