"""The programs of README.md and docs/PYTHON.md run."""

import re

import pytest

from conftest import ROOT


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


PROGRAMS = [(page, i) for page in ("README.md", "docs/PYTHON.md") for i in range(len(blocks(page)))]


def test_both_pages_have_programs():
    assert {page for page, _ in PROGRAMS} == {"README.md", "docs/PYTHON.md"}


@pytest.mark.parametrize("page,index", PROGRAMS)
def test_a_program_runs(page, index, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    exec(compile(blocks(page)[index], f"{page}, program {index}", "exec"), {"__name__": "__main__"})
    # The quick start of the README shows a world that moves.
    if page == "README.md":
        first, last = capsys.readouterr().out.splitlines()
        assert first != last
