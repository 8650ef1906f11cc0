"""Structs of takt.h for edits of what scenes define, and the shapes of bodies."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, Sequence

from . import _abi, queries
from ._arguments import U32, U64, whole
from ._library import check, lib, sized
from .queries import ArrayLike

if TYPE_CHECKING:
    from .world import World

AXES = ("linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z", "distance", "swing")
BODY_TYPES = ("static", "kinematic", "dynamic")
JOINT_KINDS = (
    "generic",
    "point",
    "revolute",
    "prismatic",
    "weld",
    "distance",
    "angle",
    "wheel",
    "parallel",
    "motor",
    "target",
    "pulley",
    "gear",
)
TUNING = tuple(name for name, *_ in _abi.takt_mover_tuning._fields_[2:])

Frame = tuple[ArrayLike, ArrayLike]


def three(values: ArrayLike, name: str) -> Any:
    return queries.numbers(values, (3,), name)


def word(value: str, words: Sequence[str], name: str) -> int:
    """The index of a word."""
    if value not in words:
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(words)}")
    return words.index(value)


def axis_bits(axes: Sequence[str], name: str) -> int:
    bits = 0
    for axis in axes:
        bits |= 1 << word(axis, AXES, f"an axis of {name}")
    return bits


def set_frame(struct: Any, name: str, frame: Frame) -> None:
    """Sets position_a or position_b and the rotation."""
    position, rotation = frame
    getattr(struct, f"position_{name}")[:] = three(position, f"position of frame_{name}")
    getattr(struct, f"rotation_{name}")[:] = queries.numbers(rotation, (4,), f"rotation of frame_{name}")


def set_softness(struct: Any, name: str, softness: tuple[float, float]) -> None:
    frequency, damping_ratio = softness
    setattr(struct, f"{name}_frequency", frequency)
    setattr(struct, f"{name}_damping_ratio", damping_ratio)


def set_filter(struct: Any, filter: tuple[int, int, int], name: str = "filter") -> None:
    category, mask, group = filter
    struct.category = whole(category, 0, U32, f"category of {name}")
    struct.mask = whole(mask, 0, U32, f"mask of {name}")
    struct.group = whole(group, -(2**31), 2**31 - 1, f"group of {name}")


def body_change(
    type: str | None,
    enabled: bool | None,
    locked: Sequence[str] | None,
    gravity_scale: float | None,
    damping: tuple[float, float] | None,
    tag: int | None,
) -> Any:
    change = sized(_abi.takt_body_change)
    if type is not None:
        change.fields |= _abi.TAKT_BODY_TYPE
        change.type = word(type, BODY_TYPES, "type")
    if enabled is not None:
        change.fields |= _abi.TAKT_BODY_ENABLED
        change.enabled = bool(enabled)
    if locked is not None:
        change.fields |= _abi.TAKT_BODY_LOCKED
        change.locked = axis_bits(locked, "locked")
    if gravity_scale is not None:
        change.fields |= _abi.TAKT_BODY_GRAVITY_SCALE
        change.gravity_scale = gravity_scale
    if damping is not None:
        change.fields |= _abi.TAKT_BODY_DAMPING
        change.linear_damping, change.angular_damping = damping
    if tag is not None:
        change.fields |= _abi.TAKT_BODY_TAG
        change.tag = whole(tag, 0, U64, "tag")
    return change


def mover_tuning(values: dict[str, float]) -> Any:
    tuning = sized(_abi.takt_mover_tuning)
    for name, value in values.items():
        tuning.fields |= 1 << word(name, TUNING, "the name of a tuning")
        setattr(tuning, name, value)
    return tuning


def joint_def(kind: str, body_a: int, body_b: int, values: dict[str, Any]) -> Any:
    made = sized(_abi.takt_joint_def)
    check(lib.takt_joint_defaults(1 + word(kind, JOINT_KINDS, "kind"), byref(made)))
    made.body_a, made.body_b = body_a, body_b
    for name, value in values.items():
        if value is None:
            continue
        if name in ("frame_a", "frame_b"):
            set_frame(made, name[-1], value)
        elif name in ("linear", "angular"):
            set_softness(made, name, value)
        elif name == "locked":
            made.locked = axis_bits(value, name)
        elif name in ("axis_1", "axis_2"):
            setattr(made, name, word(value, AXES, name))
        elif name in ("ground_a", "ground_b"):
            getattr(made, name)[:] = three(value, name)
        else:
            setattr(made, name, value)
    return made


def rope_def(start: ArrayLike, end: ArrayLike, nodes: int, values: dict[str, Any]) -> Any:
    made = sized(_abi.takt_rope_def)
    check(lib.takt_rope_defaults(byref(made)))
    made.node_count = whole(nodes, 2, 4096, "nodes")
    made.start[:] = three(start, "start")
    made.end[:] = three(end, "end")
    for name, value in values.items():
        if value is None:
            continue
        if name == "filter":
            set_filter(made, value)
        else:
            setattr(made, name, value)
    return made


def mover_def(position: ArrayLike, values: dict[str, Any]) -> Any:
    made = sized(_abi.takt_mover_def)
    check(lib.takt_mover_defaults(byref(made)))
    made.position[:] = three(position, "position")
    for name, value in values.items():
        if name != "filter":
            setattr(made, name, value)
        elif value is not None:
            set_filter(made, value)
    return made


class Shape:
    """A shape of a body, by its id. It has no state of its own."""

    __slots__ = ("world", "id")

    def __init__(self, world: World, id: int) -> None:
        self.world = world
        self.id = whole(id, 0, U64, "id")

    def change(
        self,
        *,
        filter: tuple[int, int, int] | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        surface_velocity: ArrayLike | None = None,
    ) -> None:
        """Changes the shape from the next step on; None keeps a value.

        `filter` is category bits, mask bits and a group: two shapes collide when each mask has a bit of the
        other's category; shapes of one group always do if it is above 0, never if it is below; 0 = none.
        `friction` is in [0, 100], `restitution` in [0, 1]. `surface_velocity` is m/s in the shape's frame, as
        of a conveyor belt, each within +-1000.
        """
        change = sized(_abi.takt_shape_change)
        if filter is not None:
            change.fields |= _abi.TAKT_SHAPE_FILTER
            set_filter(change, filter)
        if friction is not None:
            change.fields |= _abi.TAKT_SHAPE_FRICTION
            change.friction = friction
        if restitution is not None:
            change.fields |= _abi.TAKT_SHAPE_RESTITUTION
            change.restitution = restitution
        if surface_velocity is not None:
            change.fields |= _abi.TAKT_SHAPE_SURFACE_VELOCITY
            change.surface_velocity[:] = three(surface_velocity, "surface_velocity")
        check(lib.takt_world_change_shape(self.world._value, self.id, byref(change)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and (other.world, other.id) == (self.world, self.id)

    def __hash__(self) -> int:
        return hash((id(self.world), self.id))

    def __repr__(self) -> str:
        return f"<takt.Shape {self.id}>"
