"""The check of actions against the space of a task."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

from ..arrays import Array


class ActionCheck:
    """Accepts actions that a space contains, in any type of number that converts to the type of the space."""

    def __init__(self, space: gymnasium.Space[Any]) -> None:
        if isinstance(space, Box):
            bounds = space.low, space.high
        elif isinstance(space, Discrete):
            bounds = space.start, space.start + space.n - 1
        elif isinstance(space, MultiDiscrete):
            bounds = space.start, space.start + space.nvec - 1
        elif isinstance(space, MultiBinary):
            bounds = np.zeros(space.shape, np.int8), np.ones(space.shape, np.int8)
        else:
            raise TypeError(
                f"action_space is {type(space).__name__}, not Box, Discrete, MultiDiscrete or MultiBinary"
            )
        self._low, self._high = np.asarray(bounds[0]), np.asarray(bounds[1])
        self._type = np.dtype(space.dtype)

    def check(self, actions: Array, where: Array) -> None:
        """Raises an error for an action of a world of the mask; `actions` has a row for each world."""
        kinds = "biuf" if self._type.kind == "f" else "biu"
        if actions.dtype.kind not in kinds:
            raise TypeError(f"actions are of type {actions.dtype}; the action space has {self._type}")
        compared = actions
        if self._type.kind == "f":  # a bound of float32 admits the float64 that rounds to it
            with np.errstate(over="ignore"):
                compared = actions.astype(self._type)
        good = (compared >= self._low) & (compared <= self._high)  # nan is neither
        good |= ~where.reshape(-1, *[1] * (actions.ndim - 1))
        if good.all():
            return
        at = tuple(int(i) for i in np.argwhere(~good)[0])
        low, high = (np.broadcast_to(bound, actions.shape[1:])[at[1:]] for bound in (self._low, self._high))
        index = "".join(f"[{i}]" for i in at[1:])
        raise ValueError(f"action{index} of world {at[0]} is {actions[at]}, not within [{low}, {high}]")
