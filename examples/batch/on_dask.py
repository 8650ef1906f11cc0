"""The shards of a plan as tasks of Dask: on_dask.py PLAN.json RESULTS TABLE.csv [SCHEDULER]

Without the address of a scheduler, Dask starts two workers on this machine. A task whose worker dies runs again
on another one.
"""

import sys

from dask.distributed import Client, LocalCluster, as_completed

from takt import shards

SHARDS = 20


def main(plan, results, table, scheduler=None):
    cluster = scheduler or LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        tasks = [
            client.submit(shards.run_shard, plan, results, shard, SHARDS, pure=False, retries=10)
            for shard in range(1, SHARDS + 1)
        ]
        for task in as_completed(tasks):
            task.result()
    print(shards.merge(plan, results, table))


if __name__ == "__main__":
    main(*sys.argv[1:])
