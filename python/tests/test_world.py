"""Worlds: state, arrays, edits, queries, contacts, events and recordings."""

import copy
import gc
import pickle
import re
import resource
import subprocess
import sys
import threading
import types

import numpy as np
import pytest

import takt
import takt.world
from conftest import ROOT, SCENE, play


def test_a_scene_comes_from_a_dict_a_text_or_a_file(tmp_path):
    path = tmp_path / "one.json"
    path.write_text(
        '{ "bodies": [ { "name": "a", "position": [0, 3, 0], "shapes": [ { "sphere": {} } ] } ] }'
    )
    hashes = {
        takt.World(source).hash for source in (path, str(path), path.read_text(), takt.Scene.load(path))
    }
    assert len(hashes) == 1
    with pytest.raises(takt.TaktError, match="scene:1: "):
        takt.World('{ "bodys": [] }')
    with pytest.raises(takt.TaktError, match="cannot be opened"):
        takt.World.load("no such file")
    with pytest.raises(ValueError, match="numbers"):
        takt.World(SCENE, numbers="double")


def test_a_world_is_a_function_of_its_calls(numbers):
    hashes = {
        play(takt.World(SCENE, numbers=numbers, threads=t, lanes=l)) for t in (1, 2, 3) for l in (0, 1, 8)
    }
    assert len(hashes) == 1


def test_saved_captured_forked_pickled_and_copied_worlds_have_the_same_future(world):
    play(world, 12)
    snapshot, image = world.capture(), world.save()
    twins = [
        world.fork(),
        copy.copy(world),
        copy.deepcopy(world),
        pickle.loads(pickle.dumps(world)),
        takt.World.from_image(image),
    ]
    wanted = play(world, 40)
    for twin in twins[:-1]:
        assert play(twin, 40) == wanted
    twins[-1].step(1)  # its names are unknown
    with pytest.raises(KeyError):
        twins[-1].body["box"]
    for state in (snapshot, image):
        world.restore(state)
        assert world.tick == 12
        assert play(world, 40) == wanted
    assert snapshot.tick == 12 and len(snapshot) == 1


def test_an_image_continues_equally_in_a_fresh_process(world):
    play(world, 12)
    program = (
        "import sys, pickle; world = pickle.loads(sys.stdin.buffer.read()); world.step(50); print(world.hash)"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program], input=pickle.dumps(world), capture_output=True, check=True
    )
    world.step(50)
    assert int(done.stdout) == world.hash


def test_arrays_are_fresh_read_only_and_outlive_their_world(world):
    positions, ids, raw = world.positions, world.ids, world.positions_raw
    assert positions.shape == (8, 3) and ids.shape == (8,) and world.rotations.shape == (8, 4)
    assert world.positions is positions
    box = world.body["box"]
    row = int(np.flatnonzero(ids == box.id)[0])
    with pytest.raises(ValueError):
        positions[0, 0] = 1
    with pytest.raises(ValueError):
        positions.flags.writeable = True
    box.teleport((3, 7, 1), linear_velocity=(0, 1, 0))
    assert positions[row].tolist() == [3, 7, 1]
    assert raw[row].tolist() == [3 << 32, 7 << 32, 1 << 32]
    assert box.linear_velocity.tolist() == [0, 1, 0]
    snapshot = world.capture()
    world.step(20)
    assert positions[row, 1] != 7
    assert np.array_equal(positions, world.positions)
    world.restore(snapshot)
    assert positions[row].tolist() == [3, 7, 1]
    assert np.array_equal(positions, world.positions)
    world.spawn(position=(0, 9, 0))
    assert world.positions.shape == (9, 3) and positions.shape == (8, 3)
    world.step(5)
    assert positions[row].tolist() == [3, 7, 1]
    kept = world.positions
    copied = kept.copy()
    del world, box
    gc.collect()
    assert np.array_equal(kept, copied)


def test_an_empty_world_has_empty_arrays():
    world = takt.World({})
    assert world.positions.shape == (0, 3) and world.flags.shape == (0,)
    world.spawn(position=(1, 2, 3))
    world.step()
    assert world.positions.shape == (1, 3)


def test_joints_movers_and_ropes_are_driven(world):
    slide = world.joint["slide"]
    slide.set_motor("linear_x", 1.0, 1e4)
    world.body["ann"].move((0, 0, 1))
    before = world.body["ann"].position
    assert len(world.joints) == 1 and len(world.ropes) == 1
    world.cut_rope(world.ropes[0], 2)
    assert len(world.ropes) == 2
    world.step(60)
    assert slide.rate("linear_x") == pytest.approx(1, abs=0.01)
    assert slide.coordinate("linear_x") == pytest.approx(1, abs=0.1)
    assert world.body["ann"].position[2] > before[2] + 0.5
    slide.set_motor("linear_x", 0, 0)
    slide.set_drive("linear_x", -0.5, 3.0, 1.0)
    world.step(120)
    assert slide.coordinate("linear_x") == pytest.approx(-0.5, abs=0.01)
    slide.set_drive("linear_x", None)
    slide.set_motor("linear_x", 1.0, 1e3)
    slide.set_limit("linear_x", -1, 0.2)
    world.step(120)
    assert slide.coordinate("linear_x") == pytest.approx(0.2, abs=0.01)
    slide.set_friction("linear_x", 2.0)
    slide.enable(False)
    slide.destroy()
    with pytest.raises(KeyError, match="no longer exists"):
        world.joint["slide"]
    with pytest.raises(ValueError, match="axis"):
        slide.rate("x")


def test_a_joint_takes_another_frame_and_breaks(world):
    slide, cart = world.joint["slide"], world.body["cart"]
    start = cart.position[1]
    slide.change(frame_a=((0, 0.3, 0), (0, 0, 0, 1)))
    world.step(60)
    assert cart.position[1] == pytest.approx(start + 0.3, abs=0.01)
    before = world.hash
    with pytest.raises(ValueError, match="axis"):
        slide.change(locked=["x"])
    with pytest.raises(takt.TaktError, match="axes"):
        slide.change(locked=["swing"])
    assert world.hash == before
    with pytest.raises(takt.TaktError):
        slide.change(frame_b=((0, 0, 0), (0, 0, 0, 0)))
    slide.change(locked=["linear_y", "linear_z"], break_force=10.0)  # the cart has 45 kg
    world.step(30)
    assert cart.position[1] == pytest.approx(start + 0.2, abs=0.01)  # it lies on the rail
    assert takt.Event.JOINT_BROKEN in world.events["kind"]


def test_queries_contacts_and_events(world):
    world.step(30)
    box, ground = world.body["box"], world.body["ground"]
    hits = world.raycast([[0, 0.5, -5], [0, 50, 0]], [[0, 0, 2], [0, 1, 0]], 10.0)
    assert hits.found.tolist() == [True, False]
    assert hits.body.tolist() == [box.id, 0]
    assert hits.fraction == pytest.approx([0.45, 1], abs=1e-3)
    assert hits.normal[0] == pytest.approx([0, 0, -1], abs=1e-3)
    cast = world.shapecast("sphere", 0.5, (0, 0.5, -5), (0, 0, 1), 10.0)
    assert cast.fraction[0] == pytest.approx(0.4, abs=1e-3)
    near = world.closest((0, 0.5, -2), 5.0, ignore=ground)
    assert near.body[0] == box.id and near.distance[0] == pytest.approx(1.5, abs=1e-2)
    overlaps = world.overlap("box", (0.2, 0.2, 0.2), (0, 0.1, 0))
    assert set(overlaps["body"].tolist()) == {box.id, ground.id}
    contacts = world.contacts
    assert {ground.id, box.id} <= set(contacts["body_a"].tolist()) | set(contacts["body_b"].tolist())
    assert contacts["normal"].shape == (len(contacts), 3)
    assert takt.Event.CONTACT_BEGIN in world.events["kind"]
    assert set(world.events["tick"].tolist()) <= set(range(1, 31))
    with pytest.raises(takt.TaktError, match="query 0"):
        world.raycast((np.nan, 0, 0), (1, 0, 0))
    with pytest.raises(ValueError, match="no length"):
        world.raycast((0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="directions has the shape"):
        world.raycast((0, 0, 0), (1, 2))


def test_a_recording_of_a_script_verifies(world, tmp_path):
    path = tmp_path / "script.takt"
    world.step(3)
    with world.record(path):
        wanted = play(world, 40)
        with pytest.raises(takt.TaktError, match="record_stop"):
            world.restore(world.save())
    recording = takt.Recording(path)
    assert (recording.first_tick, recording.end_tick, recording.input_count) == (3, 43, 42)
    result = recording.verify(threads=2)
    assert result.agrees and result.final_hash == wanted and result.mismatch_tick is None
    assert recording.world(43).hash == wanted
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(takt.TaktError):
        takt.Recording(path).verify()


def test_a_script_of_every_edit_records_a_file_that_verifies(world, tmp_path, monkeypatch):
    header = (ROOT / "include/takt/c/takt.h").read_text(encoding="utf-8")
    edits = header[header.index("/* --- edits --- */") : header.index("/* --- state --- */")]
    wanted = set(re.findall(r"^TAKT_API takt_status (takt_world_\w+)\(", edits, re.M))
    used = set()
    library = takt.world.lib

    class Spy:
        def __getattr__(self, name):
            used.add(name)
            return getattr(library, name)

    for module in (takt.world, takt.body, takt.joint, takt.definitions):
        monkeypatch.setattr(module, "lib", Spy())
    path = tmp_path / "every.takt"
    box, slide = world.body["box"], world.joint["slide"]
    with world.record(path):
        box.apply_impulse((0, 4000, 300), local_point=(0.2, 0, 0.1))
        box.apply_force((0, 4000, 0), torque=(1, 2, 3), ticks=7)
        world.body["ball"].teleport((2.5, 4, -1), rotation=(0, 0.6, 0, 0.8), angular_velocity=(0, 5, 0))
        visitor = world.spawn("box", (0.2, 0.3, 0.4), (0.3, 5, 0))
        world.body["ann"].move((1, 0, 0.5), 0.5, in_heading_frame=True, jump=True)
        world.cut_rope(world.ropes[0], 2)
        slide.set_motor("linear_x", 2.0, 500.0)
        slide.set_limit("linear_x", -1.0, 1.0)
        slide.set_friction("linear_x", 3.0)
        slide.change(frame_a=((0, 0.3, 0), (0, 0, 0, 1)), angular=(8, 0.7), max_torque=1e5)
        slide.change(direct=False, limit=("linear_x", -0.9, 1.1), limit_softness=(5, 1))
        box.shapes[0].change(filter=(3, 2**32 - 1, 0), friction=0.3, restitution=0.5)
        box.shapes[0].change(surface_velocity=(0.5, 0, 0))
        visitor.change(type="kinematic", gravity_scale=0.5, damping=(0.1, 0.2), locked=("angular_y",), tag=5)
        visitor.set_target((0.3, 5.1, 0), (0, 0.6, 0, 0.8))
        world.body["ann"].tune(max_speed=3, recovery_speed=2)
        rod = world.create_joint("distance", box, world.body["ball"], length=1.5, linear=(4, 1))
        rod.set_friction("distance", 1.0)
        rope = world.create_rope(points=((6, 3, 0), (6, 2.5, 0), (6, 2, 0)))
        bob = world.create_mover((-3, 0.92, 3), 0.25, tag=11, filter=(3, 2**32 - 1, 0), max_speed=3)
        bob.move((0, 0, 3), in_heading_frame=True)
        world.pin_rope(rope, 0)
        world.pin_rope(rope, 2, box, (0, 0.5, 0))
        world.set_rope_length(rope, 0.75)
        world.grab(box, (1.5, 3, 0.25), 5000)
        world.step(20)
        slide.set_drive("linear_x", -0.5, 2.0, 1.0, max=800.0)
        world.step(10)
        world.move_grab((1.5, 4, 0.25))
        world.unpin_rope(rope, 2)
        world.release()
        world.destroy_rope(rope)
        slide.enable(False)
        visitor.destroy()
        world.step(10)
        slide.destroy()
        world.step(5)
    assert {name for name in used if name in wanted} == wanted and len(wanted) == 29
    result = takt.Recording(path).verify()
    assert result.agrees and result.ticks_checked == 45 and result.final_hash == world.hash
    assert takt.Recording(path).input_count == 33


class Bar:
    """Stands for tqdm.auto.tqdm."""

    def __init__(self, total, unit):
        self.total, self.unit, self.counts = total, unit, []
        BARS.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def update(self, count):
        self.counts.append(count)


BARS = []


def test_a_run_with_a_bar_has_the_bits_and_events_of_a_step(world, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    twin = world.fork()
    BARS.clear()
    events = world.run(90)
    twin.step(90)
    assert world.hash == twin.hash and len(events) > 0
    assert np.array_equal(events, twin.events)
    (bar,) = BARS
    assert (bar.total, bar.unit, sum(bar.counts)) == (90, "tick", 90) and len(bar.counts) > 1
    batch, other = takt.BatchWorld(SCENE, 3), takt.BatchWorld(SCENE, 3)
    batch.run(20, where=[0, 2])
    other.step(20, where=[0, 2])
    assert np.array_equal(batch.hashes, other.hashes) and sum(BARS[1].counts) == 20
    assert len(world.run(0)) == 0 and len(BARS) == 3
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        world.run(5)
    assert len(twin.run(5, progress=False)) == len(twin.events) and world.tick == 90


def test_a_second_thread_is_refused():
    world = takt.World(SCENE)
    is_over = threading.Event()

    def step():
        while not is_over.is_set():
            try:
                world.step(200)
            except takt.TaktError as error:
                assert "another thread" in str(error)

    thread = threading.Thread(target=step)
    thread.start()
    with pytest.raises(takt.TaktError, match="another thread uses the world"):
        while True:
            world.hash
    is_over.set()
    thread.join()


def test_refusals_name_the_reason(world):
    with pytest.raises(takt.TaktError, match="dynamic"):
        world.body["ground"].apply_impulse((1, 0, 0))
    with pytest.raises(ValueError, match="impulse has the shape"):
        world.body["box"].apply_impulse((1, 0))
    with pytest.raises(ValueError, match="shape is 'blob'"):
        world.spawn("blob")
    with pytest.raises(KeyError, match="more than one"):
        world.body["twin"]
    box = world.body["box"]
    box.destroy()
    with pytest.raises(takt.TaktError):
        box.apply_impulse((1, 0, 0))
    with pytest.raises(KeyError, match="gone"):
        box.position
    assert "tick 0" in repr(world)


def test_a_refused_edit_changes_the_hash_alone(world):
    before, image = world.hash, [a.copy() for a in (world.positions_raw, world.linear_velocities)]
    with pytest.raises(takt.TaktError) as error:
        world.body["ground"].apply_impulse((1, 0, 0))
    assert error.value.status > 3000
    assert world.hash != before and world.tick == 0
    assert np.array_equal(image[0], world.positions_raw)
    assert np.array_equal(image[1], world.linear_velocities)


def test_a_recording_that_cannot_begin_keeps_the_earlier_file(world, tmp_path):
    path = tmp_path / "a.takt"
    path.write_bytes(b"earlier")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))  # as a full disk
    try:
        with pytest.raises(takt.TaktError, match="takes no bytes"):
            with world.record(path):
                pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"earlier"
    assert [p.name for p in tmp_path.iterdir()] == ["a.takt"]


def test_a_recording_replaces_the_earlier_file_behind_its_link(world, tmp_path):
    path, link = tmp_path / "a.takt", tmp_path / "link.takt"
    path.write_bytes(b"earlier")
    path.chmod(0o640)
    link.symlink_to(path)
    with world.record(link):
        world.step(3)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert takt.Recording(path).verify().agrees
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.takt", "link.takt"]


def test_a_path_with_a_zero_byte_is_refused(world, tmp_path):
    path = tmp_path / "a.takt"
    with world.record(path):
        world.step()
    before = path.read_bytes()
    scene = tmp_path / "a.json"
    scene.write_text("{}")
    for call in (
        lambda: world.record(f"{path}\0b").__enter__(),
        lambda: takt.Recording(f"{path}\0b"),
        lambda: takt.Scene.load(f"{scene}\0b"),
    ):
        with pytest.raises(takt.TaktError, match="zero byte"):
            call()
    assert path.read_bytes() == before
