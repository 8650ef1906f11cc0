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


def test_a_number_of_shards_that_runs_nothing_is_refused(plan, tmp_path):
    for run in (shards.run_on_processes, shards.run_on_ray):
        for count in (0, -1, 100_001):
            with pytest.raises(ValueError, match="shards is"):
                run(plan, tmp_path / "none", count)
    assert shards.main([str(plan), "--results", str(tmp_path / "none"), "--shards", "0"]) == 2


class FakeRay:
    """The part of ray that takt.shards uses, in this process."""

    def __init__(self):
        self.addresses = []
        self.programs = []

    def is_initialized(self):
        return False

    def init(self, address, log_to_driver):
        self.addresses.append(address)

    def remote(self, **options):
        ray = self

        class Task:
            def __init__(self, act):
                self.act = act

            def remote(self, *words, program):
                ray.programs.append(program)
                return self.act(*words, program=program)

        return Task

    def wait(self, waiting):
        return waiting[:1], waiting[1:]

    def get(self, done):
        return done


def test_ray_joins_no_cluster_that_was_not_named(plan, tmp_path, monkeypatch):
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    found = shards.program_path()
    monkeypatch.chdir(os.path.dirname(os.path.abspath(found)))
    monkeypatch.setenv("TAKT_PROGRAM", "./" + os.path.basename(found))
    shards.run_on_ray(plan, tmp_path / "r", 2)
    shards.run_on_ray(plan, tmp_path / "r", 2, address="10.0.0.1:6379")
    assert fake.addresses == ["local", "10.0.0.1:6379"]
    assert len(fake.programs) == 4
    assert all(os.path.isabs(program) and os.path.exists(program) for program in fake.programs)


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


def test_an_interrupt_ends_the_shards_at_work_and_starts_no_others(tmp_path):
    path = tmp_path / "long.json"
    path.write_text(PLAN % (SCENES / "pile.json", 1_000_000))
    words = [sys.executable, "-B", "-m", "takt.shards", str(path), "--results", str(tmp_path / "r")]
    caller = subprocess.Popen(
        [*words, "--shards", "12", "--processes", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(400):
            if len(list((tmp_path / "r").glob("*.rows"))) == 2:
                break
            time.sleep(0.05)
        assert len(list((tmp_path / "r").glob("*.rows"))) == 2
        caller.send_signal(signal.SIGINT)  # to Python alone
        assert caller.wait(timeout=20) != 0
    finally:
        caller.kill()
        caller.wait()
    assert not children_with(str(path))
    assert len(list((tmp_path / "r").glob("*.rows"))) == 2
