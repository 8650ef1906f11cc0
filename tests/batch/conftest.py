"""A plan of piles, its table of one process, and the time until rows are there."""

import json
import os
import pathlib
import subprocess
import time

import pytest

from takt import shards

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 36
TICKS = int(os.environ.get("TAKT_BATCH_TICKS", "240"))  # fewer on a busy machine


class Batch:
    """The plan in a folder of the test."""

    def __init__(self, folder):
        self.folder = folder
        self.plan = folder / "plan.json"
        scene = ROOT / "examples/scenes/pile.json"
        defaults = {"scene": str(scene), "ticks": TICKS, "seed_path": "generators[1].pile.seed"}
        self.plan.write_text(
            json.dumps({"measure": ["energy"], "defaults": defaults, "runs": [{"seed_count": RUNS}]})
        )

    def digest(self, results):
        return shards.merge(self.plan, self.folder / results, self.folder / f"{results}.csv")

    def done(self, results):
        """The number of runs with a row."""
        words = [shards.program_path(), "batch", "status", self.plan, "--results", self.folder / results]
        out = subprocess.run([*words, "--json"], capture_output=True, text=True).stdout
        return json.loads(out)["done"] if out else 0

    def wait_for(self, results, count, limit_s=300):
        end = time.monotonic() + limit_s
        while self.done(results) < count:
            assert time.monotonic() < end, f"{self.done(results)} of {RUNS} runs after {limit_s} s"
            time.sleep(0.2)


@pytest.fixture
def batch(tmp_path):
    made = Batch(tmp_path)
    began = time.monotonic()
    shards.run_shard(made.plan, tmp_path / "alone", 1, 1, threads=2)
    print(f"\none process, 2 threads: {time.monotonic() - began:.1f} s")
    made.wanted = made.digest("alone")
    return made
