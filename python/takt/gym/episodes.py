"""Episodes of a task in the worlds of a batch: what Env and VectorEnv share."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from ..arrays import Array
from ..batch import BatchWorld
from .task import Task
from .tasks import TASKS


def task_class(task: str | type[Task]) -> type[Task]:
    if isinstance(task, str):
        if task not in TASKS:
            raise ValueError(
                f"task is {task!r}, not one of {', '.join(TASKS)}, or a subclass of takt.gym.Task"
            )
        return TASKS[task]
    return task


class Episodes:
    """n worlds of a task. A world begins an episode from the state of tick 0 and its own generator alone."""

    def __init__(self, task: type[Task], n: int, *, numbers: str, threads: int, lanes: int) -> None:
        self.batch = BatchWorld(task.scene, n, numbers=numbers, threads=threads, lanes=lanes)
        self.task = task(self.batch)
        self.states = self.task.observe()
        self.steps = np.zeros(n, np.int64)  #: of the present episodes
        self._start = self.batch[0].capture()

    def begin(self, where: Array, generators: Sequence[np.random.Generator]) -> None:
        """Begins episodes in the worlds of the mask."""
        if not where.any():
            return
        first = int(np.flatnonzero(where)[0])
        drawn = self.task.sample(generators[first])
        samples = np.zeros((len(where), len(drawn)))
        samples[first] = drawn
        for i in np.flatnonzero(where)[1:]:
            samples[i] = self.task.sample(generators[i])
        self.batch.restore(self._start, where=where)
        self.task.place(samples, where)
        self.states = self.task.observe()
        self.steps[where] = 0

    def step(self, actions: Array, where: Array) -> tuple[Array, Array]:
        """Steps the worlds of the mask. Returns rewards and ends, (n,), which are 0 for other worlds."""
        before = self.states
        self.task.act(actions, where)
        self.batch.step(self.task.ticks_per_step, where)
        self.states = self.task.observe()
        self.steps[where] += 1
        rewards = np.where(where, self.task.reward(before, actions, self.states), 0.0)
        return rewards, self.task.terminated(self.states) & where

    def observations(self) -> Array:
        """float32, (n, k), a new array."""
        return self.states.astype(np.float32)
