#!/usr/bin/env python3
"""Keeps a state in memory, as bytes and as a pickle. All of them have the same future."""

import copy
import pathlib
import pickle

import takt

SCENES = pathlib.Path(__file__).resolve().parents[1] / "scenes"

world = takt.World.load(SCENES / "ragdolls.json", numbers="fixed")
world.step(60)

snapshot = world.capture()  # in memory
image = world.save()  # bytes, for other processes and machines
futures = [takt.World.from_image(image), pickle.loads(pickle.dumps(world))]
futures += [copy.deepcopy(world), world.fork()]
print(f"{world.body_count} bodies are {len(image)} bytes")

world.step(60)
for future in futures:
    future.step(60)
print(f"equal futures: {len({world.hash, *(future.hash for future in futures)}) == 1}")

world.restore(snapshot)
print(f"restored tick {world.tick}")
