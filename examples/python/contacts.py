#!/usr/bin/env python3
"""Reads contacts as arrays: the weight that each box of a stack carries."""

import pathlib

import numpy as np

import takt

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"

world = takt.World.load(SCENES / "stack.json")
world.step(20)
contacts = world.contacts  # a structured array, a row for each contact point
ids = world.ids
load = np.zeros(len(ids))  # N, carried by each body on its upper side
forces = contacts["impulse"] * world.tick_rate * 4  # impulses are those of the last of 4 substeps
for side in ("body_a", "body_b"):
    other = "body_b" if side == "body_a" else "body_a"
    rows = np.searchsorted(ids, contacts[side])
    below = world.positions[rows, 1] < world.positions[np.searchsorted(ids, contacts[other]), 1]
    np.add.at(load, rows[below], forces[below])
print(f"{len(contacts)} contact points")
for row, newtons in enumerate(load):
    print(f"body {row}: {newtons / 9810:5.2f} boxes")
