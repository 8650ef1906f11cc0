"""Episodes of a task in the worlds of a batch: what Env and VectorEnv share."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import numpy as np

from ..arrays import Array
from ..batch import BatchWorld
from .actions import ActionCheck
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


def seed_number(value: Any) -> int | None:
    """The seed as an int, which Gymnasium demands; None stays."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"seed is {value!r}, not an integer") from None
    if number < 0:
        raise ValueError(f"seed is {number}, not 0 or more")
    return number


class Episodes:
    """n worlds of a task. A world begins an episode from the state of tick 0 and its own generator alone.

    `steps` and `has_begun` belong to the environment: capture and restore of a world do not include them.
    """

    def __init__(self, task: type[Task], n: int, *, numbers: str, threads: int, lanes: int) -> None:
        self.batch = BatchWorld(task.scene, n, numbers=numbers, threads=threads, lanes=lanes)
        self.task = task(self.batch)
        self._actions = ActionCheck(task.action_space)
        self.states = self.task.observe()  #: after the last begin() or step()
        self.steps = np.zeros(n, np.int64)  #: of the present episodes
        self.has_begun = np.zeros(n, bool)
        self._start = self.batch[0].capture()

    def refuse_recording(self, where: Array, remedy: str) -> None:
        """Raises an error if a world of the mask is recording, because its next episode restores tick 0."""
        recording = self.batch.is_recording & where
        if recording.any():
            worlds = np.flatnonzero(recording).tolist()
            raise RuntimeError(f"worlds {worlds} are recording, and a recording holds one episode: {remedy}")

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
        self.has_begun |= where

    def step(self, actions: Array, where: Array) -> tuple[Array, Array]:
        """Steps the worlds of the mask. Returns rewards and ends, (n,), which are 0 for other worlds."""
        if not self.has_begun.all():
            raise RuntimeError("a world has no episode yet: call reset() before step()")
        self._actions.check(actions, where)
        before = self.task.observe()  # not self.states: the world may have been restored or edited since
        self.task.act(actions, where)
        self.batch.step(self.task.ticks_per_step, where)
        self.states = self.task.observe()
        self.steps[where] += 1
        rewards = np.where(where, self.task.reward(before, actions, self.states), 0.0)
        return rewards, self.task.terminated(self.states) & where

    def observations(self) -> Array:
        """float32, (n, k), a new array."""
        return self.states.astype(np.float32)
