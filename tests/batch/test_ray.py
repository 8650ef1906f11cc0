"""Ray with two nodes of which one is killed at work: equal digest, at most 1.5 times the undisturbed time."""

import contextlib
import os
import pathlib
import signal
import threading
import time

os.environ["RAY_worker_niceness"] = "0"  # not 15, with which other work of the machine would decide the times
import ray
from ray.cluster_utils import Cluster

from conftest import RUNS
from takt import shards

SHARDS = 12  # of 3 runs each, so that a shard can be killed between its first row and its last one


def program_that_writes_each_row(folder):
    """A run is on the disk when it is done, and not up to a second later, when its shard may be over."""
    script = folder / "takt"
    script.write_text(f'#!/bin/sh\nexec "{os.path.abspath(shards.program_path())}" "$@" --sync-ms 0\n')
    script.chmod(0o755)
    return script


def timed(batch, results, program):
    began = time.monotonic()
    shards.run_on_ray(batch.plan, batch.folder / results, SHARDS, program=program)
    return time.monotonic() - began


def processes():
    """The parent, the state and the words of each process."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(") ")[2].split()[:2]
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has ended
            continue
        found[int(folder.name)] = int(parent), state, words
    return found


def shards_of(node, results):
    """The shards that the node computes: {pid of `takt batch run`: K of its shard}."""
    [raylet] = [info.process.pid for info in node.all_processes["raylet"]]
    everyone, found = processes(), {}
    for pid, (parent, state, words) in everyone.items():
        ancestors = [parent]
        while ancestors[-1] in everyone:
            ancestors.append(everyone[ancestors[-1]][0])
        if raylet in ancestors and state != "Z" and "--shard" in words and str(results) in words:
            found[pid] = int(words[words.index("--shard") + 1].split("/")[0])
    return found


def rows_of(results, shard):
    """The number of rows in the files of a shard, each of which has four other lines."""
    return sum(len(path.read_text().splitlines()) - 4 for path in results.glob(f"shard-{shard}-of-*.rows"))


def wait_until(is_true, limit_s=60):
    end = time.monotonic() + limit_s
    while not (value := is_true()):
        assert time.monotonic() < end, f"nothing within {limit_s} s"
        time.sleep(0.05)
    return value


def running(pids):
    """The processes among these that run, or can run again."""
    everyone = processes()
    return {pid for pid in pids if pid in everyone and everyone[pid][1] != "Z"}


def signal_all(pids, number):
    for pid in running(pids):
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, number)


def between_rows(node, results):
    """The shards that the node computes and that have a part of their rows: {pid: (K, rows)}."""
    found = {pid: (shard, rows_of(results, shard)) for pid, shard in shards_of(node, results).items()}
    return {pid: at for pid, at in found.items() if 0 < at[1] < RUNS // SHARDS}


def freeze_at_work(nodes, results):
    """Stops all shards of a node that has one with a part of its rows. Returns the node, pids and those."""
    for node in nodes:
        if not between_rows(node, results):
            continue
        pids = set(shards_of(node, results))
        signal_all(pids, signal.SIGSTOP)
        wait_until(lambda: all(state in "TtZ" for pid, (_, state, _) in processes().items() if pid in pids))
        if at_work := between_rows(node, results):  # still, and now it cannot go on
            return node, pids, at_work
        signal_all(pids, signal.SIGCONT)
    return None


def kill(cluster, node, pids):
    """Kills the node, its workers and then its shards: a task whose shard dies first would fail."""
    everyone = processes()
    workers = {everyone[pid][0] for pid in running(pids)}
    cluster.remove_node(node, allow_graceful=False)
    wait_until(lambda: not running(workers))
    signal_all(pids, signal.SIGKILL)


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
        program = program_that_writes_each_row(batch.folder)
        undisturbed_s = timed(batch, "undisturbed", program)
        assert batch.digest("undisturbed") == batch.wanted
        print(f"undisturbed: {undisturbed_s:.1f} s")

        killed = []
        results = batch.folder / "disturbed"

        def kill_one():
            try:
                batch.wait_for("disturbed", RUNS // 3)
                node, pids, at_work = wait_until(lambda: freeze_at_work(nodes, results))
                killed.append((batch.done("disturbed"), at_work))
                kill(cluster, node, pids)
            except BaseException:  # no shard stays stopped, or the batch would never end
                for node in nodes:
                    signal_all(shards_of(node, results), signal.SIGCONT)
                raise

        killer = threading.Thread(target=kill_one)
        killer.start()
        disturbed_s = timed(batch, "disturbed", program)
        killer.join()
        [(done, at_work)] = killed
        print(
            f"undisturbed {undisturbed_s:.1f} s; a node killed after {done} of {RUNS} runs: "
            f"{disturbed_s:.1f} s, {disturbed_s / undisturbed_s:.2f} times; shards and their rows: "
            f"{list(at_work.values())}"
        )
        for shard, rows in at_work.values():
            # The killed shard has left its rows, and another process has made the others.
            files = list(results.glob(f"shard-{shard}-of-*.rows"))
            assert len(files) == 2 and rows_of(results, shard) == RUNS // SHARDS > rows
        assert batch.digest("disturbed") == batch.wanted
        assert disturbed_s <= 1.5 * undisturbed_s
    finally:
        ray.shutdown()
        cluster.shutdown()
