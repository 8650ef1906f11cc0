"""Read-only numpy views of the arrays of takt.h."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_void_p
from typing import Any

import numpy as np

from . import _abi
from ._arguments import address
from ._library import Handle, check, lib, sized

_TYPES: dict[int, np.dtype[Any]] = {
    _abi.TAKT_TYPE_F64: np.dtype(np.float64),
    _abi.TAKT_TYPE_I64: np.dtype(np.int64),
    _abi.TAKT_TYPE_U64: np.dtype(np.uint64),
    _abi.TAKT_TYPE_U8: np.dtype(np.uint8),
}


Array = np.ndarray[Any, np.dtype[Any]]


def view_of(function: Any, handle: int, field: int) -> Array:
    """An array that shares the memory of takt, and keeps it. `function` is that of a world or a batch."""
    view = sized(_abi.takt_view)
    hold = c_void_p()
    check(function(handle, field, byref(view), byref(hold)))
    keeper = Handle(hold.value or 0, lib.takt_array_destroy)
    dtype = _TYPES[view.type]
    shape = tuple(view.shape[: view.dimensions])
    count = int(np.prod(shape))
    if count == 0:
        empty = np.zeros(shape, dtype)
        empty.flags.writeable = False
        return empty
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(view.data)
    setattr(memory, "_keeper", keeper)  # numpy keeps `memory`, which keeps the hold
    return np.frombuffer(memoryview(memory).toreadonly(), dtype).reshape(shape)


def listed(function: Any, handle: int, dtype: np.dtype[Any], *of: int) -> Any:
    """The rows of a list of takt.h: `of` are arguments of `function` behind the handle."""
    count = c_size_t()
    check(function(handle, *of, None, 0, byref(count)))
    out = np.zeros(count.value, dtype)
    if count.value:
        check(function(handle, *of, address(out), len(out), byref(count)))
    return out


class ArrayFields:
    """The arrays of a world, or of a batch, whose arrays have a first axis of worlds.

    Rows are living bodies in id order. The arrays are read-only. Each step, edit and restore refreshes them,
    those that a variable holds too. When bodies come or go, the property gives an array of another length,
    and a held one keeps its last values. An array may outlive its world.
    """

    _arrays: dict[int, Array]

    def _make_array(self, field: int) -> Array:
        raise NotImplementedError

    def _array(self, field: int) -> Array:
        array = self._arrays.get(field)
        return array if array is not None else self._make_array(field)

    @property
    def ids(self) -> Array:
        """Ids of the bodies, uint64, (rows,)."""
        return self._array(_abi.TAKT_BODY_IDS)

    @property
    def positions(self) -> Array:
        """Positions of the origins, m, (rows, 3)."""
        return self._array(_abi.TAKT_POSITIONS)

    @property
    def positions_raw(self) -> Array:
        """Exact positions, int64, 2**-32 m, (rows, 3)."""
        return self._array(_abi.TAKT_POSITIONS_RAW)

    @property
    def rotations(self) -> Array:
        """Rotations, unit quaternions x y z w, (rows, 4)."""
        return self._array(_abi.TAKT_ROTATIONS)

    @property
    def linear_velocities(self) -> Array:
        """Velocities of the centres of mass, m/s, (rows, 3)."""
        return self._array(_abi.TAKT_LINEAR_VELOCITIES)

    @property
    def angular_velocities(self) -> Array:
        """Angular velocities, rad/s, world axes, (rows, 3)."""
        return self._array(_abi.TAKT_ANGULAR_VELOCITIES)

    @property
    def flags(self) -> Array:
        """uint8, (rows,): 1 asleep, 2 disabled, 4 quarantined; 16 kinematic, 32 dynamic."""
        return self._array(_abi.TAKT_BODY_FLAGS)
