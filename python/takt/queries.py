"""Batched queries: rays, shape casts, overlaps and closest points."""

from __future__ import annotations

from ctypes import byref, c_size_t
from dataclasses import dataclass
from typing import Any, Sequence, Union

import numpy as np

from . import _abi
from ._arguments import address
from ._library import TaktError, check, lib
from .arrays import Array

Records = np.ndarray[Any, np.dtype[np.void]]  # structured arrays
ArrayLike = Union[Sequence[Any], Array, float]

QUERY = np.dtype(_abi.takt_query)
ANSWER = np.dtype(_abi.takt_answer)
HIT = np.dtype(_abi.takt_hit)
CONTACT = np.dtype(_abi.takt_contact)
EVENT = np.dtype(_abi.takt_event)

SHAPES = {
    "sphere": _abi.TAKT_SHAPE_SPHERE,
    "capsule": _abi.TAKT_SHAPE_CAPSULE,
    "box": _abi.TAKT_SHAPE_BOX,
    "cylinder": _abi.TAKT_SHAPE_CYLINDER,
    "cone": _abi.TAKT_SHAPE_CONE,
}


@dataclass(frozen=True)
class Hits:
    """The nearest hit of each of n queries. Rows without a hit are 0, with `fraction` 1."""

    found: Array  #: bool, (n,)
    body: Array  #: uint64, (n,)
    position: Array  #: on the surface, m, (n, 3)
    normal: Array  #: unit, outward, (n, 3)
    fraction: Array  #: of the translation, [0, 1], (n,)
    distance: Array  #: separation, m, (n,)
    triangle: Array  #: of a mesh, uint32, (n,)


def numbers(values: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Contiguous float64 numbers of a shape, to which `values` are broadcast."""
    try:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(values, np.float64), shape))
    except ValueError:
        raise ValueError(f"{name} has the shape {np.shape(values)}, not {shape}") from None


def shape_parts(shape: str, dimensions: ArrayLike) -> tuple[int, Array]:
    """Number and three dimensions of a shape such as ("box", (0.5, 0.5, 0.5)) or ("sphere", 0.5)."""
    if shape not in SHAPES:
        raise ValueError(f"shape is {shape!r}, not one of {', '.join(SHAPES)}")
    flat = np.atleast_1d(np.asarray(dimensions, np.float64))
    if flat.ndim != 1 or not 1 <= flat.size <= 3:
        raise ValueError("dimensions are 1 to 3 numbers: radius; radius, half length; half extents")
    out = np.zeros(3)
    out[: flat.size] = flat
    return SHAPES[shape], out


def make(kind: int, mode: int, positions: ArrayLike, ignore: int = 0) -> Records:
    """Queries of a kind at n positions, (n, 3)."""
    at = np.atleast_2d(np.asarray(positions, np.float64))
    queries: Records = np.zeros(len(at), QUERY)
    queries["kind"] = kind
    queries["mode"] = mode
    queries["position"] = numbers(at, (len(at), 3), "positions")
    queries["rotation"] = (0, 0, 0, 1)
    queries["ignore"] = ignore
    return queries


def run(world: int, queries: Records) -> tuple[Records, Records]:
    """Answers, one a query, and the hits of all of them (dtypes ANSWER and HIT)."""
    answers: Records = np.zeros(len(queries), ANSWER)
    hits: Records = np.zeros(max(len(queries), 16), HIT)
    while True:
        count = c_size_t()
        check(
            lib.takt_world_query(
                world,
                address(queries),
                len(queries),
                address(answers),
                address(hits),
                len(hits),
                byref(count),
            )
        )
        if count.value <= len(hits):
            break
        hits = np.zeros(count.value, HIT)
    refused = np.flatnonzero(answers["status"])
    if refused.size:
        first = int(refused[0])
        status = int(answers["status"][first])
        raise TaktError(status, f"query {first} was refused: a number is out of range or not finite")
    return answers, hits[: count.value]


def nearest(world: int, queries: Records) -> Hits:
    """Runs queries of the mode "closest"."""
    answers, hits = run(world, queries)
    out: Records = np.zeros(len(queries), HIT)
    out["fraction"] = 1
    out["triangle"] = 0xFFFFFFFF
    out[hits["query"]] = hits
    return Hits(
        answers["found"] != 0,
        out["body"],
        out["position"],
        out["normal"],
        out["fraction"],
        out["distance"],
        out["triangle"],
    )
