#!/usr/bin/env python3
"""Learns to balance the cartpole with numpy alone, by the cross-entropy method.

32 worlds try one linear policy each: push to the right when weights @ observation > 0. The mean and spread of
the best six give the next 32. No reward is discounted and no gradient is needed. Equal seeds give equal
weights, bit for bit. It needs gymnasium: pip install gymnasium.
"""

import sys
import time

import numpy as np

import takt.gym

CANDIDATES, BEST, GENERATIONS = 32, 6, 20


def lengths_of_episodes(envs, weights, seed):
    """Steps until each world's first episode ends, (n,), with the policy weights[i] in world i."""
    observations, _ = envs.reset(seed=seed)
    lengths = np.zeros(len(weights), int)
    alive = np.ones(len(weights), bool)
    while alive.any():
        actions = ((weights * observations).sum(axis=1) > 0).astype(int)
        observations, _, terminated, truncated, _ = envs.step(actions)
        lengths += alive
        alive &= ~(terminated | truncated)
    return lengths


def learn(seed=0, threads=2):
    """Returns the weights, (4,), and the lengths of 32 episodes that it did not learn from."""
    generator = np.random.default_rng(seed)
    envs = takt.gym.VectorEnv("cartpole", CANDIDATES, threads=threads)
    mean, spread = np.zeros(4), np.ones(4)
    for generation in range(GENERATIONS):
        weights = mean + spread * generator.standard_normal((CANDIDATES, 4))
        lengths = lengths_of_episodes(envs, weights, seed=1000 * generation)
        best = weights[np.argsort(-lengths, kind="stable")[:BEST]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        if np.median(lengths) == 500:
            break
    trial = lengths_of_episodes(envs, np.tile(mean, (CANDIDATES, 1)), seed=1_000_000)
    return mean, trial


if __name__ == "__main__":
    begin = time.perf_counter()
    weights, trial = learn(seed=int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(f"weights {weights}")
    print(f"episodes of {trial.mean():.1f} steps, the shortest {trial.min()}, of 500")
    print(f"{time.perf_counter() - begin:.1f} s")
