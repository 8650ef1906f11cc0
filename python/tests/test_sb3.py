"""takt.sb3.VecEnv over the real base class of stable-baselines3, without the packages of its learners."""

import contextlib
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

import takt.gym  # noqa: E402


def replaced():
    """The modules that stand-ins replace or are imported under, by name."""
    return {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in ("stable_baselines3", "torch") or name == "takt.sb3"
    }


@contextlib.contextmanager
def stand_ins():
    """takt.sb3, imported over stand-ins for the packages; all modules are the old ones afterwards.

    The package's own __init__ imports torch, whose size no test is worth."""
    old = replaced()
    for name in old:
        del sys.modules[name]
    folder = pathlib.Path(_found.submodule_search_locations[0])
    for name in ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"):
        module = types.ModuleType(name)
        module.__path__ = [str(folder.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = module
    sys.modules["torch"] = types.ModuleType("torch")
    try:
        yield importlib.import_module("takt.sb3")
    finally:
        for name in replaced():
            del sys.modules[name]
        sys.modules.update(old)
        vars(takt).pop("sb3", None)  # the attribute that the import made
        if "takt.sb3" in old:
            takt.sb3 = old["takt.sb3"]


@pytest.fixture(scope="module")
def sb3():
    with stand_ins() as module:
        yield module


def test_the_stand_ins_do_not_outlive_the_tests():
    old = replaced()
    assert not any(module.__spec__ is None for module in old.values())  # none since the collection of tests
    with stand_ins():
        assert any(module.__spec__ is None for module in replaced().values())
    assert replaced() == old and ("sb3" in vars(takt)) == ("takt.sb3" in old)


def test_it_is_the_vector_environment_with_the_interface_of_stable_baselines3(sb3):
    base = importlib.import_module("stable_baselines3.common.vec_env.base_vec_env").VecEnv
    env = sb3.VecEnv("cartpole", 3, threads=2, max_episode_steps=20)
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


def test_attributes_are_those_of_the_vector(sb3):
    env = sb3.VecEnv("pusher", 3)
    assert env.get_attr("num_envs") == [3, 3, 3] and env.get_attr("render_mode", [0, 2]) == [None, None]
    env.set_attr("note", 5)
    assert env.get_attr("note", 1) == [5]
    with pytest.raises(ValueError, match="all worlds"):
        env.set_attr("note", 6, indices=[0])
    env.env_method("reset", seed=3)
    assert env.env_method("close", indices=[0, 2]) == [None, None]
    assert env.env_is_wrapped(object) == [False] * 3
    env.close()
