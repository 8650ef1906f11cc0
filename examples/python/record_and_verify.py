#!/usr/bin/env python3
"""Records a run with pushes, proves that it computes again, and returns to its middle."""

import pathlib
import tempfile

import takt

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"

world = takt.World.load(SCENES / "stack.json")
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "run.takt"
    with world.record(path):
        world.step(60)
        world.bodies[-1].apply_impulse((2000, 0, 0))
        world.step(60)
    recording = takt.Recording(path)
    report = recording.verify()
    middle = recording.world(60)
    print(f"{recording.input_count} edit in {path.stat().st_size} bytes")
    print(f"verified {report.ticks_checked} ticks: {report.agrees}")
    print(f"the hash of the last tick is that of the world: {report.final_hash == world.hash}")
    print(f"the tick of the middle is {middle.tick}, and its top box is at {middle.positions[-1].round(2)} m")
