"""A DAG for Airflow 2.4 and later: a plan, a mapped task for each part, and the merge.

Copy it into the folder of DAGs, and write your data set into `plan`. All workers share DATA. The
parts of one run are retried by Airflow; what a part had finished stays.
"""

from datetime import datetime, timedelta

from airflow.decorators import dag, task
from airflow.exceptions import AirflowFailException

DATA = "/data"
PLAN, OUTPUT, RECEIPTS = f"{DATA}/train.plan", f"{DATA}/packed/train", f"{DATA}/receipts"
PARTS = 40
NO_USE_TO_RETRY = (1, 2, 4)  # wrong data, a wrong call, damage


@dag(schedule=None, start_date=datetime(2026, 1, 1), catchup=False, tags=["hotpack"])
def pack_train():
    @task
    def plan():
        import hotpack

        hotpack.plan(
            images=f"{DATA}/train",
            labels=f"{DATA}/masks",
            classes=f"{DATA}/class_dict.csv",
            size=(512, 512),
            output=PLAN,
        )

    @task(retries=3, retry_delay=timedelta(minutes=1), max_active_tis_per_dagrun=40)
    def pack(part):  # `part` is the map_index of the task
        import hotpack

        try:
            hotpack.pack_part(PLAN, part, PARTS, output=OUTPUT, receipts=RECEIPTS, jobs=2)
        except hotpack.Error as error:
            if error.exit in NO_USE_TO_RETRY:
                raise AirflowFailException(str(error)) from error
            raise

    @task
    def merge():
        import hotpack

        return hotpack.merge(receipts=RECEIPTS, output=OUTPUT).json["output"]

    plan() >> pack.expand(part=list(range(PARTS))) >> merge()


pack_train()
