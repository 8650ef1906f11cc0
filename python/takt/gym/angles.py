"""Angles by additions, multiplications, divisions and square roots, which round equally on each machine.

numpy's own sine and arctangent differ in their last bits between processors. Errors are below 1e-14 rad.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def sine_cosine(angles: Array) -> tuple[Array, Array]:
    """Sines and cosines of angles within +-2 pi, rad, by Taylor's series of the 32nd part."""
    part = np.asarray(angles, np.float64) / 32
    square = part * part
    sine = np.zeros_like(part)
    versine = np.zeros_like(part)  # 1 - cosine, which keeps its digits near 0
    for k in (13, 11, 9, 7, 5, 3):
        sine = (1 + sine) * square / -(k * (k - 1))
        versine = (1 + versine) * square / -((k + 1) * k)
    sine = part * (1 + sine)
    versine = (1 + versine) * square / 2
    for _ in range(5):  # doubles the angle
        sine, versine = 2 * sine * (1 - versine), 2 * sine * sine
    return sine, 1 - versine


def angle_about_z(rotations: Array) -> Array:
    """The angle, rad within +-pi, of rotations about z: quaternions x y z w, (..., 4).

    Three halvings of the angle leave a tangent of at most 0.2, where Euler's series ends early."""
    z, w = rotations[..., 2], rotations[..., 3]
    z, w = np.where(w < 0, -z, z), np.abs(w)
    tangent = z / (w + np.sqrt(z * z + w * w))  # of a quarter of the angle
    for _ in range(2):
        tangent = tangent / (1 + np.sqrt(1 + tangent * tangent))
    square = tangent * tangent
    series = np.zeros_like(square)
    for k in range(23, 1, -2):
        series = square * (1 / k - series)
    return np.asarray(16 * tangent * (1 - series))
