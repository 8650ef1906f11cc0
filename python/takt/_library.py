"""Loads libtakt.so and converts its statuses to exceptions."""

from __future__ import annotations

import ctypes
import os
import pathlib
import signal
from typing import Any

from . import _abi


class TaktError(RuntimeError):
    """A refused call. `status` is the number of takt.h; the text names the function and the remedy."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return (TaktError, (self.status, str(self)))


def _load() -> ctypes.CDLL:
    path = os.environ.get("TAKT_LIBRARY") or str(pathlib.Path(__file__).parent / "libtakt.so")
    library = ctypes.CDLL(path)
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = parameters
    if library.takt_abi_version() < _abi.TAKT_BINDING_VERSION:
        raise ImportError(f"{path} is older than the Python package: install them together")
    return library


lib: Any = _load()


def check(status: int) -> None:
    """Raises the error of a call that failed."""
    if status == 0:
        return
    text = lib.takt_last_error().decode("utf-8", "replace")
    if status == _abi.TAKT_ERROR_MEMORY:
        raise MemoryError(text)
    if status == _abi.TAKT_ERROR_STOPPED:  # by Ctrl-C: the handler raises KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)
    raise TaktError(status, text)


def read_key(function: Any, handle: int) -> bytes:
    """The key of a world or batch of a service."""
    key = (ctypes.c_uint8 * _abi.TAKT_KEY_BYTES)()
    check(function(handle, key))
    return bytes(key)


def sized(struct: type) -> Any:
    """A struct of takt.h with its size."""
    value = struct()
    value.size = ctypes.sizeof(struct)
    return value


class Handle:
    """Owns a handle of takt.h and destroys it with itself."""

    __slots__ = ("value", "_destroy", "__weakref__")

    def __init__(self, value: int, destroy: Any) -> None:
        self.value = value
        self._destroy = destroy

    def __del__(self) -> None:
        value, self.value = self.value, 0
        if value:
            self._destroy(value)
