"""examples/batch/on_dask.py with two workers of which one is killed midway."""

import importlib.util
import os
import signal
import threading

from dask.distributed import LocalCluster

from conftest import ROOT, RUNS


def load_example():
    spec = importlib.util.spec_from_file_location("on_dask", ROOT / "examples/batch/on_dask.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_killed_worker_changes_no_bit(batch, capsys):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def kill():
            batch.wait_for("dask", RUNS // 3)
            os.kill(cluster.workers[0].pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        folder = batch.folder
        load_example().main(str(batch.plan), str(folder / "dask"), str(folder / "dask.csv"), cluster)
        killer.join()
    assert capsys.readouterr().out.splitlines()[-1] == batch.wanted
