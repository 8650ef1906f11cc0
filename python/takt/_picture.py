"""Pictures of worlds, by `takt shot`: the browser viewer, drawn by Chromium without a display."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from typing import Any, Sequence

from ._arguments import whole
from ._program import program_path


def picture_of(
    world: Any, size: tuple[int, int], camera: Sequence[float] | None, theme: str, program: str | None
) -> bytes:
    """`world` may record: it is a copy that nobody else uses. The rest is as World.picture has it."""
    width, height = (whole(value, 1, 16384, "size") for value in size)
    words = ["--size", f"{width}x{height}", "--theme", theme]
    if camera is not None:
        words += ["--camera=" + ",".join(repr(float(value)) for value in camera)]
    found = program_path(program)
    with tempfile.TemporaryDirectory() as folder:
        recording, image = os.path.join(folder, "world.takt"), pathlib.Path(folder, "world.png")
        with world.record(recording):
            pass  # the state alone
        done = subprocess.run(
            [found, "shot", recording, "--out", image, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"takt shot ended with {done.returncode}")
        return image.read_bytes()
