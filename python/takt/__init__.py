"""Takt: deterministic physics. Equal bits on every machine, for any number of threads and worlds.

    import takt
    world = takt.World.load("scene.json")
    world.step(60)
    print(world.positions)

Units are SI, quaternions are x y z w. docs/PYTHON.md is the guide, docs/SCENES.md describes scenes.
"""

from enum import IntEnum

from . import _abi
from ._library import TaktError, lib as _lib
from .batch import BatchWorld, rollout
from .queries import Hits
from .recording import Recording, Verification
from .scene import Scene
from .service import Service, connect, serve
from .world import Body, Joint, Shape, Snapshot, World

__version__: str = _lib.takt_version().decode()


class Event(IntEnum):
    """Values of `kind` in World.events."""

    CONTACT_BEGIN = _abi.TAKT_EVENT_CONTACT_BEGIN
    CONTACT_END = _abi.TAKT_EVENT_CONTACT_END
    HIT = _abi.TAKT_EVENT_HIT
    SENSOR_BEGIN = _abi.TAKT_EVENT_SENSOR_BEGIN
    SENSOR_END = _abi.TAKT_EVENT_SENSOR_END
    QUARANTINED = _abi.TAKT_EVENT_QUARANTINED
    SLEPT = _abi.TAKT_EVENT_SLEPT
    WOKEN = _abi.TAKT_EVENT_WOKEN
    JOINT_BROKEN = _abi.TAKT_EVENT_JOINT_BROKEN


__all__ = [
    "BatchWorld",
    "Body",
    "Event",
    "Hits",
    "Joint",
    "Recording",
    "Scene",
    "Service",
    "Shape",
    "Snapshot",
    "TaktError",
    "Verification",
    "World",
    "__version__",
    "connect",
    "rollout",
    "serve",
]
