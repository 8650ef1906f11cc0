#!/usr/bin/env python3
"""A world that moves, in three lines."""

import takt

world = takt.World({"bodies": [{"name": "ball", "position": [0, 10, 0], "shapes": [{"sphere": {}}]}]})
for second in range(2): world.step(60); print(world.positions[0])
