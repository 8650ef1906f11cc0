"""Ray with two nodes of which one is killed midway: equal digest, at most 1.5 times the undisturbed time."""

import threading
import time

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
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        timed(batch, "warm")  # starts the workers of all nodes
        undisturbed_s = timed(batch, "undisturbed")
        assert batch.digest("undisturbed") == batch.wanted

        def kill():
            batch.wait_for("disturbed", RUNS // 3)
            killed_at.append(batch.done("disturbed"))
            cluster.remove_node(nodes[1], allow_graceful=False)

        killed_at = []
        killer = threading.Thread(target=kill)
        killer.start()
        disturbed_s = timed(batch, "disturbed")
        killer.join()
        files = len(list((batch.folder / "disturbed").glob("shard-*-2.rows")))
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
