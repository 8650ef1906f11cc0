"""takt.sb3.VecEnv over the real base class of stable-baselines3, without the packages of its learners."""

import importlib
import importlib.util
import pathlib
import sys
import types

import numpy as np
import pytest

pytest.importorskip("gymnasium")
_found = importlib.util.find_spec("stable_baselines3")
if _found is None:
    pytest.skip("stable-baselines3 is missing", allow_module_level=True)

# The package's own __init__ imports torch, whose size no test is worth. These modules stand for it.
_folder = pathlib.Path(_found.submodule_search_locations[0])
for _name in ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"):
    _module = types.ModuleType(_name)
    _module.__path__ = [str(_folder.joinpath(*_name.split(".")[1:]))]
    sys.modules[_name] = _module
sys.modules.setdefault("torch", types.ModuleType("torch"))

import takt.gym  # noqa: E402
import takt.sb3  # noqa: E402


def test_it_is_the_vector_environment_with_the_interface_of_stable_baselines3():
    base = importlib.import_module("stable_baselines3.common.vec_env.base_vec_env").VecEnv
    env = takt.sb3.VecEnv("cartpole", 3, threads=2, max_episode_steps=20)
    assert isinstance(env, base) and env.num_envs == 3 and env.render_mode is None
    assert env.seed(4) == [4, 5, 6]
    same = takt.gym.VectorEnv("cartpole", 3, max_episode_steps=20, autoreset_mode="SameStep")
    assert np.array_equal(env.reset(), same.reset(seed=4)[0])
    ends = {True: 0, False: 0}
    for i in range(60):
        # World 0 falls, and the others are cut by time or fall.
        actions = np.array([1, i % 2, i % 2])
        observations, rewards, dones, infos = env.step(actions)
        expected = same.step(actions)
        assert np.array_equal(observations, expected[0]) and np.array_equal(rewards, expected[1])
        assert rewards.dtype == np.float32 and np.array_equal(dones, expected[2] | expected[3])
        for k in range(3):
            assert ("terminal_observation" in infos[k]) == dones[k]
            if dones[k]:
                assert np.array_equal(infos[k]["terminal_observation"], expected[4]["final_obs"][k])
                assert infos[k]["TimeLimit.truncated"] == (expected[3][k] and not expected[2][k])
                ends[infos[k]["TimeLimit.truncated"]] += 1
    assert ends[True] > 0 and ends[False] > 0


def test_attributes_are_those_of_the_vector():
    env = takt.sb3.VecEnv("pusher", 3)
    assert env.get_attr("num_envs") == [3, 3, 3] and env.get_attr("render_mode", [0, 2]) == [None, None]
    env.set_attr("note", 5)
    assert env.get_attr("note", 1) == [5]
    with pytest.raises(ValueError, match="all worlds"):
        env.set_attr("note", 6, indices=[0])
    env.env_method("reset", seed=3)
    assert env.env_method("close", indices=[0, 2]) == [None, None]
    assert env.env_is_wrapped(object) == [False] * 3
    env.close()
