"""A body of a world, by its id."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Sequence

import numpy as np

from . import queries
from ._arguments import U64, address, whole
from ._library import check, lib
from .arrays import Array, listed
from .definitions import Shape, body_change, mover_tuning, three
from .queries import ArrayLike

if TYPE_CHECKING:
    from .world import World


class Body:
    """A body of a world, by its id. It has no state of its own."""

    __slots__ = ("world", "id")

    def __init__(self, world: World, id: int) -> None:
        self.world = world
        self.id = whole(id, 0, U64, "id")

    def _row(self) -> int:
        rows = np.flatnonzero(self.world.ids == np.uint64(self.id))
        if rows.size == 0:
            raise KeyError(f"body {self.id} is gone")
        return int(rows[0])

    @property
    def position(self) -> Array:
        """Of the origin, m, (3,). A copy."""
        row: Array = self.world.positions[self._row()].copy()
        return row

    @property
    def rotation(self) -> Array:
        """Unit quaternion x y z w, (4,). A copy."""
        row: Array = self.world.rotations[self._row()].copy()
        return row

    @property
    def linear_velocity(self) -> Array:
        """Of the centre of mass, m/s, (3,). A copy."""
        row: Array = self.world.linear_velocities[self._row()].copy()
        return row

    @property
    def angular_velocity(self) -> Array:
        """rad/s, world axes, (3,). A copy."""
        row: Array = self.world.angular_velocities[self._row()].copy()
        return row

    def apply_impulse(self, impulse: ArrayLike, local_point: ArrayLike | None = None) -> None:
        """Changes the velocities of a dynamic body, N s, at its centre of mass or a point of its frame, m."""
        at = None if local_point is None else three(local_point, "local_point")
        check(
            lib.takt_world_impulse(
                self.world._value, self.id, address(three(impulse, "impulse")), address(at)
            )
        )

    def apply_force(self, force: ArrayLike, torque: ArrayLike = (0, 0, 0), ticks: int = 1) -> None:
        """A force (N) and torque (N m) on a dynamic body during the next `ticks` steps, 1 to 3600."""
        f, t = three(force, "force"), three(torque, "torque")
        steps = whole(ticks, 1, 3600, "ticks")
        check(lib.takt_world_force(self.world._value, self.id, address(f), address(t), steps))

    def teleport(
        self,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        linear_velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
    ) -> None:
        """Sets pose and velocities; None keeps the present value."""
        p = None if position is None else three(position, "position")
        q = None if rotation is None else queries.numbers(rotation, (4,), "rotation")
        v = None if linear_velocity is None else three(linear_velocity, "linear_velocity")
        w = None if angular_velocity is None else three(angular_velocity, "angular_velocity")
        check(
            lib.takt_world_teleport(
                self.world._value, self.id, address(p), address(q), address(v), address(w)
            )
        )

    def move(
        self, velocity: ArrayLike, turn: float = 0.0, *, in_heading_frame: bool = False, jump: bool = False
    ) -> None:
        """The input of a mover until the next one: m/s relative to the ground, rad/s of the heading."""
        v = three(velocity, "velocity")
        check(lib.takt_world_move(self.world._value, self.id, address(v), turn, in_heading_frame, jump))

    @property
    def shapes(self) -> list[Shape]:
        """The shapes of the body, in order of creation."""
        ids = listed(lib.takt_world_list_shapes, self.world._value, np.dtype(np.uint64), self.id)
        return [Shape(self.world, int(i)) for i in ids]

    def change(
        self,
        *,
        type: str | None = None,
        enabled: bool | None = None,
        locked: Sequence[str] | None = None,
        gravity_scale: float | None = None,
        damping: tuple[float, float] | None = None,
        tag: int | None = None,
    ) -> None:
        """Changes the body from the next step on, and wakes it; None keeps a value.

        `type` is "static", "kinematic" or "dynamic". A body that is not `enabled` takes no part. `locked` names
        the world axes along and about which it does not move, of linear_x to angular_z. `gravity_scale` is
        within +-1000, `damping` two numbers in [0, 1000] 1/s, linear and angular.
        """
        change = body_change(type, enabled, locked, gravity_scale, damping, tag)
        check(lib.takt_world_change_body(self.world._value, self.id, byref(change)))

    def set_target(self, position: ArrayLike, rotation: ArrayLike = (0, 0, 0, 1)) -> None:
        """Moves a kinematic body to a pose within the next step; it pushes what is in its way."""
        p, q = three(position, "position"), queries.numbers(rotation, (4,), "rotation")
        check(lib.takt_world_set_target(self.world._value, self.id, address(p), address(q)))

    def tune(self, **values: float) -> None:
        """Changes the tuning of a mover: max_slope (rad), step_height, stick_distance, skin (m), max_speed,
        jump_speed, max_fall_speed, recovery_speed (m/s), acceleration, air_acceleration (m/s^2),
        gravity_scale, push_force (N), mass (kg). docs/MOVER.md has their ranges."""
        tuning = mover_tuning(values)
        check(lib.takt_world_tune_mover(self.world._value, self.id, byref(tuning)))

    def destroy(self) -> None:
        """Destroys the body and its joints."""
        self.world._forget_arrays()  # also when Ctrl-C ends the call
        check(lib.takt_world_despawn(self.world._value, self.id))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and (other.world, other.id) == (self.world, self.id)

    def __hash__(self) -> int:
        return hash((id(self.world), self.id))

    def __repr__(self) -> str:
        return f"<takt.Body {self.id}>"
