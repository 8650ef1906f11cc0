"""Batches: n worlds of one scene that step together."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Sequence
from weakref import WeakValueDictionary

import numpy as np

from . import _abi, queries
from ._arguments import U32, U64, address, lane_count, thread_count, whole
from ._library import Handle, check, lib, read_key, sized
from ._progress import in_pieces
from .arrays import Array, ArrayFields, view_of
from .queries import ArrayLike
from .scene import Scene, SceneLike
from .world import Snapshot, World, numbers_mode


class BatchWorld(ArrayFields):
    """n worlds of a scene on a pool of threads. Threads, n and the place in the batch change no bit.

    Arrays have a first axis of worlds, and room for the bodies of the largest one; rows past the end of a
    smaller world are 0. `where` is a mask of n bools or a list of indices; None selects all worlds.
    """

    def __init__(
        self, scene: SceneLike, n: int, *, numbers: str = "float", threads: int = 1, lanes: int = 0
    ) -> None:
        loaded = Scene.of(scene)
        options = sized(_abi.takt_batch_options)
        options.numbers = numbers_mode(numbers)
        n, threads, lanes = whole(n, 1, 65536, "n"), thread_count(threads), lane_count(lanes)
        options.world_count, options.threads, options.lanes = n, threads, lanes
        out = c_void_p()
        check(lib.takt_batch_create(loaded._handle.value, byref(options), byref(out)))
        self._adopt(Handle(out.value or 0, lib.takt_batch_destroy), loaded, n, threads, lanes)

    def _adopt(
        self, handle: Handle, scene: Scene, n: int, threads: int, lanes: int, keeper: Any = None
    ) -> BatchWorld:
        self._handle = handle
        self._value = handle.value
        self._scene = scene
        self._n = n
        self._threads = threads
        self._lanes = lanes
        self._keeper = keeper  # the service of the batch
        self._arrays: dict[int, Array] = {}
        self._worlds: WeakValueDictionary[int, World] = WeakValueDictionary()  # a World has its batch
        return self

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: int) -> World:
        """One world of the batch, with all that a World has. It keeps the batch alive."""
        i = range(self._n)[index]
        world = self._worlds.get(i)
        if world is None:
            out = c_void_p()
            check(lib.takt_batch_world(self._value, i, byref(out)))
            borrowed = Handle(out.value or 0, lambda value: None)
            world = World.__new__(World)._adopt(borrowed, self._scene, 1, self._lanes, self)
            self._worlds[i] = world
        return world

    def _make_array(self, field: int) -> Array:
        array = view_of(lib.takt_batch_array, self._value, field)
        self._arrays[field] = array
        return array

    def _forget_arrays(self) -> None:
        self._arrays.clear()
        for world in self._worlds.values():
            world._arrays.clear()

    def _mask(self, where: ArrayLike | None) -> Array | None:
        if where is None:
            return None
        given = np.asarray(where)
        mask = np.zeros(self._n, np.uint8)
        if given.dtype == bool:
            if given.shape != (self._n,):
                raise ValueError(f"where has the shape {given.shape}, not ({self._n},)")
            mask[:] = given
        elif given.size:
            mask[given] = 1
        return mask

    def step(self, ticks: int = 1, where: ArrayLike | None = None) -> None:
        """Advances the selected worlds by `ticks`, on all threads of the batch."""
        mask = self._mask(where)
        check(lib.takt_batch_step(self._value, whole(ticks, 0, U32, "ticks"), address(mask)))

    def run(self, ticks: int, where: ArrayLike | None = None, *, progress: bool = True) -> None:
        """Steps by `ticks` in pieces of a tenth of a second, and draws a bar of tqdm.

        The bits are those of step(ticks). Error: ImportError without tqdm."""
        total = whole(ticks, 0, U32, "ticks")
        if progress:
            in_pieces(total, lambda count: self.step(count, where))
        else:
            self.step(total, where)

    @property
    def hashes(self) -> Array:
        """State hashes, uint64, (n,)."""
        out = np.zeros(self._n, np.uint64)
        check(lib.takt_batch_hashes(self._value, address(out)))
        return out

    @property
    def is_recording(self) -> Array:
        """The worlds that are recording, bool, (n,)."""
        mask = np.zeros(self._n, bool)
        for i, world in self._worlds.items():  # record() is a method of these alone
            mask[i] = world.is_recording
        return mask

    def capture(self) -> Snapshot:
        """Captures all n worlds."""
        out = c_void_p()
        check(lib.takt_batch_capture(self._value, byref(out)))
        return Snapshot(Handle(out.value or 0, lib.takt_snapshot_destroy))

    @property
    def key(self) -> bytes:
        """Names the batch of a service with leases beyond its connection: Service.attach_batch(key)."""
        return read_key(lib.takt_batch_key, self._value)

    def restore(self, state: Snapshot, where: ArrayLike | None = None) -> None:
        """Rolls the selected worlds back: to their own state of a batch, or all to that of one world."""
        mask = self._mask(where)
        self._forget_arrays()  # also when Ctrl-C ends the call
        check(lib.takt_batch_rollback(self._value, state._handle.value, address(mask)))

    def body(self, name: str) -> Array:
        """Ids of the body of this name in each world, uint64, (n,)."""
        return np.full(self._n, self[0].body[name].id, np.uint64)

    def _bodies(self, bodies: str | Sequence[int] | Array) -> Array:
        if isinstance(bodies, str):
            return self.body(bodies)
        ids = np.asarray(bodies) if isinstance(bodies, np.ndarray) else np.asarray(bodies, object)
        if ids.dtype != np.uint64:  # numpy would cut a number to 64 bits, and a list of large ones to float
            rows = [whole(id, 0, U64, "bodies") for id in ids.flat]
            ids = np.array(rows, np.uint64).reshape(ids.shape)
        return np.ascontiguousarray(np.broadcast_to(ids, (self._n,)))

    def apply_force(
        self,
        bodies: str | Sequence[int] | Array,
        forces: ArrayLike,
        torques: ArrayLike | None = None,
        ticks: int = 1,
        where: ArrayLike | None = None,
    ) -> None:
        """A force (N), (n, 3) or (3,), on one body of each world during the next `ticks` steps.

        Stops at the first world that fails: worlds before it have the force, worlds after it do not."""
        shape = (self._n, 3)
        steps = whole(ticks, 1, 3600, "ticks")
        ids = self._bodies(bodies)
        f = queries.numbers(forces, shape, "forces")
        t = None if torques is None else queries.numbers(torques, shape, "torques")
        mask = self._mask(where)
        check(
            lib.takt_batch_force(self._value, address(ids), address(f), address(t), steps, address(mask))
        )

    def teleport(
        self,
        bodies: str | Sequence[int] | Array,
        positions: ArrayLike | None = None,
        rotations: ArrayLike | None = None,
        linear_velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> None:
        """Sets pose and velocities of one body of each world; None keeps the present values.

        Stops at the first world that fails: worlds before it are changed, worlds after it are not."""

        def rows(values: ArrayLike | None, columns: int, name: str) -> Array | None:
            return None if values is None else queries.numbers(values, (self._n, columns), name)

        ids = self._bodies(bodies)
        p, q = rows(positions, 3, "positions"), rows(rotations, 4, "rotations")
        v, w = rows(linear_velocities, 3, "linear_velocities"), rows(
            angular_velocities, 3, "angular_velocities"
        )
        mask = self._mask(where)
        check(
            lib.takt_batch_teleport(
                self._value, address(ids), address(p), address(q), address(v), address(w), address(mask)
            )
        )

    def __repr__(self) -> str:
        return f"<takt.BatchWorld of {self._n} worlds, {self._threads} threads>"


def rollout(
    scene: SceneLike,
    body: str,
    forces: ArrayLike,
    *,
    start: Snapshot | None = None,
    numbers: str = "float",
    threads: int = 1,
) -> Array:
    """Steps n worlds by T ticks, with the forces (n, T, 3), N, on a named body.

    Returns its states (n, T, 13): position, rotation x y z w, linear and angular velocity after each tick.
    `start` is the state of one world or of n worlds. Equal for any number of threads.
    """
    given = np.asarray(forces, np.float64)
    if given.ndim != 3 or given.shape[2] != 3:
        raise ValueError(f"forces has the shape {given.shape}, not (n, T, 3)")
    n, ticks = given.shape[:2]
    batch = BatchWorld(scene, n, numbers=numbers, threads=threads)
    if start is not None:
        batch.restore(start)
    ids = batch.body(body)
    row = int(np.flatnonzero(batch[0].ids == ids[0])[0])
    states = np.empty((n, ticks, 13))
    for t in range(ticks):
        batch.apply_force(ids, given[:, t])
        batch.step()
        states[:, t, 0:3] = batch.positions[:, row]
        states[:, t, 3:7] = batch.rotations[:, row]
        states[:, t, 7:10] = batch.linear_velocities[:, row]
        states[:, t, 10:13] = batch.angular_velocities[:, row]
    return states
