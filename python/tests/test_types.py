"""The package satisfies mypy --strict."""

import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """mypy reads the types of numpy and of the standard library once for both tests."""
    return tmp_path_factory.mktemp("mypy")


def test_mypy_finds_nothing(cache):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, ROOT / "python" / "takt"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_knows_the_types_of_the_package(tmp_path, cache):
    program = tmp_path / "wrong.py"
    program.write_text("import takt\nticks: str = takt.World({}).tick\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, program],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert done.returncode == 1 and '"int"' in done.stdout
