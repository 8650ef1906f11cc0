"""n environments of Gymnasium in one batch of worlds."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from ..arrays import Array
from ..batch import BatchWorld
from .episodes import Episodes, seed_number, task_class
from .task import Task

Seed = int | Sequence[int | None] | Array | None


class VectorEnv(GymnasiumVectorEnv[Array, Any, Array]):
    """A task in n worlds, which step together on `threads` threads. Each call returns new arrays.

    World i has a random stream of its own, so its episodes depend on its seed and actions alone: not on n,
    on its place or on threads. Autoreset follows Gymnasium:

    - NEXT_STEP: the step after the end of an episode ignores the action of this world and begins the next
      episode, with reward 0;
    - SAME_STEP: the last step returns the first observation of the next episode, and infos["final_obs"] has
      the last one of the old episode, with the mask infos["_final_obs"];
    - DISABLED: reset(options={"reset_mask": mask}) begins the next episodes of the worlds of the mask.

    A recording of a world holds one episode. A call that would begin the next one raises an error and changes
    nothing. SAME_STEP records no world, because each step may begin an episode.
    """

    def __init__(
        self,
        task: str | type[Task],
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        numbers: str = "float",
        threads: int = 1,
        lanes: int = 0,
        render_mode: str | None = None,
    ) -> None:
        """`task`: a name of takt.gym.TASKS or a subclass of Task. `max_episode_steps`: None is the task's."""
        if render_mode is not None:
            raise ValueError(f"render_mode is {render_mode!r}; environments of takt draw no pictures")
        found = task_class(task)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self._limit = found.max_episode_steps if max_episode_steps is None else max_episode_steps
        self._episodes = Episodes(found, num_envs, numbers=numbers, threads=threads, lanes=lanes)
        self.single_observation_space = found.observation_space
        self.single_action_space = found.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, bool)
        self._ended = np.zeros(num_envs, bool)
        self._generators: list[np.random.Generator] = []
        self._seeds: list[int] = []

    @property
    def batch(self) -> BatchWorld:
        """The worlds, to be read, edited, captured, restored and recorded."""
        return self._episodes.batch

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each world."""
        return tuple(self._generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        return tuple(self._seeds)

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins episodes in all worlds, or in those of options["reset_mask"], bool, (n,).

        World i has the seed `seed` + i, or the i-th of a list or array. Without a seed the random numbers go
        on. A bad argument changes nothing."""
        where = self._reset_mask(options)
        self._episodes.refuse_recording(where, "end the recording before reset()")
        self._seed(seed, where)
        self._episodes.begin(where, self._generators)
        self._ended &= ~where
        return self._episodes.observations(), {}

    def _reset_mask(self, options: dict[str, Any] | None) -> Array:
        if options is None or "reset_mask" not in options:
            return self._all
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError("options['reset_mask'] is not a numpy array of bools")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] has the shape {mask.shape}, not ({self.num_envs},)")
        if not mask.any():
            raise ValueError("options['reset_mask'] selects no world")
        return mask.copy()

    def _seed(self, seed: Seed, where: Array) -> None:
        given: Any = seed
        if given is None or np.ndim(given) == 0:
            first = seed_number(given)
            seeds = [None if first is None else first + i for i in range(self.num_envs)]
        else:
            seeds = [seed_number(one) for one in given]
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed has {len(seeds)} numbers, not {self.num_envs}")
        if not self._generators:
            made = [seeding.np_random(one) for one in seeds]
            self._generators = [generator for generator, _ in made]
            self._seeds = [number for _, number in made]
            return
        for i in np.flatnonzero(where):
            if seeds[i] is not None:
                self._generators[i], self._seeds[i] = seeding.np_random(seeds[i])

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        given = np.asarray(actions)
        if given.shape != self.action_space.shape:
            raise ValueError(f"actions have the shape {given.shape}, not {self.action_space.shape}")
        begins = np.zeros(self.num_envs, bool)
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            begins = self._ended.copy()
            self._episodes.refuse_recording(begins, "end the recording before the step after its episode")
        elif self.autoreset_mode == AutoresetMode.SAME_STEP:
            remedy = "SAME_STEP begins the next in the same step, so use NEXT_STEP or DISABLED"
            self._episodes.refuse_recording(self._all, remedy)
        elif self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            ended = np.flatnonzero(self._ended).tolist()
            raise RuntimeError(
                f"episodes of worlds {ended} have ended: reset them with options['reset_mask']"
            )
        rewards, terminated = self._episodes.step(given, ~begins)
        self._episodes.begin(begins, self._generators)
        truncated = (self._episodes.steps >= self._limit) & ~begins
        self._ended = terminated | truncated
        infos: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            last = self._episodes.observations()
            for i in np.flatnonzero(self._ended):
                infos = self._add_info(infos, {"final_obs": last[i], "final_info": {}}, int(i))
            self._episodes.begin(self._ended, self._generators)
            self._ended = np.zeros(self.num_envs, bool)
        return self._episodes.observations(), rewards, terminated, truncated, infos
