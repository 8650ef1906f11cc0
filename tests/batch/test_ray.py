"""Ray with two nodes of which one is killed midway: equal digest, at most 1.5 times the undisturbed time."""

import os
import threading
import time

os.environ["RAY_worker_niceness"] = "0"  # not 15, with which other work of the machine would decide the times
import ray
from ray.cluster_utils import Cluster

from conftest import RUNS
from takt import shards

SHARDS = 24


def timed(batch, results):
    began = time.monotonic()
    shards.run_on_ray(batch.plan, batch.folder / results, SHARDS)
    return time.monotonic() - began


def test_a_killed_node_changes_no_bit_and_costs_less_than_half(batch):
    # Each node may use both processors of a small machine, so the kill takes away tasks and a node, but no
    # processor: the time measures what is lost and how fast the rest goes on.
    # Ray's defaults notice a dead node after 15 s and more, which is its own setting and no work of a batch.
    notice = {
        "health_check_period_ms": 500,
        "health_check_timeout_ms": 500,
        "health_check_failure_threshold": 3,
    }
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": notice})
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        # Starts the workers of all nodes, and imports the package in each.
        warm = ray.remote(num_cpus=1)(lambda: (time.sleep(2), shards.program_path()))
        ray.get([warm.remote() for _ in range(4)])
        undisturbed_s = timed(batch, "undisturbed")
        assert batch.digest("undisturbed") == batch.wanted
        print(f"undisturbed: {undisturbed_s:.1f} s")

        def kill():
            batch.wait_for("disturbed", RUNS // 3)
            killed_at.append(batch.done("disturbed"))
            cluster.remove_node(nodes[1], allow_graceful=False)

        killed_at = []
        killer = threading.Thread(target=kill)
        killer.start()
        disturbed_s = timed(batch, "disturbed")
        killer.join()
        names = [path.name for path in (batch.folder / "disturbed").glob("shard-*.rows")]
        files = len(names) - len({name.rpartition("-")[0] for name in names})
        print(
            f"undisturbed {undisturbed_s:.1f} s; a node killed after {killed_at[0]} of {RUNS} runs: "
            f"{disturbed_s:.1f} s, {disturbed_s / undisturbed_s:.2f} times, {files} shards ran twice"
        )
        assert killed_at[0] < RUNS and files >= 1  # the node died at work
        assert batch.digest("disturbed") == batch.wanted
        assert disturbed_s <= 1.5 * undisturbed_s
    finally:
        ray.shutdown()
        cluster.shutdown()
