#!/usr/bin/env python3
"""Casts a grid of rays from above, and finds the bodies near a point."""

import pathlib

import numpy as np

import takt

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"

world = takt.World.load(SCENES / "pyramid.json")
x, z = np.meshgrid(np.linspace(-6, 6, 49), np.linspace(-2, 2, 9))
origins = np.stack([x.ravel(), np.full(x.size, 50.0), z.ravel()], axis=1)
hits = world.raycast(origins, (0, -1, 0), max_distance=100)  # one call for all rays
heights = hits.position[:, 1].reshape(x.shape)
print(f"{hits.found.sum()} of {len(origins)} rays hit; the highest point is {heights.max():.2f} m")

near = world.overlap("sphere", 1.5, (0, 1.5, 0))
print(f"{len(set(near['body'].tolist()))} bodies are within 1.5 m of the middle")
nearest = world.closest((0, 30, 0), max_distance=50)
print(f"the nearest surface below a height of 30 m is {nearest.distance[0]:.2f} m away")
