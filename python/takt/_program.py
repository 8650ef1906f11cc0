"""The path of the program takt."""

from __future__ import annotations

import os
import shutil


def program_path(program: str | None = None) -> str:
    """The path of takt: `program`, TAKT_PROGRAM of the environment, or takt of PATH."""
    found = program or os.environ.get("TAKT_PROGRAM") or shutil.which("takt")
    if found is None:
        raise FileNotFoundError("takt is not in PATH: install the program, or name it by TAKT_PROGRAM")
    return found
