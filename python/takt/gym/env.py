"""One environment of Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..arrays import Array
from ..world import World
from .episodes import Episodes, seed_number, task_class
from .task import Task


class Env(gymnasium.Env[Array, Any]):
    """A task in one world. It does not end episodes by time: gymnasium.make("takt/CartPole-v0") does.

    Equal seeds and actions give equal bits on each machine. `world` is the world, to be read, edited,
    captured, restored or recorded. A recording holds one episode: end it before the next reset().
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        task: str | type[Task],
        *,
        numbers: str = "float",
        lanes: int = 0,
        render_mode: str | None = None,
    ) -> None:
        """`task`: a name of takt.gym.TASKS or a subclass of Task."""
        if render_mode is not None:
            raise ValueError(f"render_mode is {render_mode!r}; environments of takt draw no pictures")
        self._episodes = Episodes(task_class(task), 1, numbers=numbers, threads=1, lanes=lanes)
        self.observation_space = self._episodes.task.observation_space
        self.action_space = self._episodes.task.action_space

    @property
    def world(self) -> World:
        return self._episodes.batch[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode of a world that is not recording.

        `seed` starts the random numbers anew; `options` has no effect."""
        self._episodes.refuse_recording(np.ones(1, bool), "end the recording before reset()")
        super().reset(seed=seed_number(seed))
        self._episodes.begin(np.ones(1, bool), [self.np_random])
        return self._episodes.observations()[0], {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Applies an action of the action space. The first step needs a reset() before it."""
        given = np.asarray(action)
        if given.shape != self.action_space.shape:
            raise ValueError(f"the action has the shape {given.shape}, not {self.action_space.shape}")
        rewards, terminated = self._episodes.step(given[np.newaxis], np.ones(1, bool))
        return self._episodes.observations()[0], float(rewards[0]), bool(terminated[0]), False, {}
