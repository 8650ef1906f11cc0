"""Recordings, and the proof that they compute again."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._arguments import U64, thread_count, whole
from ._library import Handle, check, lib, sized
from .world import World


@dataclass(frozen=True)
class Verification:
    """The result of Recording.verify()."""

    agrees: bool  #: each recorded hash was computed again
    ticks_checked: int
    final_tick: int
    final_hash: int
    mismatch_tick: int | None  #: the first tick that differs


class Recording:
    """A recording file, open for reading."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        data = os.fsencode(path)
        out = c_void_p()
        check(lib.takt_recording_open(data, len(data), byref(out)))
        self._handle = Handle(out.value or 0, lib.takt_recording_destroy)

    def _info(self) -> Any:
        info = sized(_abi.takt_recording_info)
        check(lib.takt_recording_get_info(self._handle.value, byref(info)))
        return info

    @property
    def first_tick(self) -> int:
        return int(self._info().first_tick)

    @property
    def end_tick(self) -> int:
        return int(self._info().end_tick)

    @property
    def input_count(self) -> int:
        """The number of recorded edits."""
        return int(self._info().input_count)

    def verify(self, threads: int = 1) -> Verification:
        """Simulates the recording again and compares each hash."""
        report = sized(_abi.takt_verify_report)
        check(lib.takt_recording_verify(self._handle.value, thread_count(threads), byref(report)))
        none = 2**64 - 1
        mismatch = None if report.mismatch_tick == none else int(report.mismatch_tick)
        return Verification(
            bool(report.agrees), report.ticks_checked, report.final_tick, report.final_hash, mismatch
        )

    def world(self, tick: int, *, threads: int = 1) -> World:
        """The world at a tick from first_tick to end_tick."""
        options = sized(_abi.takt_world_options)
        threads = thread_count(threads)
        options.threads = threads
        out = c_void_p()
        at = whole(tick, 0, U64, "tick")
        check(lib.takt_recording_world(self._handle.value, at, byref(options), byref(out)))
        handle = Handle(out.value or 0, lib.takt_world_destroy)
        return World.__new__(World)._adopt(handle, None, threads, 0)

    def __repr__(self) -> str:
        return f"<takt.Recording, ticks {self.first_tick} to {self.end_tick}>"
