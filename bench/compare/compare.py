#!/usr/bin/env python3
"""Measures Takt beside MuJoCo, PyBullet and Rapier and writes a CSV: ./dev compare FILE.

Engines take turns on one machine, pinned to one core unless a row names threads. A time is the median of its
repetitions: time of the processor, and of the wall for rows with threads. Errors come from positions alone,
so they mean the same for each engine.
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Iterator

import numpy as np

import scenes
from engines import ENGINES, MuJoCo, PyBullet, Rapier, Takt, mujoco_xml, takt_scene

Row = tuple[str, str, str, str, float]  # case, engine, setting, measure with unit, value


def median_s(
    call: Callable[[], Any], repetitions: int, clock: Callable[[], float] = time.process_time
) -> float:
    times = []
    for _ in range(repetitions):
        begin = clock()
        call()
        times.append(clock() - begin)
    return statistics.median(times)


def setting(engine: Any, rate: int) -> str:
    return f"{rate} Hz, {engine.settings}"


def two_boxes() -> Iterator[Row]:
    for engine in ENGINES:
        made = engine(scenes.two_boxes(), 60)
        made.step(60)
        one = median_s(lambda: made.step(1), 2000)
        many = median_s(lambda: made.step(1000), 5) / 1000
        yield "two boxes", engine.name, setting(engine, 60), "step(1) us", 1e6 * one
        yield "two boxes", engine.name, setting(engine, 60), "step(1000) us a step", 1e6 * many
        made.close()


def overlap_mm(made: Any) -> float:
    """The 99th percentile of the depth of overlapping pairs of spheres and of spheres in the ground."""
    p = made.positions()
    distances = np.sqrt(((p[:, np.newaxis] - p) ** 2).sum(axis=2))[np.triu_indices(len(p), 1)]
    depths = np.concatenate([0.5 - distances, 0.25 - p[:, 1]])
    depths = depths[depths > 0]
    return 1e3 * float(np.percentile(depths, 99)) if depths.size else 0.0


def settle(
    name: str,
    scene: scenes.Scene,
    seconds: float,
    errors: dict[str, Callable[[Any], float]],
    rates: tuple[int, ...] = (60, 240),
) -> Iterator[Row]:
    """Steps a scene for some seconds at each rate: the time of a simulated second, and errors at its end."""
    for rate in rates:
        for engine in ENGINES:
            made = engine(scene, rate)
            step = median_s(lambda: made.step(1), int(seconds * rate))
            yield name, engine.name, setting(engine, rate), "ms a step", 1e3 * step
            yield name, engine.name, setting(engine, rate), "ms a simulated second", 1e3 * step * rate
            for measure, error in errors.items():
                yield name, engine.name, setting(engine, rate), measure, error(made)
            made.close()


def standing() -> Iterator[Row]:
    start = np.array([body.position for body in scenes.wall().bodies[1:]])
    yield from settle(
        "wall of 210 cubes",
        scenes.wall(),
        3,
        {
            "top cube sank mm": lambda made: 1e3 * float(start[-1, 1] - made.positions()[-1, 1]),
            "largest drift mm": lambda made: 1e3 * float(np.abs(made.positions() - start)[:, [0, 2]].max()),
        },
    )
    for count, rates in ((100, (60, 240)), (300, (60,))):
        yield from settle(
            f"pile of {count} spheres", scenes.pile(count), 3, {"overlap p99 mm": overlap_mm}, rates
        )


def moving() -> Iterator[Row]:
    yield from settle(
        "20 dominoes",
        scenes.dominoes(),
        10,
        {"fallen": lambda made: float((made.positions()[:, 1] < 0.45).sum())},
    )
    length = 5.0
    yield from settle(
        "chain of 20, 1000:1",
        scenes.chain(),
        3,
        {"stretch %": lambda made: 100 * (10 - float(made.positions()[-1, 1]) - length) / length},
    )


def resident_kib() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def many_worlds(cores: set[int]) -> Iterator[Row]:
    worlds, ticks, rate = 100, 60, 60
    scene = scenes.pile(50)
    case = "100 worlds of 50 spheres"
    import mujoco
    import mujoco.rollout
    import takt

    for threads in (1, 2):
        os.sched_setaffinity(0, cores if threads > 1 else {min(cores)})
        batch = takt.BatchWorld(takt_scene(scene, rate), worlds, threads=threads)
        batch.step(120)
        second = median_s(lambda: batch.step(ticks), 5, time.perf_counter)
        how = f"{setting(Takt, rate)}, {threads} threads"
        yield case, "Takt", how, "world-steps/s", worlds * ticks / second

        model = mujoco.MjModel.from_xml_string(mujoco_xml(scene, rate))
        data = [mujoco.MjData(model) for _ in range(threads)]
        mujoco.mj_step(model, data[0], 120)
        state = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(model, data[0], state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        states = np.tile(state, (worlds, 1))
        with mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0) as rollout:
            second = median_s(lambda: rollout.rollout(model, data, states, nstep=ticks), 3, time.perf_counter)
        how = f"{setting(MuJoCo, rate)}, rollout, {threads} threads"
        yield case, "MuJoCo", how, "world-steps/s", worlds * ticks / second
    os.sched_setaffinity(0, {min(cores)})
    for engine in (Takt, MuJoCo, PyBullet, Rapier):
        before = resident_kib()
        begin = time.process_time()
        made = [engine(scene, rate) for _ in range(worlds)]
        yield case, engine.name, setting(engine, rate), "start ms a world", 1e3 * (
            time.process_time() - begin
        ) / worlds
        for world in made:
            world.step(120)
        yield case, engine.name, setting(engine, rate), "KiB a world", (resident_kib() - before) / worlds
        if engine in (PyBullet, Rapier):
            second = median_s(lambda: [world.step(ticks) for world in made], 3)
            how = f"{setting(engine, rate)}, a loop, 1 threads"
            yield case, engine.name, how, "world-steps/s", worlds * ticks / second
        for world in made:
            world.close()


def states() -> Iterator[Row]:
    steps = 300
    for count in (100, 300):
        for engine in ENGINES:
            made = engine(scenes.pile(count), 60)
            made.step(120)
            case, how = f"state of a pile of {count}", setting(engine, 60)
            yield case, engine.name, how, "save us", 1e6 * median_s(made.save, 20)
            state = made.save()
            made.step(steps)
            expected = made.positions().copy()
            yield case, engine.name, how, "restore us", 1e6 * median_s(lambda: made.restore(state), 20)
            made.step(steps)
            equal = np.array_equal(expected, made.positions())
            yield case, engine.name, how, f"restored = never restored, {steps} steps", float(equal)
            yield f"poses of {count}", engine.name, how, "read us", 1e6 * median_s(made.read, 50)
            made.close()


def packages() -> Iterator[Row]:
    root = pathlib.Path(__file__).resolve().parents[2] / "python" / "takt"
    for engine, module in ((Takt, "takt"), (MuJoCo, "mujoco"), (PyBullet, "pybullet"), (Rapier, "rapier3d")):
        if engine is Takt:
            files = [path for path in root.rglob("*") if path.is_file()] + [
                pathlib.Path(os.environ["TAKT_LIBRARY"])
            ]
            size = sum(path.stat().st_size for path in files)
        else:
            names = ["mujoco", "mujoco-core"] if engine is MuJoCo else [module]
            found = [file for name in names for file in importlib.metadata.files(name) or []]
            size = sum(path.stat().st_size for path in (file.locate() for file in found) if path.is_file())
        yield "package", engine.name, "installed", "MB", size / 1e6
        program = (
            f"import time, numpy; t = time.process_time(); import {module}; print(time.process_time() - t)"
        )
        with tempfile.TemporaryDirectory() as cache:  # of byte code, which the first run fills
            environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            times = [
                float(
                    subprocess.run(
                        [sys.executable, "-c", program],
                        capture_output=True,
                        text=True,
                        check=True,
                        env=environment,
                    ).stdout.split()[-1]
                )
                for _ in range(8)
            ][1:]
        yield "package", engine.name, "beyond numpy", "import ms", 1e3 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="the CSV to write")
    names = ["two_boxes", "standing", "moving", "many_worlds", "states", "packages"]
    parser.add_argument("--only", choices=names, action="append", help="one group of cases")
    options = parser.parse_args()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    versions = {"takt": "Takt", "mujoco": "MuJoCo", "pybullet": "PyBullet", "rapier3d": "Rapier"}
    import takt

    with open(options.file, "w", newline="", encoding="utf-8") as file:
        for name, title in versions.items():
            version = takt.__version__ if name == "takt" else importlib.metadata.version(name)
            file.write(f"# {title} {version}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "engine", "setting", "measure", "value"])
        groups = dict(
            zip(names, [two_boxes(), standing(), moving(), many_worlds(cores), states(), packages()])
        )
        for name in options.only or names:
            for case, engine, how, measure, value in groups[name]:
                writer.writerow([case, engine, how, measure, f"{value:.6g}"])
                file.flush()
                print(f"{case} | {engine} | {how} | {measure} | {value:.4g}", flush=True)


if __name__ == "__main__":
    main()
