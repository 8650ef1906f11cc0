"""The tasks that come with the package. Their arithmetic rounds equally on each machine (angles.py)."""

from __future__ import annotations

import pathlib

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from ..arrays import Array
from ..batch import BatchWorld
from .angles import angle_about_z, sine_cosine
from .task import Task

_SCENES = pathlib.Path(__file__).parent / "scenes"


def _box(*high: float) -> Box:
    bound = np.array(high, np.float32)
    return Box(-bound, bound, dtype=np.float32)


def _distance(offset: Array) -> Array:
    """Lengths of vectors of two components, (n, 2)."""
    return np.asarray(np.sqrt(offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1]))


def _vectors(n: int, **components: Array | float) -> Array:
    """Vectors (n, 3) of the named components x, y and z; the others are 0."""
    out = np.zeros((n, 3))
    for name, values in components.items():
        out[:, "xyz".index(name)] = values
    return out


class CartPole(Task):
    """Balance a rod on a cart by pushes of 10 N to the left (0) or right (1), 50 times a second.

    Observation: cart position (m) and velocity (m/s), angle of the rod from upright (rad, positive to the
    right) and its rate (rad/s). Reward 1 a step. An episode ends past 2.4 m or 12 degrees. Masses and lengths
    are those of Gymnasium's CartPole-v1.
    """

    scene = str(_SCENES / "cartpole.json")
    max_episode_steps = 500
    observation_space = _box(4.8, np.inf, 2 * 12 * np.pi / 180 * 2, np.inf)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, batch: BatchWorld) -> None:
        super().__init__(batch)
        self._cart, self._pole = self.row("cart"), self.row("pole")

    def sample(self, generator: np.random.Generator) -> Array:
        return generator.uniform(-0.05, 0.05, 4)

    def place(self, samples: Array, where: Array) -> None:
        n = len(self.batch)
        x, speed, angle, rate = samples.T
        sine, cosine = sine_cosine(angle)
        half_sine, half_cosine = sine_cosine(angle / 2)
        rotations = np.zeros((n, 4))
        rotations[:, 2], rotations[:, 3] = -half_sine, half_cosine
        self.batch.teleport(
            "cart", positions=_vectors(n, x=x), linear_velocities=_vectors(n, x=speed), where=where
        )
        self.batch.teleport(
            "pole",
            _vectors(n, x=x + 0.5 * sine, y=0.5 * cosine),
            rotations,
            _vectors(n, x=speed + 0.5 * cosine * rate, y=-0.5 * sine * rate),
            _vectors(n, z=-rate),
            where,
        )

    def act(self, actions: Array, where: Array) -> None:
        forces = _vectors(len(self.batch), x=np.where(actions == 1, 10.0, -10.0))
        self.batch.apply_force("cart", forces, ticks=self.ticks_per_step, where=where)

    def observe(self) -> Array:
        b = self.batch
        return np.stack(
            [
                b.positions[:, self._cart, 0],
                b.linear_velocities[:, self._cart, 0],
                -angle_about_z(b.rotations[:, self._pole]),
                -b.angular_velocities[:, self._pole, 2],
            ],
            axis=1,
        )

    def reward(self, before: Array, actions: Array, states: Array) -> Array:
        return np.ones(len(states))

    def terminated(self, states: Array) -> Array:
        return np.asarray((np.abs(states[:, 0]) > 2.4) | (np.abs(states[:, 2]) > 12 * np.pi / 180))


class Pendulum(Task):
    """Swing a rod up with a torque of at most 2 N m and keep it upright, 20 times a second.

    Observation: cosine and sine of the angle from upright, and its rate (rad/s). Reward: -(angle^2 + 0.1
    rate^2 + 0.001 torque^2). No state ends an episode. Masses and lengths are those of Gymnasium's
    Pendulum-v1, whose rate is limited to 8 rad/s; this one is not.
    """

    scene = str(_SCENES / "pendulum.json")
    ticks_per_step = 3
    max_episode_steps = 200
    observation_space = _box(1, 1, np.inf)
    action_space = _box(2)

    def __init__(self, batch: BatchWorld) -> None:
        super().__init__(batch)
        self._rod = self.row("rod")

    def sample(self, generator: np.random.Generator) -> Array:
        return generator.uniform([-np.pi, -1], [np.pi, 1])

    def place(self, samples: Array, where: Array) -> None:
        n = len(self.batch)
        angle, rate = samples.T
        sine, cosine = sine_cosine(angle)
        half_sine, half_cosine = sine_cosine(angle / 2)
        rotations = np.zeros((n, 4))
        rotations[:, 2], rotations[:, 3] = half_sine, half_cosine
        self.batch.teleport(
            "rod",
            _vectors(n, x=-0.5 * sine, y=0.5 * cosine),
            rotations,
            _vectors(n, x=-0.5 * cosine * rate, y=-0.5 * sine * rate),
            _vectors(n, z=rate),
            where,
        )

    def act(self, actions: Array, where: Array) -> None:
        n = len(self.batch)
        torques = _vectors(n, z=actions[:, 0])
        self.batch.apply_force("rod", np.zeros((n, 3)), torques, self.ticks_per_step, where)

    def observe(self) -> Array:
        q = self.batch.rotations[:, self._rod]
        z, w = q[:, 2], q[:, 3]
        rate = self.batch.angular_velocities[:, self._rod, 2]
        return np.stack([np.clip(w * w - z * z, -1, 1), np.clip(2 * z * w, -1, 1), rate], axis=1)

    def reward(self, before: Array, actions: Array, states: Array) -> Array:
        # The angle before the step, as in Pendulum-v1. (sin, r + cos) is along (z, w) of its rotation, and so
        # is (r - cos, sin). The larger sum has no cancellation, so a rod that hangs has an angle.
        cosine, sine, rate = before.T
        length = _distance(before[:, :2]) + np.abs(cosine)
        along = np.zeros((len(before), 4))
        along[:, 2], along[:, 3] = np.where(cosine < 0, length, sine), np.where(cosine < 0, sine, length)
        angle, torque = angle_about_z(along), actions[:, 0].astype(np.float64)
        return np.asarray(-(angle * angle + 0.1 * rate * rate + 0.001 * torque * torque))

    def terminated(self, states: Array) -> Array:
        return np.zeros(len(states), bool)


class Pusher(Task):
    """Push a puck to a goal on a table with walls, by forces of at most 8 N on a finger, 20 times a second.

    Observation, each x and z: position and velocity of the finger, position and velocity of the puck,
    position of the goal (m, m/s). Reward: -(distance of puck and goal) - 0.2 (distance of finger and puck)
    - 0.01 |action|^2. An episode ends when the puck is within 0.1 m of the goal.
    """

    scene = str(_SCENES / "pusher.json")
    ticks_per_step = 3
    max_episode_steps = 200
    observation_space = _box(*[np.inf] * 10)
    action_space = _box(1, 1)

    def __init__(self, batch: BatchWorld) -> None:
        super().__init__(batch)
        self._finger, self._puck, self._goal = self.row("finger"), self.row("puck"), self.row("goal")

    def sample(self, generator: np.random.Generator) -> Array:
        # The three columns keep finger, puck and goal apart.
        return generator.uniform([-0.85, -0.8, -0.3, -0.5, 0.4, -0.7], [-0.6, 0.8, 0.1, 0.5, 0.8, 0.7])

    def place(self, samples: Array, where: Array) -> None:
        n = len(self.batch)
        for i, (name, height) in enumerate((("finger", 0.12), ("puck", 0.05), ("goal", 0.01))):
            at = _vectors(n, x=samples[:, 2 * i], y=height, z=samples[:, 2 * i + 1])
            self.batch.teleport(name, at, where=where)

    def act(self, actions: Array, where: Array) -> None:
        push = 8 * actions.astype(np.float64)
        forces = _vectors(len(self.batch), x=push[:, 0], z=push[:, 1])
        self.batch.apply_force("finger", forces, ticks=self.ticks_per_step, where=where)

    def observe(self) -> Array:
        p, v = self.batch.positions, self.batch.linear_velocities
        plane = [0, 2]
        rows = [p[:, self._finger], v[:, self._finger], p[:, self._puck], v[:, self._puck], p[:, self._goal]]
        return np.concatenate([row[:, plane] for row in rows], axis=1)

    def reward(self, before: Array, actions: Array, states: Array) -> Array:
        effort = actions.astype(np.float64)
        cost = 0.01 * (effort[:, 0] * effort[:, 0] + effort[:, 1] * effort[:, 1])
        reach = _distance(states[:, 0:2] - states[:, 4:6])
        return np.asarray(-_distance(states[:, 4:6] - states[:, 8:10]) - 0.2 * reach - cost)

    def terminated(self, states: Array) -> Array:
        return np.asarray(_distance(states[:, 4:6] - states[:, 8:10]) < 0.1)


class Arena(Task):
    """Roll a ball to a goal between pillars, by torques of at most 1 N m, 20 times a second.

    Actions push towards +x and +z. Observation: position, velocity and angular velocity of the ball (x y z
    each; m, m/s, rad/s), and the way to the goal (x and z, m). Reward: the distance that the ball came closer
    to the goal, and 10 at the goal. An episode ends within 0.5 m of the goal, or with -10 below the plate.
    """

    scene = str(_SCENES / "arena.json")
    ticks_per_step = 3
    max_episode_steps = 300
    observation_space = _box(*[np.inf] * 11)
    action_space = _box(1, 1)

    def __init__(self, batch: BatchWorld) -> None:
        super().__init__(batch)
        self._ball, self._goal = self.row("ball"), self.row("goal")

    def sample(self, generator: np.random.Generator) -> Array:
        ball = generator.uniform(-0.8, 0.8, 2)
        # The goal is at one of the four sides, outside of the pillars.
        along, side = generator.uniform(-3, 3), int(generator.integers(4))
        across = 3.0 if side % 2 else -3.0
        return np.array([*ball, *((along, across) if side < 2 else (across, along))])

    def place(self, samples: Array, where: Array) -> None:
        n = len(self.batch)
        self.batch.teleport("ball", _vectors(n, x=samples[:, 0], y=0.25, z=samples[:, 1]), where=where)
        self.batch.teleport("goal", _vectors(n, x=samples[:, 2], y=0.01, z=samples[:, 3]), where=where)

    def act(self, actions: Array, where: Array) -> None:
        n = len(self.batch)
        push = actions.astype(np.float64)
        torques = _vectors(n, x=push[:, 1], z=-push[:, 0])
        self.batch.apply_force("ball", np.zeros((n, 3)), torques, self.ticks_per_step, where)

    def observe(self) -> Array:
        b = self.batch
        ball = b.positions[:, self._ball]
        way = (b.positions[:, self._goal] - ball)[:, [0, 2]]
        moves = [b.linear_velocities[:, self._ball], b.angular_velocities[:, self._ball]]
        return np.concatenate([ball, *moves, way], axis=1)

    def reward(self, before: Array, actions: Array, states: Array) -> Array:
        closer = _distance(before[:, 9:11]) - _distance(states[:, 9:11])
        return np.asarray(closer + 10.0 * self._arrived(states) - 10.0 * self._fell(states))

    def terminated(self, states: Array) -> Array:
        return np.asarray(self._arrived(states) | self._fell(states))

    @staticmethod
    def _arrived(states: Array) -> Array:
        return np.asarray(_distance(states[:, 9:11]) < 0.5)

    @staticmethod
    def _fell(states: Array) -> Array:
        return np.asarray(states[:, 1] < -0.5)


#: Tasks by the name that Env and VectorEnv accept. "takt/<class>-v0" is the id in Gymnasium.
TASKS: dict[str, type[Task]] = {
    "cartpole": CartPole,
    "pendulum": Pendulum,
    "pusher": Pusher,
    "arena": Arena,
}
