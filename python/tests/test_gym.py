"""Environments of Gymnasium: its own checks, its own loop over single environments, and equal bits."""

import math
import pickle
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import takt  # noqa: E402
import takt.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from takt.gym.angles import angle_about_z, sine_cosine  # noqa: E402

NAMES = list(takt.gym.TASKS)
# Recommendations of the checker about spaces; Gymnasium's own CartPole and Pendulum have both.
ADVICE = ("A Box observation space m", "For Box action spaces, we recommend")


def id_of(name):
    return f"takt/{takt.gym.TASKS[name].__name__}-v0"


def test_sine_and_cosine_are_those_of_the_c_library():
    angles = np.linspace(-2 * math.pi, 2 * math.pi, 10001)
    sine, cosine = sine_cosine(angles)
    assert np.abs(sine - np.sin(angles)).max() < 1e-14
    assert np.abs(cosine - np.cos(angles)).max() < 1e-14
    assert np.array_equal(sine_cosine(np.array([0.0, 1e-9]))[0], [0, 1e-9])


def test_the_angle_of_a_rotation_is_its_arctangent():
    angles = np.linspace(-math.pi, math.pi, 10001)
    rotations = np.zeros((angles.size, 4))
    rotations[:, 2], rotations[:, 3] = np.sin(angles / 2), np.cos(angles / 2)
    assert np.abs(angle_about_z(rotations) - angles).max() < 1e-14
    inner = slice(1, -1)  # at +-pi the sign of the quaternion is the sign of the angle
    assert np.abs(angle_about_z(-rotations[inner]) - angles[inner]).max() < 1e-14


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_gymnasium_passes(name):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        check_env(gymnasium.make(id_of(name)).unwrapped)
    texts = [str(w.message) for w in seen]
    assert [t for t in texts if not any(advice in t for advice in ADVICE)] == []


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_the_loop_of_single_environments(name, mode):
    """Bit for bit Gymnasium's SyncVectorEnv over single environments, with ends by state and by time."""
    n, limit = 5, 40
    loop = SyncVectorEnv(
        [lambda: gymnasium.make(id_of(name), max_episode_steps=limit)] * n, autoreset_mode=mode
    )
    vector = gymnasium.make_vec(
        id_of(name), num_envs=n, max_episode_steps=limit, threads=3, autoreset_mode=mode
    )
    assert vector.metadata["autoreset_mode"] == mode
    assert vector.observation_space == loop.observation_space
    assert vector.action_space == loop.action_space
    seeds = [3, 1, 4, 1, 5]
    assert np.array_equal(vector.reset(seed=seeds)[0], loop.reset(seed=seeds)[0])
    loop.action_space.seed(9)
    ends = 0
    for _ in range(3 * limit):
        actions = loop.action_space.sample()
        expected, given = loop.step(actions), vector.step(actions)
        for a, b in zip(expected[:4], given[:4]):
            assert np.array_equal(a, b) and a.dtype == b.dtype
        assert vector.observation_space.contains(given[0])
        ended = given[2] | given[3]
        ends += int(ended.sum())
        if mode == AutoresetMode.SAME_STEP and ended.any():
            assert np.array_equal(given[4]["_final_obs"], expected[4]["_final_obs"])
            for i in np.flatnonzero(ended):
                assert np.array_equal(given[4]["final_obs"][i], expected[4]["final_obs"][i])
        elif mode == AutoresetMode.DISABLED and ended.any():
            assert given[4] == {}
            masks = [{"reset_mask": ended.copy()} for _ in range(2)]
            first = loop.reset(options=masks[0])[0]
            assert np.array_equal(vector.reset(options=masks[1])[0], first)
    assert ends >= 2 * n


def play(name, n, threads, numbers="float", steps=80):
    envs = takt.gym.VectorEnv(name, n, threads=threads, numbers=numbers, max_episode_steps=30)
    observations = [envs.reset(seed=7)[0]]
    actions = np.random.default_rng(2)
    for _ in range(steps):
        if isinstance(envs.single_action_space, gymnasium.spaces.Discrete):
            drawn = actions.integers(0, 2, 64)
        else:
            drawn = actions.uniform(-1, 1, (64, *envs.single_action_space.shape)).astype(np.float32)
        observations.append(envs.step(drawn[:n])[0])
    return np.array(observations), envs.batch.hashes


@pytest.mark.parametrize("name", NAMES)
def test_neither_threads_nor_n_change_a_bit(name, numbers):
    observations, hashes = play(name, 7, 1, numbers)
    for n, threads in ((7, 2), (7, 3), (20, 8)):
        others, other_hashes = play(name, n, threads, numbers)
        assert np.array_equal(others[:, :7], observations)
        assert np.array_equal(other_hashes[:7], hashes)
    assert len(set(hashes.tolist())) == 7


def test_an_episode_ends_by_state_or_by_time():
    envs = takt.gym.VectorEnv("cartpole", 2, max_episode_steps=500, autoreset_mode="Disabled")
    envs.reset(seed=0)
    for step in range(1, 500):
        observations, rewards, terminated, truncated, _ = envs.step(np.array([1, step % 2]))
        assert rewards.tolist() == [1, 1] and not truncated.any()
        if terminated[0]:
            break
    assert abs(observations[0, 2]) > math.radians(12) and 5 < step < 15
    with pytest.raises(RuntimeError, match=r"worlds \[0\] have ended"):
        envs.step(np.array([1, 1]))


def test_rewards_are_those_of_the_documentation():
    env = takt.gym.Env("pendulum")
    before, _ = env.reset(seed=1)
    _, reward, *_ = env.step(np.array([1.5], np.float32))
    angle = math.atan2(before[1], before[0])
    assert reward == pytest.approx(-(angle**2 + 0.1 * before[2] ** 2 + 0.001 * 1.5**2), abs=1e-5)
    env = takt.gym.Env("arena")
    before, _ = env.reset(seed=1)
    total = 0.0
    for _ in range(200):
        way = before[9:] / np.abs(before[9:]).max()
        before, reward, terminated, _, _ = env.step(way.astype(np.float32) * 0.3)
        total += reward
        if terminated:
            break
    assert terminated and total > 10


def test_a_rod_that_hangs_has_the_reward_of_its_angle():
    """1 + cos is 0 or a rounding error there, which gave nan or the reward of an upright rod."""
    task = takt.gym.Pendulum(takt.BatchWorld(takt.gym.Pendulum.scene, 1))
    none = np.zeros((1, 1), np.float32)
    ulp = 2.0**-24  # a rotation of float is a unit to this part
    for cosine in (-1.0, -1 + ulp, -1 + 2 * ulp, np.nextafter(-1, 0)):
        for sine in (0.0, -0.0, 1e-17, -1e-17, 1e-9, -1e-9):
            reward = task.reward(np.array([[cosine, sine, 0]]), none, none)
            assert reward[0] == pytest.approx(-(math.pi**2), abs=1e-7)
    angles = np.linspace(-math.pi, math.pi, 1001)
    for length in (1.0, 1 - ulp):
        states = np.stack([length * np.cos(angles), length * np.sin(angles), 0 * angles], axis=1)
        rewards = task.reward(states, np.zeros((angles.size, 1), np.float32), none)
        assert np.abs(rewards + angles**2).max() < 1e-13
    env = takt.gym.Env("pendulum")
    env.reset(seed=0)
    env.world.body["rod"].teleport((0, -0.5, 0), (0, 0, 1, 0), (0, 0, 0), (0, 0, 0))
    assert env.step(np.zeros(1, np.float32))[1] == pytest.approx(-(math.pi**2), abs=1e-7)


def test_the_cart_moves_by_its_force():
    """Cart and upright pole: the first step has the acceleration of the equations of the cart and pole."""
    env = takt.gym.Env("cartpole")
    env.reset(seed=0)
    world = env.world
    world.body["cart"].teleport((0, 0, 0), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
    world.body["pole"].teleport((0, 0.5, 0), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
    observation = env.step(1)[0]
    # Barto, Sutton, Anderson (1983) with a box of 1 x 0.05 m instead of a thin rod.
    inertia = 0.1 / 12 * (1 + 0.05**2) + 0.1 * 0.5**2
    acceleration = 10 / (1.1 - (0.1 * 0.5) ** 2 / inertia)
    rate = -0.1 * 0.5 * acceleration / inertia
    # During 0.02 s the angle stays below 0.003 rad, so the linear equations hold to that part.
    assert observation[1] == pytest.approx(acceleration * 0.02, rel=0.005)
    assert observation[3] == pytest.approx(rate * 0.02, rel=0.005)


def test_a_task_of_a_user_is_a_class():
    class Cautious(takt.gym.CartPole):
        max_episode_steps = 10

        def reward(self, before, actions, states):
            return 1 - np.abs(states[:, 0])

    envs = takt.gym.VectorEnv(Cautious, 3)
    envs.reset(seed=0)
    for i in range(10):
        _, rewards, _, truncated, _ = envs.step(np.full(3, i % 2))
        assert np.all(rewards < 1)
    assert truncated.all()


@pytest.mark.parametrize("name", NAMES)
def test_a_state_continues_with_equal_observations_and_rewards(name, numbers):
    env = takt.gym.Env(name, numbers=numbers)
    env.reset(seed=3)
    action = env.action_space.sample()
    env.step(action)

    def go_on():
        results = [env.step(action) for _ in range(20)]
        return [r[0] for r in results], [r[1:3] for r in results]

    start = env.world.capture()
    first = go_on()
    env.world.restore(start)
    again = go_on()
    assert np.array_equal(first[0], again[0]) and first[1] == again[1]
    assert not np.array_equal(first[0][0], first[0][-1])


def test_a_state_of_a_vector_continues_with_equal_rewards():
    envs = takt.gym.VectorEnv("arena", 3)
    envs.reset(seed=3)
    pushes = np.full((3, 2), 0.5, np.float32)
    start = envs.batch.capture()
    first = [envs.step(pushes)[1] for _ in range(10)]
    envs.batch.restore(start)
    again = [envs.step(pushes)[1] for _ in range(5)]
    envs.batch[1].restore(takt.World(takt.gym.Arena.scene).capture())
    assert np.array_equal(first[:5], again)
    rewards = envs.step(pushes)[1]
    assert np.array_equal(rewards[[0, 2]], first[5][[0, 2]])
    assert abs(rewards[1]) < 0.1  # a way of one step from tick 0, not the way back to it


def test_bad_arguments_have_a_clear_error():
    with pytest.raises(ValueError, match="task is 'ant', not one of cartpole"):
        takt.gym.Env("ant")
    with pytest.raises(ValueError, match="draw no pictures"):
        takt.gym.Env("cartpole", render_mode="human")
    with pytest.raises(ValueError, match="draw no pictures"):
        takt.gym.VectorEnv("cartpole", render_mode="human")
    envs = takt.gym.VectorEnv("cartpole", 3)
    with pytest.raises(RuntimeError, match="call reset"):
        envs.step(np.array([0, 0, 0]))
    with pytest.raises(RuntimeError, match="call reset"):
        takt.gym.Env("cartpole").step(0)
    with pytest.raises(ValueError, match="seed has 2 numbers"):
        envs.reset(seed=[1, 2])
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions have the shape \(2,\)"):
        envs.step(np.array([0, 0]))
    with pytest.raises(TypeError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True, False, False]})
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.zeros(2, bool)})
    with pytest.raises(ValueError, match="selects no world"):
        envs.reset(options={"reset_mask": np.zeros(3, bool)})


@pytest.mark.parametrize(
    "name,action,error,text",
    [
        ("cartpole", 7, ValueError, r"action of world 1 is 7, not within \[0, 1\]"),
        ("cartpole", -1, ValueError, r"action of world 1 is -1, not within \[0, 1\]"),
        ("cartpole", 0.9, TypeError, "actions are of type float64; the action space has int64"),
        ("cartpole", None, TypeError, "actions are of type object"),
        ("pendulum", [2.5], ValueError, r"action\[0\] of world 1 is 2.5, not within \[-2.0, 2.0\]"),
        ("pendulum", [math.nan], ValueError, "is nan"),
        ("pendulum", ["1"], TypeError, "actions are of type <U"),
        ("arena", [0.5, -math.inf], ValueError, r"action\[1\] of world 1 is -inf"),
    ],
)
def test_an_action_outside_of_its_space_steps_nothing(name, action, error, text):
    envs = takt.gym.VectorEnv(name, 3)
    envs.reset(seed=0)
    hashes = envs.batch.hashes
    zero = np.zeros(envs.single_action_space.shape, np.int64).tolist()
    with pytest.raises(error, match=text):
        envs.step(np.array([zero, action, zero]))
    assert np.array_equal(envs.batch.hashes, hashes)
    env = takt.gym.Env(name)
    env.reset(seed=0)
    with pytest.raises(error, match=text.replace("world 1", "world 0")):
        env.step(np.array(action))
    assert env.world.hash == hashes[0]


def test_an_action_has_the_shape_of_its_space():
    for name, action in (("pendulum", np.zeros(3)), ("pendulum", 0.0), ("cartpole", [1]), ("arena", [0.5])):
        env = takt.gym.Env(name)
        env.reset(seed=0)
        with pytest.raises(ValueError, match="the action has the shape"):
            env.step(action)


def test_any_type_of_number_in_the_space_is_an_action():
    results = []
    for pushes in (np.float32([[0.5]]), np.float64([[0.5]]), [[0.5]], np.float16([[0.5]])):
        envs = takt.gym.VectorEnv("pendulum", 1)
        envs.reset(seed=0)
        results.append(envs.step(pushes)[1])
    assert np.all(np.array(results) == results[0])
    env = takt.gym.Env("cartpole")
    env.reset(seed=0)
    for action in (1, True, np.int8(1), np.uint64(1), np.array(0)):
        env.step(action)

    class Narrow(takt.gym.Pendulum):
        action_space = gymnasium.spaces.Box(-0.7, 0.7, (1,), np.float32)

    env = takt.gym.Env(Narrow)
    env.reset(seed=0)
    env.step([0.7])  # more than the bound, float32(0.7), in float64
    with pytest.raises(ValueError, match="not within"):
        env.step([np.nextafter(np.float32(0.7), np.float32(1))])


def test_actions_of_all_spaces_of_arrays_are_checked():
    spaces = gymnasium.spaces

    class Two(takt.gym.CartPole):
        action_space = spaces.MultiDiscrete([2, 3])

        def act(self, actions, where):
            super().act(actions[:, 0], where)

    class Bits(Two):
        action_space = spaces.MultiBinary(2)

    class Late(takt.gym.CartPole):
        action_space = spaces.Discrete(2, start=5)

    class Nested(takt.gym.CartPole):
        action_space = spaces.Dict({"push": spaces.Discrete(2)})

    for task, good, bad in ((Two, [1, 2], [2, 1]), (Bits, [1, 1], [0, 2]), (Late, 6, 4)):
        env = takt.gym.Env(task)
        env.reset(seed=0)
        env.step(good)
        with pytest.raises(ValueError, match="not within"):
            env.step(bad)
    with pytest.raises(TypeError, match="action_space is Dict, not Box"):
        takt.gym.Env(Nested)


def test_the_action_of_a_world_that_begins_has_no_effect():
    envs = takt.gym.VectorEnv("pendulum", 2, max_episode_steps=1)
    first = envs.reset(seed=0)[0]
    assert envs.step(np.zeros((2, 1), np.float32))[3].all()
    observations = envs.step(np.full((2, 1), math.nan, np.float32))[0]
    assert np.isfinite(observations).all() and not np.array_equal(observations, first)


def test_a_seed_may_be_any_integer_and_a_bad_one_changes_nothing():
    envs = takt.gym.VectorEnv("pusher", 3)
    first = envs.reset(seed=[1, 2, 3])[0]
    array = np.array([1, 2, 3])
    for seeds in (array, array.astype(object), (np.int8(1), 2, np.uint64(3)), np.array(1)):
        assert np.array_equal(envs.reset(seed=seeds)[0], first)
        assert envs.np_random_seed == (1, 2, 3)
    assert np.array_equal(envs.reset(seed=np.int64(1))[0], first)
    single = takt.gym.Env("pusher")
    assert np.array_equal(single.reset(seed=np.int64(1))[0], first[0])
    second = envs.reset()[0]
    envs.reset(seed=1)
    for seeds, error, text in (
        ([7, -8, 9], ValueError, "seed is -8"),
        ([7, 8.5, 9], TypeError, "seed is 8.5, not an integer"),
        (np.array([7.0, 8.0, 9.0]), TypeError, "not an integer"),
        ("abc", TypeError, "not an integer"),
        (-2, ValueError, "seed is -2"),
        ([7, 8], ValueError, "seed has 2 numbers"),
    ):
        with pytest.raises(error, match=text):
            envs.reset(seed=seeds)
    assert envs.np_random_seed == (1, 2, 3)
    assert np.array_equal(envs.reset()[0], second)
    with pytest.raises(TypeError, match="not an integer"):
        single.reset(seed=1.5)


def test_a_seed_repeats_and_no_seed_goes_on():
    envs = takt.gym.VectorEnv("pusher", 4)
    first = envs.reset(seed=5)[0]
    second = envs.reset()[0]
    assert envs.np_random_seed == (5, 6, 7, 8) and len(envs.np_random) == 4
    assert not np.array_equal(first, second)
    assert np.array_equal(envs.reset(seed=5)[0], first)
    assert np.array_equal(envs.reset()[0], second)
    only = np.array([False, True, False, False])
    third = envs.reset(seed=5, options={"reset_mask": only})[0]
    assert np.array_equal(third[1], first[1]) and np.array_equal(third[[0, 2, 3]], second[[0, 2, 3]])


def test_a_world_of_an_environment_is_recorded(tmp_path):
    env = takt.gym.Env("arena")
    env.reset(seed=1)
    with env.world.record(tmp_path / "episode.takt"):
        for _ in range(10):
            env.step(np.array([0.5, 0.5], np.float32))
    assert takt.Recording(tmp_path / "episode.takt").verify().agrees
    assert pickle.loads(pickle.dumps(env.world)).hash == env.world.hash


def test_a_recording_holds_one_episode(tmp_path):
    env = takt.gym.Env("pusher")
    env.reset(seed=1)
    second = takt.gym.Env("pusher")
    second.reset(seed=1)
    with env.world.record(tmp_path / "single.takt"):
        assert env.world.is_recording
        env.step(np.zeros(2, np.float32))
        hash = env.world.hash
        with pytest.raises(RuntimeError, match=r"worlds \[0\] are recording.*before reset"):
            env.reset(seed=8)
        assert env.world.hash == hash
    assert not env.world.is_recording
    assert np.array_equal(env.reset()[0], second.reset()[0])  # the refused seed had no effect
    assert takt.Recording(tmp_path / "single.takt").verify().agrees


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_an_autoreset_does_not_begin_in_a_recording(mode, tmp_path):
    limit = 5

    def make():
        envs = takt.gym.VectorEnv("pusher", 3, max_episode_steps=limit, autoreset_mode=mode)
        envs.reset(seed=1)
        return envs

    envs, plain = make(), make()
    zero = np.zeros((3, 2), np.float32)

    def refused(call, text):
        hashes = envs.batch.hashes
        with pytest.raises(RuntimeError, match=text):
            call()
        assert np.array_equal(envs.batch.hashes, hashes)

    path = tmp_path / "vector.takt"
    with envs.batch[1].record(path):
        assert envs.batch.is_recording.tolist() == [False, True, False]
        refused(lambda: envs.reset(seed=4), r"worlds \[1\] are recording")
        if mode == AutoresetMode.SAME_STEP:
            refused(lambda: envs.step(zero), r"worlds \[1\] are recording.*use NEXT_STEP or DISABLED")
        else:
            for _ in range(limit):
                assert np.array_equal(envs.step(zero)[0], plain.step(zero)[0])
        if mode == AutoresetMode.NEXT_STEP:
            refused(lambda: envs.step(zero), r"worlds \[1\] are recording")
        elif mode == AutoresetMode.DISABLED:
            mask = np.array([False, True, False])
            refused(lambda: envs.reset(options={"reset_mask": mask}), r"worlds \[1\] are recording")
            others = {"reset_mask": ~mask}
            assert np.array_equal(envs.reset(options=others)[0], plain.reset(options=others)[0])
    assert takt.Recording(path).verify().agrees
    # The environment goes on as one that was never recorded.
    if mode == AutoresetMode.DISABLED:
        mask = np.array([False, True, False])
        assert np.array_equal(
            envs.reset(options={"reset_mask": mask})[0], plain.reset(options={"reset_mask": mask})[0]
        )
    for _ in range(limit):
        assert np.array_equal(envs.step(zero)[0], plain.step(zero)[0])
