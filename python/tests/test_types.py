"""The package satisfies mypy --strict."""

import subprocess
import sys

from conftest import ROOT


def test_mypy_finds_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, ROOT / "python" / "takt"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_knows_the_types_of_the_package(tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text("import takt\nticks: str = takt.World({}).tick\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", program],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert done.returncode == 1 and '"int"' in done.stdout
