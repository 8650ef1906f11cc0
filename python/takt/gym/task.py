"""A task: the scene, spaces, rewards and ends of episodes, for all worlds of a batch at once.

A task keeps no state: all of it is in the worlds, so that capture and restore include it.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np

from ..arrays import Array
from ..batch import BatchWorld
from ..scene import SceneLike


class Task:
    """The base class. A subclass sets the class variables and defines the methods below.

    `where` is a mask of the worlds, bool, (n,). Arrays have a row for each world, and rows of other worlds
    are ignored. `states` is what observe() returned, float64.
    """

    scene: ClassVar[SceneLike]
    ticks_per_step: ClassVar[int] = 1
    max_episode_steps: ClassVar[int]
    observation_space: ClassVar[gymnasium.spaces.Box]
    action_space: ClassVar[gymnasium.Space[Any]]

    def __init__(self, batch: BatchWorld) -> None:
        self.batch = batch

    def row(self, name: str) -> int:
        """The row of a named body in the arrays of the batch."""
        world = self.batch[0]
        return int(np.flatnonzero(world.ids == np.uint64(world.body[name].id))[0])

    def sample(self, generator: np.random.Generator) -> Array:
        """Random numbers of the start of one episode, (k,). They come from the generator of that world."""
        raise NotImplementedError

    def place(self, samples: Array, where: Array) -> None:
        """Moves bodies of worlds that are back at tick 0, by their samples, (n, k)."""
        raise NotImplementedError

    def act(self, actions: Array, where: Array) -> None:
        """Applies actions of the action space, (n, ...), before the step."""
        raise NotImplementedError

    def observe(self) -> Array:
        """Numbers of the observation space, float64, (n, k), a new array."""
        raise NotImplementedError

    def reward(self, before: Array, actions: Array, states: Array) -> Array:
        """Rewards of a step, (n,), from the states before and after it."""
        raise NotImplementedError

    def terminated(self, states: Array) -> Array:
        """Ends of episodes, bool, (n,)."""
        raise NotImplementedError
