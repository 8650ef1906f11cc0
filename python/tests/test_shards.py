"""takt.shards: plans of `takt batch` on processes of this machine."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import SCENES
from takt import shards

PLAN = """{
  "measure": ["energy"],
  "defaults": { "scene": "%s", "ticks": %d, "seed_path": "generators[1].pile.seed" },
  "runs": [{ "name": "pile", "seed_count": 12, "first_seed": 100 }]
}"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(PLAN % (SCENES / "pile.json", 20))
    return path


def test_shards_of_processes_give_the_table_of_one(plan, tmp_path):
    answer = shards.run_shard(plan, tmp_path / "one", 1, 1)
    assert answer == {"shard": "1/1", "runs": 12, "done": 12, "computed": 12}
    digest = shards.merge(plan, tmp_path / "one", tmp_path / "one.csv")
    assert re.fullmatch("0x[0-9a-f]{16}", digest)
    shards.run_on_processes(plan, tmp_path / "many", 5, processes=2)
    assert shards.merge(plan, tmp_path / "many", tmp_path / "many.csv") == digest
    table = (tmp_path / "many.csv").read_text()
    assert table == (tmp_path / "one.csv").read_text()
    rows = [line.split(",") for line in table.splitlines()]
    assert [row[2] for row in rows[1:]] == [str(seed) for seed in range(100, 112)]
    assert len({row[7] for row in rows[1:]}) == 12  # each pile has another hash
    again = shards.run_shard(plan, tmp_path / "many", 1, 1)
    assert (again["done"], again["computed"]) == (12, 0)


def test_errors_have_the_text_and_code_of_the_program(plan, tmp_path):
    with pytest.raises(shards.BatchError, match="12 of 12 runs have no result|has no results") as error:
        shards.merge(plan, tmp_path / "none", tmp_path / "none.csv")
    assert error.value.exit_code == 2
    with pytest.raises(shards.BatchError, match="cannot be opened"):
        shards.run_shard(tmp_path / "none.json", tmp_path / "none", 1, 1)
    with pytest.raises(ValueError, match="shard is 3"):
        shards.run_shard(plan, tmp_path / "none", 3, 2)
    with pytest.raises(FileNotFoundError):
        shards.run_shard(plan, tmp_path / "none", 1, 1, program=str(tmp_path / "no-takt"))


def test_the_module_is_a_program(plan, tmp_path):
    words = [sys.executable, "-B", "-m", "takt.shards"]
    words += [str(plan), "--results", str(tmp_path / "r"), "--shards", "3", "--csv", str(tmp_path / "t.csv")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch("0x[0-9a-f]{16}\n", done.stdout)
    words[4] = str(tmp_path / "none.json")
    failed = subprocess.run(words, capture_output=True, text=True)
    assert failed.returncode == 2 and failed.stderr.startswith("takt: "), failed.stderr


def children_with(word):
    found = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if word in line and "batch run" in line]


def test_a_killed_caller_leaves_no_program_behind(tmp_path):
    path = tmp_path / "long.json"
    path.write_text(PLAN % (SCENES / "pile.json", 1_000_000))
    code = "import sys; from takt import shards; shards.run_shard(sys.argv[1], sys.argv[2], 1, 1)"
    caller = subprocess.Popen([sys.executable, "-B", "-c", code, path, tmp_path / "r"])
    for _ in range(200):
        if children_with(str(path)):
            break
        time.sleep(0.05)
    assert children_with(str(path))
    os.kill(caller.pid, signal.SIGKILL)
    caller.wait()
    for _ in range(200):
        if not children_with(str(path)):
            return
        time.sleep(0.05)
    pytest.fail("the program runs on")
