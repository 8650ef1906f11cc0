"""Conversions of arguments for ctypes, which checks no range of an integer and keeps no array alive."""

from __future__ import annotations

import operator
from typing import Any

U32 = 2**32 - 1
U64 = 2**64 - 1


def whole(value: Any, low: int, high: int, name: str) -> int:
    """The integer within [low, high]; ctypes would cut it to its lowest bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, not an integer") from None
    if not low <= number <= high:
        raise ValueError(f"{name} is {number}, not within [{low}, {high}]")
    return number


def thread_count(value: Any) -> int:
    return whole(value, 0, 64, "threads")


def lane_count(value: Any) -> int:
    return whole(value, 0, 16, "lanes")


def address(array: Any) -> Any:
    """The address of an array as an argument that keeps the array alive during the call; None is null.

    Calls run without Python's lock, so an address alone may be that of freed memory."""
    return None if array is None else array.ctypes
