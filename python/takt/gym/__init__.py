"""Environments of Gymnasium: one world (Env), or n worlds in a batch (VectorEnv).

    import gymnasium, takt.gym
    env = gymnasium.make("takt/CartPole-v0")
    envs = gymnasium.make_vec("takt/CartPole-v0", num_envs=64, threads=2)

The package needs gymnasium 1.1 or later, which `pip install gymnasium` gives; takt itself does not.
"""

import gymnasium as _gymnasium

from .env import Env
from .task import Task
from .tasks import TASKS, Arena, CartPole, Pendulum, Pusher
from .vector_env import VectorEnv

for _name, _task in TASKS.items():
    _gymnasium.register(
        f"takt/{_task.__name__}-v0",
        entry_point="takt.gym:Env",
        vector_entry_point="takt.gym:VectorEnv",
        max_episode_steps=_task.max_episode_steps,
        kwargs={"task": _name},
    )

__all__ = ["TASKS", "Arena", "CartPole", "Env", "Pendulum", "Pusher", "Task", "VectorEnv"]
