"""Conversions of arguments for ctypes, which keeps no array alive."""

from __future__ import annotations

from typing import Any


def address(array: Any) -> Any:
    """The address of an array as an argument that keeps the array alive during the call; None is null.

    Calls run without Python's lock, so an address alone may be that of freed memory."""
    return None if array is None else array.ctypes
