#!/usr/bin/env python3
"""Computes one future with other threads, lanes and places in a batch, and compares all hashes."""

import pathlib

import numpy as np

import takt

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"

for numbers in ("float", "fixed"):
    hashes = []
    for threads in (1, 2, 3):
        for lanes in (1, 4, 8):
            world = takt.World.load(SCENES / "pile.json", numbers=numbers, threads=threads, lanes=lanes)
            world.step(60)
            hashes.append(world.hash)
    batch = takt.BatchWorld(SCENES / "pile.json", 6, numbers=numbers, threads=2)
    batch.step(60)
    hashes += batch.hashes.tolist()
    print(f"{numbers}: {len(hashes)} runs, {len(np.unique(hashes))} hash")
