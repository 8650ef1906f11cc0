"""Worlds and batches of a service: `takt service` on this machine or another (docs/SERVICE.md)."""

from __future__ import annotations

import ctypes
import os
import pathlib
import subprocess
import tempfile
import threading
from ctypes import byref, c_char_p, c_void_p
from typing import Any

from . import _abi
from ._arguments import lane_count, thread_count, whole
from ._library import Handle, TaktError, check, interrupt_later, interrupts, lib, sized
from ._program import program_path
from .arrays import view_of
from .batch import BatchWorld
from .scene import Scene, SceneLike
from .world import World, numbers_mode


class Service:
    """A connection to a service. Its worlds and batches have the classes of those in this process.

    A call of a world is one round trip, and one of a batch is another for each of its worlds that is read.
    Arrays in use come back with it, so a read costs none. Worlds end with the connection, which lasts as long
    as this object or one of its worlds. After a fork the child connects again: calls on the connection of its
    parent fail. Ctrl-C ends a call of the main thread that waits for the service with KeyboardInterrupt: a
    step ends between two ticks, another call when it is done, and the worlds stay usable. A second Ctrl-C
    ends the connection.
    """

    def __init__(self, address: str, token: str | bytes = b"") -> None:
        """`address` is "unix:PATH", "tcp:HOST:PORT", or "shm:PATH" for shared memory with the service at
        unix:PATH. `token` is the line of the service's token file."""
        self.address = address
        data, secret = os.fsencode(address), token.encode() if isinstance(token, str) else token
        out = c_void_p()
        check(lib.takt_connect(data, len(data), c_char_p(secret), len(secret), byref(out)))
        self._handle = Handle(out.value or 0, lib.takt_service_destroy)
        self._child: Any = None
        if interrupts.is_stopped:
            stop = lib.takt_stop_on_main_thread
            check(lib.takt_service_set_stop(self._handle.value, stop, byref(interrupts)))

    def _info(self) -> Any:
        info = sized(_abi.takt_service_info)
        check(lib.takt_service_get_info(self._handle.value, byref(info)))
        return info

    @property
    def limits(self) -> dict[str, int]:
        """The limits of the service by their names; a memory_max of 0 is none."""
        info = self._info()
        names = ("worlds_max", "memory_max", "step_ticks_max", "frame_bytes_max", "window", "threads")
        return {name: int(getattr(info, name)) for name in names}

    def world(self, scene: SceneLike, *, numbers: str = "float", lanes: int = 0) -> World:
        """A world of the service. Its `record` writes a file of this process."""
        options = sized(_abi.takt_world_options)
        options.numbers, options.lanes = numbers_mode(numbers), lane_count(lanes)
        loaded, out = Scene.of(scene), c_void_p()
        check(
            lib.takt_service_world(self._handle.value, loaded._handle.value, byref(options), byref(out))
        )
        return World.__new__(World)._adopt(
            Handle(out.value or 0, lib.takt_world_destroy), loaded, 1, options.lanes, keeper=self
        )

    def world_from_image(self, image: bytes, scene: Scene | None = None, *, lanes: int = 0) -> World:
        """The world of World.save(), at the service."""
        options = sized(_abi.takt_world_options)
        options.lanes = lane_count(lanes)
        of, out = None if scene is None else scene._handle.value, c_void_p()
        check(
            lib.takt_service_world_from_image(
                self._handle.value, c_char_p(image), len(image), of, byref(options), byref(out)
            )
        )
        return World.__new__(World)._adopt(
            Handle(out.value or 0, lib.takt_world_destroy), scene, 1, options.lanes, keeper=self
        )

    def batch(
        self, scene: SceneLike, n: int, *, numbers: str = "float", threads: int = 1, lanes: int = 0
    ) -> BatchWorld:
        """n worlds of the service, on at most as many threads as it has."""
        options = sized(_abi.takt_batch_options)
        options.numbers, options.world_count = numbers_mode(numbers), whole(n, 1, 65536, "n")
        options.threads, options.lanes = thread_count(threads), lane_count(lanes)
        loaded, out = Scene.of(scene), c_void_p()
        check(
            lib.takt_service_batch(self._handle.value, loaded._handle.value, byref(options), byref(out))
        )
        handle = Handle(out.value or 0, lib.takt_batch_destroy)
        return BatchWorld.__new__(BatchWorld)._adopt(
            handle, loaded, options.world_count, options.threads, options.lanes, keeper=self
        )

    def attach(self, key: bytes, scene: SceneLike | None = None, *, lanes: int = 0) -> World:
        """Takes over the world of World.key from a connection that was lost, within the lease of the service.

        A connection that still has the world ends. The world has the state after its last answered request.
        `scene` gives names in errors and pickles, as for world_from_image."""
        out = c_void_p()
        check(lib.takt_service_attach_world(self._handle.value, _checked_key(key), byref(out)))
        interrupt_later()  # a world that is taken over is given out all the same
        return World.__new__(World)._adopt(
            Handle(out.value or 0, lib.takt_world_destroy),
            None if scene is None else Scene.of(scene),
            1,
            lane_count(lanes),
            keeper=self,
        )

    def attach_batch(self, key: bytes, scene: SceneLike) -> BatchWorld:
        """Takes over the batch of BatchWorld.key, whose worlds are of the scene."""
        loaded, out = Scene.of(scene), c_void_p()
        check(lib.takt_service_attach_batch(self._handle.value, _checked_key(key), byref(out)))
        interrupt_later()
        handle = Handle(out.value or 0, lib.takt_batch_destroy)
        n = view_of(lib.takt_batch_array, handle.value, _abi.TAKT_BODY_FLAGS).shape[0]
        return BatchWorld.__new__(BatchWorld)._adopt(handle, loaded, n, 1, 0, keeper=self)

    def close(self) -> None:
        """Ends the child of takt.serve(); without one, lets go of the connection."""
        self._handle = Handle(0, lib.takt_service_destroy)
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *of: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<takt.Service {self.address}>"


def _checked_key(key: bytes) -> Any:
    if len(key) != _abi.TAKT_KEY_BYTES:
        raise ValueError(f"a key has {_abi.TAKT_KEY_BYTES} bytes, not {len(key)}")
    return c_char_p(key)


def connect(address: str, token: str | bytes = b"") -> Service:
    """Connects to `takt service` at "unix:PATH", "tcp:HOST:PORT" or "shm:PATH" (shared memory)."""
    return Service(address, token)


_PATIENCE_S = 5.0  # for the end of a child


class _Child:
    """A service of this process's own, in a folder that nobody else may read."""

    def __init__(self, program: str, options: list[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="takt-")
        self.address = f"unix:{pathlib.Path(self._folder.name) / 'service.sock'}"
        self._owner = os.getpid()
        # The child ends with its input, so with this process, and Ctrl-C in a terminal is for this one alone.
        command = [program, "service", "--listen", self.address, "--until-input-ends", *options]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline().startswith("listening"):
            text = self._process.communicate()[1].strip()
            self._folder.cleanup()
            raise RuntimeError(text or f"{program} ended with code {self._process.returncode}")
        for stream in (self._process.stdout, self._process.stderr):  # a full pipe would stop the child
            threading.Thread(target=_drain, args=(stream,), daemon=True).start()

    def end(self) -> None:
        if self._owner != os.getpid():  # a fork's copy of this object; its folder is the parent's too
            self._folder._finalizer.detach()  # type: ignore[attr-defined]
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.end()


def _drain(stream: Any) -> None:
    for _ in stream:
        pass


def serve(
    *,
    threads: int = 1,
    worlds_max: int = 4096,
    memory_max: int | None = None,
    idle_lease: int = 0,
    program: str | None = None,
) -> Service:
    """Starts `takt service` as a child of this process, and connects to it.

    The connection is shared memory where the system has it, and else a Unix socket; `address` has the one in
    use. Another process may connect to the child at `unix:PATH` or `shm:PATH` of that address.
    `memory_max` is in MiB, `idle_lease` in seconds (Service.attach). `program` is the path of takt; the
    default is TAKT_PROGRAM of the environment, or takt of PATH. The child ends with close(), with the block
    of `with`, or with this object."""
    options = ["--threads", str(whole(threads, 1, 64, "threads"))]
    options += ["--worlds-max", str(whole(worlds_max, 1, 1_000_000, "worlds_max"))]
    options += ["--idle-lease", str(whole(idle_lease, 0, 86_400, "idle_lease"))]
    if memory_max is not None:
        options += ["--memory-max", str(whole(memory_max, 1, 16_777_216, "memory_max"))]
    child = _Child(program_path(program), options)
    service = _connected(child.address)
    service._child = child
    return service


def _connected(unix: str) -> Service:
    """A connection through shared memory, or through the socket on a system without memfd or futexes."""
    try:
        return Service("shm:" + unix.partition(":")[2])
    except TaktError as error:
        if error.status != _abi.TAKT_ERROR_UNSUPPORTED:
            raise
    return Service(unix)
