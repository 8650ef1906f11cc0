#!/usr/bin/env python3
"""The loop of Gymnasium, over one environment and over 16 worlds at once. It needs gymnasium."""

import gymnasium
import numpy as np

import takt.gym  # registers the environments

env = gymnasium.make("takt/Arena-v0")
observation, info = env.reset(seed=0)
total, steps = 0.0, 0
while True:
    push = np.clip(observation[9:11] - observation[[3, 5]], -1, 1)  # to the goal, against the velocity
    observation, reward, terminated, truncated, info = env.step(push.astype(np.float32))
    total, steps = total + reward, steps + 1
    if terminated or truncated:
        break
print(f"one episode: {steps} steps, return {total:.2f}")

envs = gymnasium.make_vec("takt/CartPole-v0", num_envs=16, threads=2)
observations, infos = envs.reset(seed=0)
ends = 0
for _ in range(200):
    actions = (observations[:, 2] + 0.5 * observations[:, 3] > 0).astype(int)  # towards the fall of the rod
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    ends += int((terminated | truncated).sum())
print(f"16 worlds, 200 steps: {ends} episodes ended")
