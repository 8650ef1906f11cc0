"""A joint of a world, by its id."""

from __future__ import annotations

import math
from ctypes import byref, c_double
from typing import TYPE_CHECKING, Sequence

from . import _abi
from ._arguments import U64, whole
from ._library import check, lib, sized
from .definitions import AXES, Frame, axis_bits, set_frame, set_softness, word

if TYPE_CHECKING:
    from .world import World


class Joint:
    """A joint of a world, by its id. Axes are named "linear_x" to "angular_z", "distance" and "swing"."""

    __slots__ = ("world", "id")

    def __init__(self, world: World, id: int) -> None:
        self.world = world
        self.id = whole(id, 0, U64, "id")

    @staticmethod
    def _axis(axis: str) -> int:
        return word(axis, AXES, "axis")

    def _state(self, axis: str) -> tuple[float, float]:
        value, rate = c_double(), c_double()
        check(
            lib.takt_world_joint_state(
                self.world._value, self.id, self._axis(axis), byref(value), byref(rate)
            )
        )
        return value.value, rate.value

    def coordinate(self, axis: str) -> float:
        """Present value, m or rad."""
        return self._state(axis)[0]

    def rate(self, axis: str) -> float:
        """Present rate, m/s or rad/s."""
        return self._state(axis)[1]

    def set_motor(self, axis: str, speed: float, max: float) -> None:
        """Keeps a speed (m/s or rad/s) with at most `max` N or N m; 0 ends the motor."""
        check(lib.takt_world_joint_motor(self.world._value, self.id, self._axis(axis), speed, max))

    def set_drive(
        self,
        axis: str,
        target: float | None,
        frequency: float = 2.0,
        damping_ratio: float = 1.0,
        max: float = math.inf,
    ) -> None:
        """A spring to a target, m or rad: Hz, damping ratio, maximum N or N m. None ends the drive."""
        on = target is not None
        check(
            lib.takt_world_joint_drive(
                self.world._value, self.id, self._axis(axis), on, target or 0.0, frequency, damping_ratio, max
            )
        )

    def set_limit(self, axis: str, lower: float = -math.inf, upper: float = math.inf) -> None:
        """Bounds of a coordinate, m or rad."""
        check(lib.takt_world_joint_limit(self.world._value, self.id, self._axis(axis), lower, upper))

    def set_friction(self, axis: str, friction: float) -> None:
        """N or N m."""
        check(lib.takt_world_joint_friction(self.world._value, self.id, self._axis(axis), friction))

    def change(
        self,
        *,
        collide_connected: bool | None = None,
        locked: Sequence[str] | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        linear: tuple[float, float] | None = None,
        angular: tuple[float, float] | None = None,
        max_force: float | None = None,
        max_torque: float | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
        ratio: float | None = None,
        length: float | None = None,
        direct: bool | None = None,
        limit: tuple[str, float, float] | None = None,
        limit_softness: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        """Changes the joint from the next step on; None keeps a value.

        Frames are a position (m) and a rotation (x y z w) in the frame of their body. `locked` names the locked
        axes from linear_x to angular_z. Softnesses of the locked axes are a frequency (Hz, 0 = rigid) and a
        damping ratio. Forces are N, torques N m, infinity is none; `ratio` is of gears and pulleys, `length`
        (m) of pulleys. A `direct` joint is solved with its joint tree. `limit` is an axis with a lower and an
        upper bound, m or rad, and `limit_softness` the spring at them.
        """
        change = sized(_abi.takt_joint_change)
        if collide_connected is not None:
            change.fields |= _abi.TAKT_JOINT_COLLIDE_CONNECTED
            change.collide_connected = bool(collide_connected)
        if locked is not None:
            change.fields |= _abi.TAKT_JOINT_LOCKED
            change.locked = axis_bits(locked, "locked")
        for name, frame in (("a", frame_a), ("b", frame_b)):
            if frame is not None:
                change.fields |= getattr(_abi, f"TAKT_JOINT_FRAME_{name.upper()}")
                set_frame(change, name, frame)
        for name, softness in (("linear", linear), ("angular", angular)):
            if softness is not None:
                change.fields |= getattr(_abi, f"TAKT_JOINT_{name.upper()}")
                set_softness(change, name, softness)
        if direct is not None:
            change.fields |= _abi.TAKT_JOINT_DIRECT
            change.direct = bool(direct)
        if limit is not None:
            change.fields |= _abi.TAKT_JOINT_LIMIT
            axis, change.lower, change.upper = limit
            change.axis = self._axis(axis)
            set_softness(change, "limit", limit_softness)
        numbers = {
            "max_force": max_force,
            "max_torque": max_torque,
            "break_force": break_force,
            "break_torque": break_torque,
            "ratio": ratio,
            "length": length,
        }
        for name, value in numbers.items():
            if value is not None:
                change.fields |= getattr(_abi, f"TAKT_JOINT_{name.upper()}")
                setattr(change, name, value)
        check(lib.takt_world_change_joint(self.world._value, self.id, byref(change)))

    def enable(self, enabled: bool = True) -> None:
        """Enables (and repairs) or disables the joint."""
        check(lib.takt_world_joint_enable(self.world._value, self.id, enabled))

    def destroy(self) -> None:
        check(lib.takt_world_destroy_joint(self.world._value, self.id))

    def __repr__(self) -> str:
        return f"<takt.Joint {self.id}>"
