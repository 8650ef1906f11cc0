#!/usr/bin/env python3
"""Steps 256 worlds of a scene through takt.BatchWorld: the times of bench_worlds, from Python.

    bench/python_worlds.py --scene loads; build/bench/bin/bench_worlds loads --settle 240

Scene, ticks and pushes are those of bench/world_crowd.cpp, which counts time of the processor. Time of the
wall has other programs of the machine in it.
"""

import argparse
import pathlib
import statistics
import time

import numpy as np

import takt

SCENES = pathlib.Path(__file__).resolve().parents[1] / "examples" / "scenes"


def world_step_us(scene, worlds, threads, settle, rounds, kick_every=45):
    """Median microseconds of a round by the number of worlds: of the wall, and of the processor."""
    batch = takt.BatchWorld(scene, worlds, threads=threads)
    batch.step(settle)
    last = batch.ids[:, -1].copy()
    wall, processor = [], []
    for i in range(rounds):
        turn = (i + np.arange(worlds)) % kick_every == 0
        if turn.any():
            batch.teleport(last, linear_velocities=(0, 4, 0), angular_velocities=(0, 0, 0), where=turn)
        begin = time.perf_counter(), time.process_time()
        batch.step()
        wall.append(1e6 * (time.perf_counter() - begin[0]) / worlds)
        processor.append(1e6 * (time.process_time() - begin[1]) / worlds)
    return statistics.median(wall), statistics.median(processor)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--scene", default="loads", help="a scene of examples/scenes without settings of its world"
    )
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--settle", type=int, default=240)
    parser.add_argument("--ticks", type=int, default=120)
    options = parser.parse_args()
    text = (SCENES / f"{options.scene}.json").read_text(encoding="utf-8")
    scene = text.replace('"title"', '"world": { "allow_sleep": false }, "title"', 1)
    for threads in options.threads:
        wall, processor = world_step_us(scene, options.worlds, threads, options.settle, options.ticks)
        print(
            f"{options.scene}, {options.worlds} worlds, {threads} threads: us a world-step, median: "
            f"{wall:.1f} of the wall, {processor:.1f} of the processor"
        )


if __name__ == "__main__":
    main()
