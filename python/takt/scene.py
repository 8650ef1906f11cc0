"""Scenes: the bodies, joints and settings of a world at tick 0 (docs/SCENES.md)."""

from __future__ import annotations

import json
import os
from ctypes import byref, c_void_p
from typing import Any, Union

from ._library import Handle, check, lib

SceneLike = Union["Scene", str, "os.PathLike[str]", dict[str, Any]]


class Scene:
    """A loaded scene, which never changes. Worlds of several threads may share it."""

    def __init__(self, source: str, *, is_path: bool = False) -> None:
        """`source` is JSON text, or with `is_path` the path of a scene file."""
        self._source = source
        self._is_path = is_path
        out = c_void_p()
        data = os.fsencode(source) if is_path else source.encode()
        if is_path:
            check(lib.takt_scene_load(data, len(data), byref(out)))
        else:
            check(lib.takt_scene_parse(data, len(data), b"scene", 5, byref(out)))
        self._handle = Handle(out.value or 0, lib.takt_scene_destroy)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scene:
        """Reads a scene file and the files that it names."""
        return cls(os.fspath(path), is_path=True)

    @classmethod
    def of(cls, scene: SceneLike) -> Scene:
        """A Scene as it is, a dict, JSON text (with a brace in it), or a path."""
        if isinstance(scene, Scene):
            return scene
        if isinstance(scene, dict):
            return cls(json.dumps(scene))
        text = os.fspath(scene)
        return cls(text) if "{" in text else cls.load(text)

    def __reduce__(self) -> tuple[Any, ...]:
        # A scene of a file is read again where it is unpickled.
        return (_make_scene, (self._source, self._is_path))

    def __repr__(self) -> str:
        return (
            f"Scene.load({self._source!r})"
            if self._is_path
            else f"<takt.Scene of {len(self._source)} characters>"
        )


def _make_scene(source: str, is_path: bool) -> Scene:
    return Scene(source, is_path=is_path)
