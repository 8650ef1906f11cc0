"""Takt, MuJoCo, PyBullet and Rapier behind one interface.

Settings are the defaults of each, except for gravity along y, friction 0.6, no damping and no sleep.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np
import pybullet
import rapier3d
import takt

from scenes import FRICTION, Body, Scene

Array = np.ndarray


def _quaternion(body: Body) -> tuple[float, float, float, float]:
    return (0.0, 0.0, math.sin(body.angle / 2), math.cos(body.angle / 2))


def takt_scene(scene: Scene, rate: int) -> dict[str, Any]:
    bodies = []
    for i, body in enumerate(scene.bodies):
        shape: dict[str, Any] = {"friction": FRICTION, "density": body.density or 1000.0}
        if body.is_sphere:
            shape["sphere"] = {"radius": body.size}
        else:
            shape["box"] = {"size": [2 * h for h in body.size]}
        bodies.append(
            {
                "name": str(i),
                "type": "dynamic" if body.density else "static",
                "position": list(body.position),
                "euler_degrees": [0, 0, math.degrees(body.angle)],
                "shapes": [shape],
            }
        )
    joints = [{"kind": "point", "a": str(a), "b": str(b), "anchor": list(at)} for a, b, at in scene.joints]
    world = {"gravity": [0, -9.81, 0], "tick_rate_hz": rate, "substeps": 4, "allow_sleep": False}
    return {"world": world, "bodies": bodies, "joints": joints}


class Takt:
    name = "Takt"
    settings = "4 substeps"

    def __init__(self, scene: Scene, rate: int) -> None:
        self.world = takt.World(takt_scene(scene, rate))
        self.static_count = scene.static_count

    def step(self, count: int) -> None:
        self.world.step(count)

    def positions(self) -> Array:
        return self.world.positions[self.static_count :]

    def read(self) -> Any:
        return self.world.positions.copy(), self.world.rotations.copy()

    def save(self) -> Any:
        return self.world.capture()

    def restore(self, state: Any) -> None:
        self.world.restore(state)

    def close(self) -> None:
        pass


def mujoco_xml(scene: Scene, rate: int) -> str:
    def geom(body: Body) -> str:
        size = body.size if body.is_sphere else " ".join(map(str, body.size))
        kind = "sphere" if body.is_sphere else "box"
        return (
            f'<geom type="{kind}" size="{size}" density="{body.density or 1000}" friction="{FRICTION} 0 0"/>'
        )

    def element(i: int, joint: str, position: Any, children: str) -> str:
        x, y, z, w = _quaternion(scene.bodies[i])
        at = " ".join(map(str, position))
        inner = joint + geom(scene.bodies[i]) + children
        return f'<body name="{i}" pos="{at}" quat="{w} {x} {y} {z}">{inner}</body>'

    child = {a: (b, at) for a, b, at in scene.joints}

    def tree(i: int, joint: str, position: Any) -> str:
        children = ""
        if i in child:
            b, at = child[i]
            here = np.array(scene.bodies[b].position)
            ball = f'<joint type="ball" pos="{" ".join(map(str, np.array(at) - here))}"/>'
            children = tree(b, ball, here - np.array(scene.bodies[i].position))
        return element(i, joint, position, children)

    links = {b for _, b, _ in scene.joints}
    roots = [
        tree(i, "<freejoint/>" if body.density else "", body.position)
        for i, body in enumerate(scene.bodies)
        if i not in links
    ]
    return (
        f'<mujoco><option timestep="{1 / rate}" gravity="0 -9.81 0"/>'
        f'<worldbody>{"".join(roots)}</worldbody></mujoco>'
    )


class MuJoCo:
    name = "MuJoCo"
    settings = "Euler, Newton"

    def __init__(self, scene: Scene, rate: int) -> None:
        self.model = mujoco.MjModel.from_xml_string(mujoco_xml(scene, rate))
        self.data = mujoco.MjData(self.model)
        self.static_count = scene.static_count
        self.kind = mujoco.mjtState.mjSTATE_INTEGRATION

    def step(self, count: int) -> None:
        mujoco.mj_step(self.model, self.data, count)

    def positions(self) -> Array:
        mujoco.mj_kinematics(self.model, self.data)  # a step leaves the poses of its begin
        return self.data.xpos[1 + self.static_count :].copy()

    def read(self) -> Any:
        return self.data.xpos.copy(), self.data.xquat.copy()

    def save(self) -> Any:
        state = np.empty(mujoco.mj_stateSize(self.model, self.kind))
        mujoco.mj_getState(self.model, self.data, state, self.kind)
        return state

    def restore(self, state: Any) -> None:
        mujoco.mj_setState(self.model, self.data, state, self.kind)

    def close(self) -> None:
        pass


class PyBullet:
    name = "PyBullet"
    settings = "DIRECT, 50 iterations"

    def __init__(self, scene: Scene, rate: int) -> None:
        self.client = client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(0, -9.81, 0, physicsClientId=client)
        pybullet.setTimeStep(1 / rate, physicsClientId=client)
        ids = []
        for body in scene.bodies:
            if body.is_sphere:
                shape = pybullet.createCollisionShape(
                    pybullet.GEOM_SPHERE, radius=body.size, physicsClientId=client
                )
                volume = 4 / 3 * math.pi * body.size**3
            else:
                shape = pybullet.createCollisionShape(
                    pybullet.GEOM_BOX, halfExtents=body.size, physicsClientId=client
                )
                volume = 8 * math.prod(body.size)
            made = pybullet.createMultiBody(
                body.density * volume, shape, -1, body.position, _quaternion(body), physicsClientId=client
            )
            # Bullet multiplies the two frictions of a contact.
            pybullet.changeDynamics(
                made,
                -1,
                lateralFriction=math.sqrt(FRICTION),
                linearDamping=0,
                angularDamping=0,
                physicsClientId=client,
            )
            ids.append(made)
        for a, b, at in scene.joints:
            anchors = [np.array(at) - np.array(scene.bodies[i].position) for i in (a, b)]
            pybullet.createConstraint(
                ids[a],
                -1,
                ids[b],
                -1,
                pybullet.JOINT_POINT2POINT,
                (0, 0, 0),
                anchors[0].tolist(),
                anchors[1].tolist(),
                physicsClientId=client,
            )
        self.ids = ids[scene.static_count :]

    def step(self, count: int) -> None:
        for _ in range(count):
            pybullet.stepSimulation(physicsClientId=self.client)

    def read(self) -> Any:
        poses = [pybullet.getBasePositionAndOrientation(i, physicsClientId=self.client) for i in self.ids]
        return np.array([pose[0] for pose in poses]), np.array([pose[1] for pose in poses])

    def positions(self) -> Array:
        return self.read()[0]

    def save(self) -> Any:
        return pybullet.saveState(physicsClientId=self.client)

    def restore(self, state: Any) -> None:
        pybullet.restoreState(state, physicsClientId=self.client)

    def close(self) -> None:
        pybullet.disconnect(self.client)


class Rapier:
    name = "Rapier"
    settings = "4 iterations, f32"

    def __init__(self, scene: Scene, rate: int) -> None:
        self.world = world = rapier3d.PhysicsWorld(gravity=(0.0, -9.81, 0.0))
        world.integration_parameters.dt = 1 / rate
        handles = []
        for body in scene.bodies:
            builder = rapier3d.RigidBody.dynamic() if body.density else rapier3d.RigidBody.fixed()
            builder = builder.translation(body.position).rotation((0.0, 0.0, body.angle)).can_sleep(False)
            if body.is_sphere:
                shape = rapier3d.Collider.ball(body.size)
            else:
                shape = rapier3d.Collider.cuboid(*body.size)
            shape = shape.density(body.density or 1000.0).friction(FRICTION)
            added = world.add_body(builder, [shape])
            handles.append(added[0] if isinstance(added, tuple) else added)
        for a, b, at in scene.joints:
            anchors = [tuple((np.array(at) - np.array(scene.bodies[i].position)).tolist()) for i in (a, b)]
            joint = rapier3d.SphericalJoint.builder().local_anchor1(anchors[0]).local_anchor2(anchors[1])
            world.impulse_joints.insert(handles[a], handles[b], joint.build())
        self.handles = handles[scene.static_count :]

    def step(self, count: int) -> None:
        for _ in range(count):
            self.world.step()

    def read(self) -> Any:
        bodies = self.world.rigid_bodies
        poses = [bodies[handle].position for handle in self.handles]
        return poses

    def positions(self) -> Array:
        bodies = self.world.rigid_bodies
        found = [bodies[handle].translation for handle in self.handles]
        return np.array([(v.x, v.y, v.z) for v in found])

    def save(self) -> Any:
        return self.world.snapshot()

    def restore(self, state: Any) -> None:
        restored = self.world.restore(state)
        if restored is not None:
            self.world = restored

    def close(self) -> None:
        pass


ENGINES = (Takt, MuJoCo, PyBullet, Rapier)
