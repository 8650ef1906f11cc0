"""The client takt/service of JavaScript: a script over it has the bits of the same script in this process,
and so have its recordings."""

import json
import math
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import takt
from conftest import SCENE
from test_service import Running

SCRIPT = pathlib.Path(os.environ["TAKT_JS_DIR"]) / "test/support/service_script.mjs"
NODE = shutil.which("node") or shutil.which("nodejs")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    service = Running(tmp_path_factory.mktemp("service"), "--threads", "2")
    yield service
    assert service.stop()[0] == 0


def alone(numbers, path):
    world = takt.World(SCENE, numbers=numbers)
    with world.record(path):
        hashes = edited(world)
        world.step(1300)
    positions = [str(i) for i in world.positions_raw.flat]
    return {"hashes": hashes, "positions": positions, "image": world.save().hex()}


def edited(world):
    box, ball, ann = (world.body[name] for name in ("box", "ball", "ann"))
    slide, hashes = world.joint["slide"], []
    for i in range(60):
        if i == 5:
            spawned = {"density": 500, "friction": 0.4, "restitution": 0.2, "tag": 7}
            box.apply_force((100 * (i % 3), 50, 0), (0, i, 0), 2)
            visitor = world.spawn(
                "capsule",
                (0.2, 0.3),
                (0.3, 5, 0),
                (0, 0.6, 0, 0.8),
                linear_velocity=(0, -1, 0),
                angular_velocity=(0.5, 0, 0),
                **spawned,
            )
        else:
            box.apply_force((100 * (i % 3), 50, 0), (0, i, 0), 2)
        if i % 7 == 3:
            ball.apply_impulse((1, 2.5, -0.3), (0.1, 0.2, 0.3))
        if i % 9 == 4:
            ann.move((1, 0, 0.5), 0.25, in_heading_frame=True, jump=i == 13)
        if i == 10:
            slide.set_drive("linear_x", 1.5, 3, 0.7, 400)
        if i == 20:
            slide.set_drive("linear_x", None)
            slide.set_motor("linear_x", -2, 100)
        if i == 25:
            slide.set_limit("linear_x", -0.5, 1)
            slide.set_friction("linear_x", 3)
        if i == 28:
            slide.change(
                frame_a=((0, 0.3, 0), (0, 0, 0, 1)),
                frame_b=((0, 0, 0), (0, 0.6, 0, 0.8)),
                linear=(8, 0.7),
                locked=("linear_y", "linear_z", "angular_x"),
                max_force=1e6,
                break_force=1e9,
                break_torque=math.inf,
                collide_connected=True,
            )
        if i == 29:
            shape = box.shapes[0]
            rod = world.create_joint("distance", box, ball, length=1.5, linear=(4, 1), break_force=1e9)
            line = world.create_rope(
                points=((6, 3, 0), (6, 2.5, 0), (6, 2, 0)), friction=0.5, filter=(3, 2**32 - 1, 0)
            )
            bob = world.create_mover(
                (-3, 0.92, 3), 0.25, half_length=0.4, filter=(3, 2**32 - 1, 0), tag=11, max_speed=3, mass=60
            )
            slide.change(direct=False, limit=("linear_x", -0.9, 1.1))
            shape.change(filter=(3, 2**32 - 1, -1), friction=0.3, surface_velocity=(0.5, 0, 0))
            shape.change(restitution=0.5)
            visitor.change(type="kinematic", gravity_scale=0.5, damping=(0.1, 0.2), locked=("angular_y",))
            visitor.change(tag=5)
            visitor.set_target((0.3, 5.1, 0), (0, 0.6, 0, 0.8))
            ann.tune(max_speed=3, recovery_speed=2)
            rod.set_friction("distance", 1)
            bob.move((0, 0, 3), in_heading_frame=True)
            world.pin_rope(line, 0)
            world.pin_rope(line, 2, box, (0, 0.5, 0))
            world.set_rope_length(line, 0.75)
            world.grab(box, (1.5, 3, 0.25), 5000, (0.1, 0, 0))
        if i == 30:
            world.cut_rope(world.ropes[0], 2)
            slide.enable(False)
        if i == 33:
            world.move_grab((1.5, 4, 0.25))
            world.unpin_rope(line, 2)
        if i == 34:
            world.release()
            world.destroy_rope(line)
        if i == 35:
            slide.enable()
        if i == 40:
            visitor.destroy()
        if i == 45:
            ball.teleport((0.5, 4, 0.25), (0, 0, 0.6, 0.8), (1, 0, 0), (0, 2, 0))
        if i == 50:
            slide.destroy()
        world.step()
        hashes.append(str(world.hash))
    return hashes


def together(numbers, n, path):
    batch, hashes = takt.BatchWorld(SCENE, n, numbers=numbers), []
    worlds = np.arange(n)
    with batch[n - 1].record(path):
        for i in range(12):
            forces = np.stack([worlds - 3, np.full(n, 10 * i), 0.5 * worlds], axis=1)
            where = (worlds + i) % 3 != 0
            batch.apply_force("ball", forces, where=where)
            batch.step(1 + i % 2, where=None if i % 3 else where)
            hashes.append([str(int(i)) for i in batch.hashes])
        batch[n - 1].step(70)
    return {"hashes": hashes, "positions": [str(i) for i in batch.positions_raw.flat]}


@pytest.mark.parametrize("n", [1, 7, 64])
@pytest.mark.parametrize("door", ["unix", "tcp"])
def test_a_script_of_javascript_has_the_bits_of_this_process(running, numbers, door, n, tmp_path):
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    here, there = folders
    command = [NODE, SCRIPT, getattr(running, door), json.dumps(SCENE), numbers, str(n), there]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    got = json.loads(result.stdout)
    assert got["alone"] == alone(numbers, here / "alone.takt")
    assert got["together"] == together(numbers, n, here / "together.takt")
    assert len(set(got["alone"]["hashes"])) == 60
    for name in ("alone.takt", "together.takt"):
        assert (there / name).read_bytes() == (here / name).read_bytes()
    assert takt.Recording(there / "alone.takt").verify().agrees
    assert sorted(path.name for path in there.iterdir()) == ["alone.takt", "together.takt"]
