#!/usr/bin/env python3
"""Finds the push that sends a ball farthest: 64 pushes in 64 worlds, one call a tick."""

import numpy as np

import takt

SCENE = {
    "bodies": [
        {"name": "ground", "type": "static", "shapes": [{"half_space": {}}]},
        {"name": "ball", "position": [0, 0.5, 0], "shapes": [{"sphere": {}, "density": 10}]},
    ]
}
WORLDS, TICKS = 64, 120

angles = np.linspace(0, np.pi / 2, WORLDS)
forces = np.zeros((WORLDS, TICKS, 3))  # N, of each world and tick
forces[:, :10, 0] = 300 * np.cos(angles)[:, np.newaxis]
forces[:, :10, 1] = 300 * np.sin(angles)[:, np.newaxis]
states = takt.rollout(SCENE, "ball", forces, threads=2)  # (64, 120, 13)

reach = states[:, -1, 0]
best = int(reach.argmax())
print(f"states {states.shape}")
print(f"the best of {WORLDS} angles is {np.degrees(angles[best]):.0f} degrees: {reach[best]:.2f} m")
