"""Each script of examples/python runs and prints what it promises."""

import importlib.util
import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT, blocks

FOLDER = ROOT / "examples" / "python"
PRINTS = {
    "batch_rollout": r"states \(64, 120, 13\)\nthe best of 64 angles is \d+ degrees: 1\d\.\d\d m\n",
    "contacts": r"40 contact points\nbody 0: +(9\.\d\d|10\.\d\d) boxes\n(body .*\n)*body 10: +0\.00 boxes\n",
    "determinism": r"float: 15 runs, 1 hash\nfixed: 15 runs, 1 hash\n",
    "fork_and_compare": r".*push: True\n.*push: False\n[1-9]\d* of 119 bodies differ, at most by 0\..*\n",
    "gym_loop": r"one episode: \d+ steps, return 1\d\.\d\d\n16 worlds, 200 steps: 0 episodes ended\n",
    "hello_world": r"\[0\. +5\.\d+ 0\. +\]\n\[ 0\. +-9\.\d+ +0\. +\]\n",
    "learn_cartpole": r"weights .*\nepisodes of (4[89]\d|500)\.\d steps, .*\n\d+\.\d s\n",
    "queries": r"441 of 441 rays hit; the highest point is 20\.00 m\n15 bodies .*\n.* is 10\.00 m away\n",
    "record_and_verify": r"1 edit in \d+ bytes\nverified 120 ticks: True\n.*: True\n.*middle is 60.*\n",
    "save_and_restore": r"133 bodies are \d+ bytes\nequal futures: True\nrestored tick 60\n",
}


def test_each_script_has_its_output_here():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(PRINTS)


@pytest.mark.parametrize("name", PRINTS)
def test_a_script_prints_its_promise(name, tmp_path):
    script = FOLDER / f"{name}.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(PRINTS[name], done.stdout), done.stdout


@pytest.mark.parametrize("index", range(4))
def test_a_program_of_the_guide_to_environments_runs(index, tmp_path, monkeypatch):
    programs = blocks("docs/GYM.md")
    assert len(programs) == 4
    monkeypatch.chdir(tmp_path)
    exec(compile(programs[index], f"docs/GYM.md, program {index}", "exec"), {"__name__": "__main__"})


def test_the_guide_lists_each_script():
    page = (ROOT / "docs/PYTHON.md").read_text(encoding="utf-8")
    assert {row + ".py" for row in PRINTS} == set(re.findall(r"^\| `(\w+\.py)` \|", page, re.M))


def test_the_learner_gives_equal_weights_bit_for_bit():
    spec = importlib.util.spec_from_file_location("learn_cartpole", FOLDER / "learn_cartpole.py")
    learner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(learner)
    weights, trial = learner.learn(seed=0, threads=1)
    again, trial_again = learner.learn(seed=0, threads=2)
    assert trial.mean() >= 475
    assert weights.tobytes() == again.tobytes() and np.array_equal(trial, trial_again)
    assert learner.learn(seed=3)[0].tobytes() != weights.tobytes()
