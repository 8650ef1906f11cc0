"""One world: steps, edits, arrays, snapshots, queries and recordings."""

from __future__ import annotations

import contextlib
import ctypes
import os
from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from . import _abi, queries
from ._arguments import U32, U64, address, lane_count, thread_count, whole
from ._library import Handle, TaktError, check, lib, read_key, sized
from ._picture import picture_of
from ._progress import in_pieces
from .arrays import Array, ArrayFields, listed, view_of
from .body import Body
from .definitions import Frame, Shape, joint_def, mover_def, mover_tuning, rope_def, three
from .joint import Joint
from .queries import ArrayLike, Hits, Records
from .scene import Scene, SceneLike

_step = lib.takt_world_step
_ONE = 1
_ONE_TICK = c_uint32(_ONE)

NUMBERS = {"float": _abi.TAKT_NUMBERS_FLOAT, "fixed": _abi.TAKT_NUMBERS_FIXED}


def numbers_mode(name: str) -> int:
    if name not in NUMBERS:
        raise ValueError(f'numbers is {name!r}, not "float" or "fixed"')
    return NUMBERS[name]


class Snapshot:
    """States of a world or a batch in the memory of this process. world.save() gives portable bytes."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def tick(self) -> int:
        tick = c_uint64()
        check(lib.takt_snapshot_info(self._handle.value, byref(tick), None))
        return tick.value

    def __len__(self) -> int:
        """The number of captured worlds."""
        count = c_size_t()
        check(lib.takt_snapshot_info(self._handle.value, None, byref(count)))
        return count.value


class Names:
    """world.body["box"] and world.joint["hinge"]: things of the scene by their name."""

    __slots__ = ("_world", "_find", "_make")

    def __init__(self, world: World, find: Any, make: Callable[[World, int], Any]) -> None:
        self._world = world
        self._find = find
        self._make = make

    def __getitem__(self, name: str) -> Any:
        found = c_uint64()
        data = name.encode()
        status = self._find(self._world._value, data, len(data), byref(found))
        if status == _abi.TAKT_ERROR_NAME:
            raise KeyError(lib.takt_last_error().decode())
        check(status)
        return self._make(self._world, found.value)


class World(ArrayFields):
    """A deterministic world. It is a function of the scene, the numbers mode and the ordered calls alone.

    One thread at a time uses a world; a second one gets an error. Steps do not hold Python's lock.
    """

    def __init__(self, scene: SceneLike, *, numbers: str = "float", threads: int = 1, lanes: int = 0) -> None:
        """`scene`: a Scene, a dict, JSON text or a path. `threads` and `lanes` change no bit."""
        mode = numbers_mode(numbers)
        threads, lanes = thread_count(threads), lane_count(lanes)
        loaded = Scene.of(scene)
        options = sized(_abi.takt_world_options)
        options.numbers, options.threads, options.lanes = mode, threads, lanes
        out = c_void_p()
        check(lib.takt_world_create(loaded._handle.value, byref(options), byref(out)))
        self._adopt(Handle(out.value or 0, lib.takt_world_destroy), loaded, threads, lanes)

    def _adopt(
        self,
        handle: Handle,
        scene: Scene | None,
        threads: int,
        lanes: int,
        batch: Any = None,
        keeper: Any = None,
    ) -> World:
        self._handle = handle
        self._value: Any = c_void_p(handle.value)  # an argument that no call has to make from a number
        self._scene = scene
        self._threads = threads
        self._lanes = lanes
        self._batch = batch
        self._keeper = keeper  # the service of the world
        self._arrays = {}
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str], **options: Any) -> World:
        """The world of a scene file."""
        return cls(Scene.load(path), **options)

    @classmethod
    def from_image(
        cls, image: bytes, scene: Scene | None = None, *, threads: int = 1, lanes: int = 0
    ) -> World:
        """The world of save(). `scene` gives names to bodies and joints."""
        options = sized(_abi.takt_world_options)
        threads, lanes = thread_count(threads), lane_count(lanes)
        options.threads, options.lanes = threads, lanes
        out = c_void_p()
        of = None if scene is None else scene._handle.value
        buffer = ctypes.c_char_p(image)
        check(lib.takt_world_from_image(buffer, len(image), of, byref(options), byref(out)))
        handle = Handle(out.value or 0, lib.takt_world_destroy)
        return cls.__new__(cls)._adopt(handle, scene, threads, lanes)

    def _make_array(self, field: int) -> Array:
        array = view_of(lib.takt_world_array, self._value, field)
        self._arrays[field] = array
        return array

    def _forget_arrays(self) -> None:
        # Arrays of another length follow.
        self._arrays.clear()
        if self._batch is not None:
            self._batch._arrays.clear()

    def step(self, ticks: int = 1) -> None:
        """Advances by `ticks`, without Python between them."""
        # A program that looks at each tick calls this most: one tick is neither checked nor converted.
        status = _step(self._value, _ONE_TICK if ticks is _ONE else whole(ticks, 0, U32, "ticks"))
        if status:
            check(status)

    def run(self, ticks: int, *, progress: bool = True) -> Records:
        """Steps by `ticks` in pieces of a tenth of a second, and draws a bar of tqdm.

        Returns the events of all ticks, as `events`, which has those of the last piece. The bits are those of
        step(ticks). Error: ImportError without tqdm."""
        pieces = []

        def piece(count: int) -> None:
            self.step(count)
            pieces.append(self.events)

        total = whole(ticks, 0, U32, "ticks")
        if progress:
            in_pieces(total, piece)
        else:
            piece(total)
        rows: Records = np.concatenate(pieces) if pieces else np.zeros(0, queries.EVENT)
        return rows

    def _info(self) -> Any:
        info = sized(_abi.takt_world_info)
        check(lib.takt_world_get_info(self._value, byref(info)))
        return info

    @property
    def tick(self) -> int:
        return int(self._info().tick)

    @property
    def numbers(self) -> str:
        """ "float" or "fixed"."""
        return "fixed" if self._info().numbers == _abi.TAKT_NUMBERS_FIXED else "float"

    @property
    def tick_rate(self) -> int:
        """Ticks a second."""
        return int(self._info().tick_rate_hz)

    @property
    def gravity(self) -> tuple[float, float, float]:
        """m/s^2."""
        x, y, z = self._info().gravity
        return x, y, z

    @property
    def body_count(self) -> int:
        return int(self._info().body_count)

    @property
    def hash(self) -> int:
        """The state hash, as `takt run` prints it."""
        out = c_uint64()
        check(lib.takt_world_hash(self._value, byref(out)))
        return out.value

    @property
    def body(self) -> Names:
        """Bodies by name: world.body["box"]."""
        return Names(self, lib.takt_world_find_body, Body)

    @property
    def joint(self) -> Names:
        """Joints by name."""
        return Names(self, lib.takt_world_find_joint, Joint)

    @property
    def bodies(self) -> list[Body]:
        """All living bodies, in the order of the arrays' rows."""
        return [Body(self, int(i)) for i in self.ids]

    @property
    def joints(self) -> list[Joint]:
        return [
            Joint(self, int(i)) for i in listed(lib.takt_world_list_joints, self._value, np.dtype(np.uint64))
        ]

    @property
    def ropes(self) -> list[int]:
        """Ids of the ropes."""
        return [int(i) for i in listed(lib.takt_world_list_ropes, self._value, np.dtype(np.uint64))]

    def cut_rope(self, rope: int, segment: int) -> None:
        """Cuts a rope between node `segment` and the next."""
        id, node = whole(rope, 0, U64, "rope"), whole(segment, 0, U32, "segment")
        check(lib.takt_world_cut_rope(self._value, id, node))

    def create_rope(
        self,
        start: ArrayLike = (0, 0, 0),
        end: ArrayLike = (0, -1, 0),
        nodes: int = 16,
        *,
        points: ArrayLike | None = None,
        segment_length: float = 0.0,
        radius: float = 0.02,
        mass: float = 1.0,
        linear_density: float = 0.0,
        compliant: bool = False,
        passes: int = 4,
        stiffness: float = 1.0,
        compliance: float = 1e-6,
        damping: float = 0.0,
        drag: float = 0.2,
        gravity_scale: float = 1.0,
        friction: float = 0.6,
        collides: bool = True,
        collides_with_pinned: bool = False,
        can_sleep: bool = True,
        filter: tuple[int, int, int] | None = None,
        tag: int = 0,
    ) -> int:
        """Creates a rope and returns its id: `nodes` nodes on a line from `start` to `end`, m, or at `points`,
        (n, 3). docs/ROPES.md has the meaning and range of each number; `filter` as in Shape.change()."""
        values = dict(
            segment_length=segment_length,
            radius=radius,
            mass=mass,
            linear_density=linear_density,
            compliant=bool(compliant),
            passes=whole(passes, 1, 64, "passes"),
            stiffness=stiffness,
            compliance=compliance,
            damping=damping,
            drag=drag,
            gravity_scale=gravity_scale,
            friction=friction,
            collides=bool(collides),
            collides_with_pinned=bool(collides_with_pinned),
            can_sleep=bool(can_sleep),
            filter=filter,
            tag=whole(tag, 0, U64, "tag"),
        )
        rows = None
        if points is not None:
            nodes = np.shape(points)[0] if np.ndim(points) == 2 else 2
            rows = queries.numbers(points, (nodes, 3), "points")
        made = rope_def(start, end, nodes, values)
        out = c_uint64()
        check(lib.takt_world_create_rope(self._value, byref(made), address(rows), byref(out)))
        return out.value

    def destroy_rope(self, rope: int) -> None:
        check(lib.takt_world_destroy_rope(self._value, whole(rope, 0, U64, "rope")))

    def set_rope_length(self, rope: int, segment_length: float) -> None:
        """Sets the rest length of each segment, m, as a winch does."""
        check(lib.takt_world_rope_length(self._value, whole(rope, 0, U64, "rope"), segment_length))

    def pin_rope(
        self, rope: int, node: int, body: Body | None = None, point: ArrayLike | None = None
    ) -> None:
        """Pins a node to a point of a body (its frame, None = its origin), or of the world without a body (None
        = where the node is)."""
        id, at = whole(rope, 0, U64, "rope"), whole(node, 0, U32, "node")
        p = None if point is None else three(point, "point")
        check(lib.takt_world_pin_rope(self._value, id, at, body.id if body else 0, address(p)))

    def unpin_rope(self, rope: int, node: int) -> None:
        id, at = whole(rope, 0, U64, "rope"), whole(node, 0, U32, "node")
        check(lib.takt_world_unpin_rope(self._value, id, at))

    def create_mover(
        self,
        position: ArrayLike,
        heading: float = 0.0,
        *,
        radius: float = 0.4,
        half_length: float = 0.5,
        friction: float = 0.6,
        restitution: float = 0.0,
        filter: tuple[int, int, int] | None = None,
        tag: int = 0,
        **tuning: float,
    ) -> Body:
        """Creates a mover: a character, an upright capsule on a kinematic body of its own (docs/MOVER.md).

        `position` is that of the capsule's centre, m, each within +-5e8. `heading` is rad about +y, within
        +-1000; 0 looks along +z. `radius` and `half_length` (of the axis without the caps) are in [0.005,
        100] m, `friction` in [0, 100] and `restitution` in [0, 1] of the capsule, `filter` as in
        Shape.change(); the default meets all shapes. `tuning` has the names and units of Body.tune():
        create_mover((0, 1, 0), max_speed=3). Body.move() moves it, Body.destroy() destroys it with its body.
        Errors: ValueError for the name of a tuning, TaktError for a number out of its range.
        """
        values = dict(
            heading=heading,
            radius=radius,
            half_length=half_length,
            friction=friction,
            restitution=restitution,
            filter=filter,
            tag=whole(tag, 0, U64, "tag"),
        )
        made, tuned = mover_def(position, values), mover_tuning(tuning)
        out = c_uint64()
        self._forget_arrays()  # also when Ctrl-C ends the call
        check(lib.takt_world_create_mover(self._value, byref(made), byref(tuned), byref(out)))
        return Body(self, out.value)

    def create_joint(
        self,
        kind: str,
        a: Body,
        b: Body,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        *,
        locked: Sequence[str] | None = None,
        linear: tuple[float, float] | None = None,
        angular: tuple[float, float] | None = None,
        max_force: float | None = None,
        max_torque: float | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
        length: float | None = None,
        joint_1: Joint | None = None,
        joint_2: Joint | None = None,
        axis_1: str | None = None,
        axis_2: str | None = None,
        ratio: float | None = None,
        ground_a: ArrayLike | None = None,
        ground_b: ArrayLike | None = None,
        collide_connected: bool | None = None,
        enabled: bool | None = None,
        direct: bool | None = None,
        tag: int | None = None,
    ) -> Joint:
        """Creates a joint: "generic", "point", "revolute", "prismatic", "weld", "distance", "angle", "wheel",
        "parallel", "motor", "target", "pulley" or "gear" (docs/JOINTS.md).

        Frames and softnesses are as in Joint.change(); the default is the origin of the body. `linear` is also
        the softness of a distance, a suspension or a pulley. `length` (m) is of a distance or pulley, `joint_1`
        to `ratio` are of a gear, `ground_a` and `ground_b` (m, world) of a pulley. Motors, drives, limits and
        friction come from calls of the joint.
        """
        values = dict(
            frame_a=frame_a,
            frame_b=frame_b,
            locked=locked,
            linear=linear,
            angular=angular,
            max_force=max_force,
            max_torque=max_torque,
            break_force=break_force,
            break_torque=break_torque,
            length=length,
            joint_1=None if joint_1 is None else joint_1.id,
            joint_2=None if joint_2 is None else joint_2.id,
            axis_1=axis_1,
            axis_2=axis_2,
            ratio=ratio,
            ground_a=ground_a,
            ground_b=ground_b,
            collide_connected=None if collide_connected is None else bool(collide_connected),
            enabled=None if enabled is None else bool(enabled),
            direct=None if direct is None else bool(direct),
            tag=None if tag is None else whole(tag, 0, U64, "tag"),
        )
        made = joint_def(kind, a.id, b.id, values)
        out = c_uint64()
        check(lib.takt_world_create_joint(self._value, byref(made), byref(out)))
        return Joint(self, out.value)

    def grab(
        self, body: Body, target: ArrayLike, max_force: float, local_point: ArrayLike | None = None
    ) -> None:
        """Pulls a point of a dynamic body (its frame, m) to a target of the world by a spring with at most
        `max_force` N, until release(). A world has one grab at a time."""
        t = three(target, "target")
        p = None if local_point is None else three(local_point, "local_point")
        check(lib.takt_world_grab(self._value, body.id, address(p), address(t), max_force))

    def move_grab(self, target: ArrayLike) -> None:
        """Moves the target of the grab, m."""
        check(lib.takt_world_move_grab(self._value, address(three(target, "target"))))

    def release(self) -> None:
        """Ends the grab; the body keeps its velocities."""
        check(lib.takt_world_release(self._value))

    def spawn(
        self,
        shape: str = "sphere",
        dimensions: ArrayLike = 0.5,
        position: ArrayLike = (0, 0, 0),
        rotation: ArrayLike = (0, 0, 0, 1),
        *,
        linear_velocity: ArrayLike = (0, 0, 0),
        angular_velocity: ArrayLike = (0, 0, 0),
        density: float = 1000.0,
        friction: float = 0.6,
        restitution: float = 0.0,
        tag: int = 0,
    ) -> Body:
        """Creates a dynamic body: "sphere" (radius), "capsule", "cylinder", "cone" (radius, half length),
        "box" (half extents); m and kg/m^3."""
        spawn = sized(_abi.takt_spawn)
        spawn.shape, parts = queries.shape_parts(shape, dimensions)
        spawn.dimensions[:] = parts
        spawn.position[:] = three(position, "position")
        spawn.rotation[:] = queries.numbers(rotation, (4,), "rotation")
        spawn.linear_velocity[:] = three(linear_velocity, "linear_velocity")
        spawn.angular_velocity[:] = three(angular_velocity, "angular_velocity")
        spawn.density, spawn.friction, spawn.restitution = density, friction, restitution
        spawn.tag = whole(tag, 0, U32, "tag")
        out = c_uint64()
        self._forget_arrays()  # also when Ctrl-C ends the call
        check(lib.takt_world_spawn(self._value, byref(spawn), byref(out)))
        return Body(self, out.value)

    # --- state ---
    def capture(self, into: Snapshot | None = None) -> Snapshot:
        """Captures the state in memory, in microseconds; `into` is a snapshot whose memory is reused."""
        if into is not None:
            check(lib.takt_world_capture_into(self._value, into._handle.value))
            return into
        out = c_void_p()
        check(lib.takt_world_capture(self._value, byref(out)))
        return Snapshot(Handle(out.value or 0, lib.takt_snapshot_destroy))

    def save(self) -> bytes:
        """The portable image of the state, for other processes and machines."""
        data, size = c_void_p(), c_size_t()
        check(lib.takt_world_save(self._value, byref(data), byref(size)))
        return ctypes.string_at(data.value or 0, size.value)

    @property
    def key(self) -> bytes:
        """Names the world of a service with leases beyond its connection: Service.attach(). Keep it secret."""
        return read_key(lib.takt_world_key, self._value)

    def restore(self, state: Snapshot | bytes) -> None:
        """Returns to a captured or saved state of equal scene and numbers mode."""
        self._forget_arrays()  # also when Ctrl-C ends the call
        if isinstance(state, Snapshot):
            check(lib.takt_world_rollback(self._value, state._handle.value))
        else:
            check(lib.takt_world_restore(self._value, ctypes.c_char_p(state), len(state)))

    def fork(self) -> World:
        """An independent world with equal state and future."""
        out = c_void_p()
        check(lib.takt_world_fork(self._value, byref(out)))
        handle = Handle(out.value or 0, lib.takt_world_destroy)
        return World.__new__(World)._adopt(
            handle, self._scene, self._threads, self._lanes, keeper=self._keeper
        )

    def __copy__(self) -> World:
        return self.fork()

    def __deepcopy__(self, memo: Any) -> World:
        return self.fork()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.save(), self._scene, self._threads, self._lanes))

    # --- queries ---
    def raycast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: float = 1000.0,
        *,
        ignore: Body | None = None,
    ) -> Hits:
        """The first hit of n rays: (n, 3) or (3,) each; directions need no unit length.

        The distance is fraction x max_distance."""
        made = queries.make(_abi.TAKT_QUERY_RAY, _abi.TAKT_MODE_CLOSEST, origins, ignore.id if ignore else 0)
        made["translation"] = _scaled(directions, len(made), max_distance)
        return queries.nearest(self._value, made)

    def shapecast(
        self,
        shape: str,
        dimensions: ArrayLike,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: float = 1000.0,
        *,
        rotation: ArrayLike = (0, 0, 0, 1),
        ignore: Body | None = None,
    ) -> Hits:
        """The first hit of a shape (as in spawn) along n directions."""
        made = queries.make(_abi.TAKT_QUERY_CAST, _abi.TAKT_MODE_CLOSEST, origins, ignore.id if ignore else 0)
        made["translation"] = _scaled(directions, len(made), max_distance)
        made["shape"], made["dimensions"] = queries.shape_parts(shape, dimensions)
        made["rotation"] = queries.numbers(rotation, (len(made), 4), "rotation")
        return queries.nearest(self._value, made)

    def closest(self, points: ArrayLike, max_distance: float, *, ignore: Body | None = None) -> Hits:
        """The nearest point of any shape to each of n points, within `max_distance`, m."""
        made = queries.make(
            _abi.TAKT_QUERY_CLOSEST, _abi.TAKT_MODE_CLOSEST, points, ignore.id if ignore else 0
        )
        made["max_distance"] = max_distance
        return queries.nearest(self._value, made)

    def overlap(
        self, shape: str, dimensions: ArrayLike, positions: ArrayLike, *, rotation: ArrayLike = (0, 0, 0, 1)
    ) -> Records:
        """All shapes that a shape overlaps at n positions.

        A structured array with `query`, `body`, `position`, `normal`, `distance` and others."""
        made = queries.make(_abi.TAKT_QUERY_OVERLAP, _abi.TAKT_MODE_ALL, positions)
        made["shape"], made["dimensions"] = queries.shape_parts(shape, dimensions)
        made["rotation"] = queries.numbers(rotation, (len(made), 4), "rotation")
        return queries.run(self._value, made)[1]

    @property
    def contacts(self) -> Records:
        """Contact points of the last step: a structured array with `body_a`, `body_b`, `position`, `normal`,
        `impulse` and `separation`."""
        rows: Records = listed(lib.takt_world_contacts, self._value, queries.CONTACT)
        return rows

    @property
    def events(self) -> Records:
        """Events of the last step(), of all its ticks: a structured array with `tick`, `kind` (takt.Event),
        `body_a`, `body_b` and others."""
        rows: Records = listed(lib.takt_world_events, self._value, queries.EVENT)
        return rows

    def picture(
        self,
        size: tuple[int, int] = (1280, 720),
        *,
        camera: Sequence[float] | None = None,
        theme: str = "light",
        program: str | None = None,
    ) -> bytes:
        """A picture of the present state as the viewer shows it: bytes of a PNG. Takes seconds.

        `size` is in pixels. `camera` is six numbers: eye and target, m; None = the scene's, or one that shows
        everything. `theme` is "light" or "dark". `program` is the path of takt, whose `takt shot` draws with
        node, Chromium and the built viewer. Errors: FileNotFoundError without takt, RuntimeError with the line
        of takt shot. Nothing of the world changes."""
        copy = World.from_image(self.save(), self._scene)
        return picture_of(copy, size, camera, theme, program)

    # --- recordings ---
    @property
    def is_recording(self) -> bool:
        """Steps and edits go into a file: the block of record() has not ended."""
        return bool(self._info().is_recording)

    @contextlib.contextmanager
    def record(self, path: str | os.PathLike[str]) -> Iterator[World]:
        """Records each step and edit into a file, which `takt replay verify` checks."""
        data = os.fsencode(path)
        check(lib.takt_world_record(self._value, data, len(data)))
        try:
            yield self
        finally:
            if self.is_recording:
                check(lib.takt_world_record_stop(self._value))

    def __repr__(self) -> str:
        info = self._info()
        return f"<takt.World tick {info.tick}, {info.body_count} bodies, {self.numbers}>"


def _scaled(directions: ArrayLike, count: int, distance: float) -> Array:
    rows = queries.numbers(directions, (count, 3), "directions")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(lengths > 0):
        raise ValueError("a direction has no length")
    scaled: Array = rows / lengths * distance
    return scaled


def _restored(image: bytes, scene: Scene | None, threads: int, lanes: int) -> World:
    return World.from_image(image, scene, threads=threads, lanes=lanes)


__all__ = ["Body", "Joint", "Shape", "Snapshot", "TaktError", "World"]
