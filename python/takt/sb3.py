"""The interface of stable-baselines3 to a takt.gym.VectorEnv. stable-baselines3 is installed separately.

from stable_baselines3 import PPO
import takt.sb3
PPO("MlpPolicy", takt.sb3.VecEnv("cartpole", num_envs=16, threads=2)).learn(100_000)
"""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env.base_vec_env import VecEnv as _Sb3VecEnv

from .arrays import Array
from .gym.task import Task
from .gym.vector_env import VectorEnv


class VecEnv(_Sb3VecEnv):  # type: ignore[misc, unused-ignore]
    """n worlds of a task, with the autoreset of stable-baselines3: a step that ends an episode returns the
    first observation of the next one, and infos[i]["terminal_observation"] has the last one.

    `envs` is the VectorEnv. Attributes and methods of single environments are those of it, once for each
    index; they cannot be set for a part of the worlds.
    """

    render_mode: str | None = None

    def __init__(self, task: str | type[Task], num_envs: int = 1, **options: Any) -> None:
        """Arguments are those of takt.gym.VectorEnv, without autoreset_mode."""
        self.envs = VectorEnv(task, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self._actions: Any = None
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> Array:
        observations, _ = self.envs.reset(seed=self._seeds)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        observations, rewards, terminated, truncated, found = self.envs.step(self._actions)
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [
            {"TimeLimit.truncated": limited} for limited in (truncated & ~terminated).tolist()
        ]
        for i in np.flatnonzero(ended):
            infos[i]["terminal_observation"] = found["final_obs"][i]
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        owner = self if attr_name == "render_mode" else self.envs
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError("an attribute belongs to all worlds: call set_attr without indices")
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: int | Iterable[int] | None = None, **named: Any
    ) -> list[Any]:
        """Calls a method of the VectorEnv once, and returns its result for each index."""
        result = getattr(self.envs, method_name)(*args, **named)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: int | Iterable[int] | None = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]
