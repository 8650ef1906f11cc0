"""Loads libtakt.so and converts its statuses to exceptions."""

from __future__ import annotations

import _thread
import atexit
import ctypes
import os
import pathlib
import signal
import threading
import time
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


def _watch_interrupts() -> Any:
    """The takt_main_thread_stop of all connections. Its function takes Ctrl-C; only CPython has one."""
    stop = _abi.takt_main_thread_stop()
    python = getattr(ctypes, "pythonapi", None)
    if python is not None:
        # A function of C, because a frame of Python would run Python's handler, whose exception would be lost
        # here. Worlds that end with the interpreter may still call it.
        function = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(python.PyOS_InterruptOccurred)
        for kept in (function, stop):
            python.Py_IncRef(ctypes.py_object(kept))
        stop.is_stopped = ctypes.cast(function, ctypes.c_void_p)
        atexit.register(setattr, stop, "is_stopped", None)
    return stop


interrupts: Any = _watch_interrupts()


def _take_interrupt() -> bool:
    """True once after a Ctrl-C that a waiting call has taken. Its handler is due, on the main thread."""
    if not interrupts.was_stopped or threading.current_thread() is not threading.main_thread():
        return False
    interrupts.was_stopped = 0
    return True


def _interrupt_soon() -> None:
    time.sleep(0.01)
    _thread.interrupt_main()


def interrupt_later() -> None:
    """Lets the handler of a Ctrl-C run that a call has taken, when the frame that called is over."""
    if _take_interrupt():
        _thread.start_new_thread(_interrupt_soon, ())


def check(status: int) -> None:
    """Raises the error of a call that failed."""
    if status == 0:
        return
    text = lib.takt_last_error().decode("utf-8", "replace")
    if _take_interrupt():  # whatever else went wrong; the handler raises KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)
    if status == _abi.TAKT_ERROR_MEMORY:
        raise MemoryError(text)
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
            if interrupts is not None and interrupts.was_stopped:
                interrupt_later()  # an exception would be lost here
