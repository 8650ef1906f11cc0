"""Scenes of the comparison, for any engine: bodies with a shape of a sphere or box, and point joints.

Units are SI and y is up. Friction is 0.6 and restitution 0 everywhere; nothing sleeps and nothing is damped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

FRICTION = 0.6


@dataclass
class Body:
    size: float | tuple[float, float, float]  # radius of a sphere, or half extents of a box, m
    position: tuple[float, float, float]
    density: float = 1000.0  # kg/m^3; 0 is a static body
    angle: float = 0.0  # about z, rad

    @property
    def is_sphere(self) -> bool:
        return isinstance(self.size, float)


@dataclass
class Scene:
    bodies: list[Body]  # static ones first
    joints: list[tuple[int, int, tuple[float, float, float]]] = field(default_factory=list)  # bodies, anchor

    @property
    def static_count(self) -> int:
        return sum(body.density == 0 for body in self.bodies)


GROUND = Body((100.0, 1.0, 100.0), (0, -1, 0), 0)


def two_boxes() -> Scene:
    return Scene([GROUND, Body((0.5, 0.5, 0.5), (0, 0.5, 0)), Body((0.5, 0.5, 0.5), (0, 1.5, 0))])


def wall() -> Scene:
    """210 cubes of 1 m, 20 in the lowest row."""
    boxes = [
        Body((0.5, 0.5, 0.5), (1.02 * (column - (19 - row) / 2), row + 0.5, 0))
        for row in range(20)
        for column in range(20 - row)
    ]
    return Scene([GROUND, *boxes])


def pile(count: int) -> Scene:
    """Spheres of 0.25 m fall into a pit."""
    side = 5 if count <= 100 else 10
    half = 0.3 * side
    walls = [Body((0.5, 50.0, half + 1), (sign * (half + 0.5), 50, 0), 0) for sign in (-1, 1)] + [
        Body((half + 1, 50.0, 0.5), (0, 50, sign * (half + 0.5)), 0) for sign in (-1, 1)
    ]
    jitter = np.random.default_rng(1).uniform(-0.02, 0.02, (count, 3))
    spheres = []
    for i in range(count):
        cell = np.array([i % side, i // (side * side), i // side % side])
        at = (cell - [(side - 1) / 2, 0, (side - 1) / 2]) * [0.58, 0.55, 0.58] + [0, 0.5, 0] + jitter[i]
        spheres.append(Body(0.25, tuple(at.tolist())))
    return Scene([GROUND, *walls, *spheres])


def dominoes() -> Scene:
    """20 dominoes of 1 m, the first of which leans by 20 degrees."""
    angle = -np.radians(20)
    lean = (0.5 * np.sin(-angle), 0.5 * np.cos(angle) + 0.075 * np.sin(-angle), 0.0)
    first = Body((0.075, 0.5, 0.25), tuple(float(v) for v in lean), 600, float(angle))
    return Scene([GROUND, first, *(Body((0.075, 0.5, 0.25), (0.5 * i, 0.5, 0), 600) for i in range(1, 20))])


def chain() -> Scene:
    """20 spheres of 0.1 m hang on point joints, 0.25 m apart. The last has 1,000 times the mass."""
    hook = Body((0.05, 0.05, 0.05), (0, 10, 0), 0)
    links = [Body(0.1, (0, 10 - 0.25 * i, 0), 1000.0 * (1000 if i == 20 else 1)) for i in range(1, 21)]
    joints = [(i, i + 1, (0.0, 10 - 0.25 * i - 0.125, 0.0)) for i in range(20)]
    return Scene([hook, *links], joints)
