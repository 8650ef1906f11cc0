"""The programs of README.md and docs/PYTHON.md run."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT, blocks


PROGRAMS = [(page, i) for page in ("README.md", "docs/PYTHON.md") for i in range(len(blocks(page)))]


def test_both_pages_have_programs():
    assert {page for page, _ in PROGRAMS} == {"README.md", "docs/PYTHON.md"}


@pytest.mark.parametrize("page", ["README.md", "docs/PYTHON.md"])
def test_the_package_is_installed_into_a_virtual_environment(page):
    # Debian's pip refuses to install beside the packages of the system.
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    at = [i for i, line in enumerate(lines) if "pip install ./python" in line]
    assert at
    for i in at:
        folder = re.fullmatch(r"    python3 -m venv (\S+)", lines[i - 1])
        assert folder and lines[i] == f"    {folder[1]}/bin/pip install ./python"


@pytest.mark.parametrize("page,index", PROGRAMS)
def test_a_program_runs(page, index, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    exec(compile(blocks(page)[index], f"{page}, program {index}", "exec"), {"__name__": "__main__"})
    # The quick start of the README shows a world that moves.
    if page == "README.md":
        first, last = capsys.readouterr().out.splitlines()
        assert first != last


def test_the_table_of_the_comparison_is_that_of_its_results():
    page = (ROOT / "docs/COMPARE.md").read_text(encoding="utf-8")
    (results,) = re.findall(r"`(bench/compare/results/[^`]+\.csv)`", page)
    script = ROOT / "bench/compare/table.py"
    done = subprocess.run([sys.executable, script, ROOT / results], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout in page
