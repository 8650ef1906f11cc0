"""Worlds of a service: the bits of worlds in this process, over each transport."""

import copy
import functools
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import takt
from conftest import SCENE, play
from takt._abi import TAKT_ERROR_LIMIT, TAKT_ERROR_UNSUPPORTED
from takt._library import check, lib

PROGRAM = os.environ["TAKT_PROGRAM"]


class Here:
    """The calls of a Service, in this process."""

    world = staticmethod(takt.World)
    batch = staticmethod(takt.BatchWorld)


class Running:
    """`takt service` on both kinds of doors."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "service", "--listen", f"unix:{folder}/s", "--listen", "tcp:127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            text=True,
        )
        read = [self.process.stdout.readline() for _ in range(2)]
        self.unix, self.tcp = (line.removeprefix("listening on ").strip() for line in read)
        self.shm = self.unix.replace("unix:", "shm:", 1)  # the same door

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out = self.process.communicate(timeout=20)[0]
        return self.process.returncode, out


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    service = Running(tmp_path_factory.mktemp("service"), "--threads", "8", "--worlds-max", "10000")
    yield service
    code, out = service.stop()
    assert code == 0
    assert out.startswith("answered ")


@pytest.fixture(params=["here", "shm", "unix", "tcp"])
def side(request, running):
    return Here if request.param == "here" else takt.connect(getattr(running, request.param))


def test_every_tick_has_the_hash_of_a_world_in_this_process(side, numbers):
    expected, world = takt.World(SCENE, numbers=numbers), side.world(SCENE, numbers=numbers)
    for i in range(60):
        for each in (expected, world):
            each.body["box"].apply_force((100 * (i % 3), 50, 0))
            if i == 5:
                each.spawn("box", (0.2, 0.3, 0.4), (0.3, 5, 0))
            if i == 40:
                each.bodies[-1].destroy()
            each.step()
        assert world.hash == expected.hash, i
        for field in ("ids", "positions", "positions_raw", "rotations", "linear_velocities", "flags"):
            assert np.array_equal(getattr(world, field), getattr(expected, field)), (i, field)
    assert np.array_equal(world.contacts, expected.contacts)
    assert np.array_equal(world.events, expected.events)


# Numbers of worlds, and the steps of each. The cells of the test below are 128: two modes of numbers, this
# process and three transports, these numbers of worlds, and 1, 2, 3 and 8 threads. A step has one tick, so
# each tick is compared, but the last step of up to 64 worlds has 3.
STEPS = {1: 24, 7: 24, 64: 12, 1024: 2}


def drive(batch, n):
    """The hashes and positions after each step, of different masks, with forces."""
    rng = np.random.default_rng(n)
    for i in range(STEPS[n]):
        forces, where = rng.uniform(-300, 300, (n, 3)), rng.uniform(size=n) < 0.7
        batch.apply_force("box", forces, where=where)
        is_long = i + 1 == STEPS[n] and n <= 64
        batch.step(3 if is_long else 1, where=None if i % 3 else where)
        yield batch.hashes.copy(), batch.positions.copy()


@functools.cache
def driven_here(numbers, n):
    return list(drive(takt.BatchWorld(SCENE, n, numbers=numbers), n))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("n", STEPS)
def test_every_step_of_a_batch_has_the_hashes_of_one_thread_here(side, numbers, n, threads):
    expected = driven_here(numbers, n)
    batch = side.batch(SCENE, n, numbers=numbers, threads=threads)
    for i, (hashes, positions) in enumerate(drive(batch, n)):
        assert np.array_equal(hashes, expected[i][0]), i
        assert np.array_equal(positions, expected[i][1]), i
    assert len(set(map(int, expected[-1][0]))) > n // 2  # the worlds differ
    if n == 1024:  # the rest takes as long again
        return
    alone = side.world(SCENE, numbers=numbers)
    start = batch.capture()
    batch.restore(alone.capture())
    alone.step(5)
    batch.step(5)
    assert set(batch.hashes.tolist()) == {alone.hash}
    batch.restore(start)
    assert np.array_equal(batch.hashes, expected[-1][0])


def test_states_go_back_and_forth(side, numbers):
    world = side.world(SCENE, numbers=numbers)
    world.step(20)
    start, image, before = world.capture(), world.save(), world.hash
    assert start.tick == 20 and len(start) == 1
    twins = [world.fork(), copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    after = play(world)
    assert [play(twin) for twin in twins] == [after] * 3
    world.restore(start)
    assert world.hash == before
    world.step(3)
    world.restore(image)
    assert world.hash == before and world.tick == 20
    assert takt.World.from_image(image, world._scene).hash == before
    if side is not Here:
        assert side.world_from_image(image).hash == before


def test_batches_roll_back_by_masks(side):
    batch = side.batch(SCENE, 5)
    start = batch.capture()
    first = batch.hashes
    batch.step(4)
    later = batch.hashes
    batch.restore(start, where=[1, 3])
    assert np.array_equal(batch.hashes, np.where(np.isin(np.arange(5), [1, 3]), first, later))
    batch.teleport("ball", (0, 9, 0), where=[0])
    assert batch[0].body["ball"].position[1] == 9 != batch[1].body["ball"].position[1]


def test_queries_and_names(side):
    expected, world = takt.World(SCENE), side.world(SCENE)
    origins = [(0, 9, 0), (50, 9, 0), (0, -5, 0)]
    for each in (expected, world):
        each.step(10)
    ours, theirs = (each.raycast(origins, (0, -1, 0), 20.0) for each in (expected, world))
    for name in ("found", "body", "position", "normal", "fraction"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    inside = [each.overlap("sphere", 3.0, [(0, 1, 0)]) for each in (expected, world)]
    assert np.array_equal(*inside) and len(inside[0]) > 1
    assert world.joint["slide"].coordinate("linear_x") == expected.joint["slide"].coordinate("linear_x")
    assert world.ropes == expected.ropes and repr(world) == repr(expected)
    with pytest.raises(KeyError):
        world.body["nobody"]


def test_errors_are_those_of_this_process(side):
    world = side.world(SCENE)
    with pytest.raises(takt.TaktError) as refused:
        takt.Body(world, 77).destroy()
    expected = takt.World(SCENE)
    with pytest.raises(takt.TaktError) as wanted:
        takt.Body(expected, 77).destroy()
    assert str(refused.value) == str(wanted.value) and refused.value.status == wanted.value.status


@pytest.mark.parametrize("numbers", ["float", "fixed"])
def test_a_new_mover_walks_with_the_bits_of_this_process(side, numbers, tmp_path):
    world, expected = side.world(SCENE, numbers=numbers), Here.world(SCENE, numbers=numbers)
    rows = len(world.positions)
    tuning = dict(max_speed=3, jump_speed=4)
    bobs = [w.create_mover((-4, 0.92, 3), np.pi / 2, tag=7, **tuning) for w in (world, expected)]
    assert len(world.positions) == rows + 1 and bobs[0].id == bobs[1].id
    start = bobs[0].position.copy()
    for bob in bobs:
        bob.move((0, 0, 3), in_heading_frame=True)
    for _ in range(60):
        world.step()
        expected.step()
        assert world.hash == expected.hash
    walked = bobs[0].position - start
    assert 2.5 < walked[0] < 3.01 and abs(walked[2]) < 0.01
    twin, later = world.fork(), side.world(SCENE, numbers=numbers)
    later.restore(world.save())
    with world.record(tmp_path / "r.takt"):
        second = world.create_mover((-4, 0.92, -3))
        second.move((1, 0, 0), 0.5, jump=True)
        world.step(30)
        bobs[0].destroy()
        world.step(10)
    for each in (twin, later):
        takt.Body(each, each.create_mover((-4, 0.92, -3)).id).move((1, 0, 0), 0.5, jump=True)
        each.step(30)
        takt.Body(each, bobs[0].id).destroy()
        each.step(10)
        assert each.hash == world.hash
    assert takt.Recording(tmp_path / "r.takt").verify().agrees
    with pytest.raises(ValueError, match="the name of a tuning is 'speed'"):
        world.create_mover((0, 1, 0), speed=3)


# A call with a number out of its range, and the text of the error.
REFUSED = {
    "gravity_scale is 2000: allowed is -1000 to 1000": lambda w: w.body["box"].change(gravity_scale=2000),
    "angular_damping is nan: allowed is 0 to 1000": lambda w: w.body["box"].change(damping=(0, np.nan)),
    "friction is -1: allowed is 0 to 100": lambda w: w.body["box"].shapes[0].change(friction=-1),
    "surface_velocity[2] is 1001: allowed is -1000 to 1000": lambda w: w.body["box"]
    .shapes[0]
    .change(surface_velocity=(0, 0, 1001)),
    "the body is not kinematic": lambda w: w.body["box"].set_target((0, 1, 0)),
    "skin is 0.1: allowed is 0.006 to 0.018": lambda w: w.body["ann"].tune(skin=0.1),
    "length is -2: allowed is above 0 and at most 1e+05": lambda w: w.create_joint(
        "distance", w.body["box"], w.body["ball"], length=-2
    ),
    "linear_frequency is -3: allowed is 1e-12 to 1e+15, or 0": lambda w: w.create_joint(
        "weld", w.body["box"], w.body["ball"], linear=(-3, 1)
    ),
    "break_force is 0: allowed is above 0": lambda w: w.joint["slide"].change(break_force=0),
    "speed is 5000: allowed is -4000 to 4000": lambda w: w.joint["slide"].set_motor("linear_x", 5000, 1),
    "stiffness is 1.5: allowed is above 0 and at most 1": lambda w: w.create_rope(stiffness=1.5),
    "points[1][0] is 1e+09: allowed is -5e+08 to 5e+08": lambda w: w.create_rope(
        points=[(0, 0, 0), (1e9, 0, 0)]
    ),
    "half_length is 0.004: allowed is 0.005 to 100": lambda w: w.create_mover((0, 5, 0), half_length=0.004),
    "push_force is -1: allowed is 0 to 1e+06": lambda w: w.create_mover((0, 5, 0), push_force=-1),
    "position[1] is 1e+09: allowed is -5e+08 to 5e+08": lambda w: w.create_mover((0, 1e9, 0)),
    "segment_length is 2000: allowed is 0.005 to 1000": lambda w: w.set_rope_length(w.ropes[0], 2000),
    "node is 99: allowed is 0 to 5": lambda w: w.pin_rope(w.ropes[0], 99),
    "max_force is inf": lambda w: w.grab(w.body["box"], (0, 1, 0), np.inf),
    "velocity is 2000 long: allowed is a length of at most 1000": lambda w: w.body["ann"].move((2000, 0, 0)),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_number_out_of_its_range_is_named(side, text):
    world = side.world(SCENE)
    with pytest.raises(takt.TaktError, match=": " + re.escape(text)):
        REFUSED[text](world)
    world.step()


def edited(world, ticks=(1, 59, 1500, 7)):
    """Steps across parts, chunks and images of a recording, with edits between."""
    for count in ticks:
        world.body["box"].apply_force((0.1, 90, 0))
        world.joint["slide"].change(frame_a=((0, 1e-4 * count, 0), (0, 0, 0, 1)), max_force=1e5 + count)
        world.step(count)
        world.spawn("sphere", 0.3, (0, 9, 0))
        define_all(world, count)


def define_all(world, count):
    """Edits of what scenes define."""
    box, ball = world.body["box"], world.body["ball"]
    box.shapes[0].change(friction=0.3 + 1e-4 * count, filter=(3, 2**32 - 1, 0), surface_velocity=(0.5, 0, 0))
    ball.change(gravity_scale=0.9, damping=(0.1, 0.2), tag=count)
    world.body["ann"].tune(max_speed=3)
    bob = world.create_mover((-4, 0.92, count % 9), 0.5, radius=0.3, tag=count, max_speed=2, mass=60)
    bob.move((1, 0, 2), 0.25, jump=True)
    rod = world.create_joint("distance", box, ball, length=2, linear=(4, 1))
    rod.change(limit=("linear_x", -9, 9), limit_softness=(5, 1), direct=False)
    rope = world.create_rope((6, 3, 0), (6, 2, 0), 5)
    world.pin_rope(rope, 4, ball)
    world.set_rope_length(rope, 0.3)
    world.unpin_rope(rope, 4)
    world.grab(ball, (1.5, 4, 0.25), 500)
    world.move_grab((1.5, 4.5, 0.25))
    world.release()
    rod.destroy()
    world.destroy_rope(rope)


@pytest.mark.parametrize("numbers", ["float", "fixed"])
def test_a_recording_has_the_bytes_of_one_in_this_process(side, numbers, tmp_path):
    files = []
    for name, maker in (("here", Here), ("there", side)):
        world = maker.world(SCENE, numbers=numbers)
        world.step(3)
        path = tmp_path / f"{name}.takt"
        with world.record(path):
            assert world.is_recording
            with pytest.raises(takt.TaktError, match="record_stop"):
                world.restore(world.save())
            with pytest.raises(takt.TaktError, match="the world is recording"):
                with world.record(tmp_path / "second.takt"):
                    pass
            edited(world)
            events = len(world.events)
            assert takt.Recording(path).end_tick > 1500  # the bytes come while the world steps
        assert not world.is_recording
        files.append((path.read_bytes(), world.hash, events))
    assert files[0] == files[1]
    assert takt.Recording(tmp_path / "there.takt").verify().agrees
    subprocess.run([PROGRAM, "replay", "verify", tmp_path / "there.takt"], check=True, stdout=subprocess.PIPE)
    assert not (tmp_path / "second.takt").exists()


def test_events_of_a_recorded_step_are_those_of_the_whole_step(side, tmp_path):
    plain, recorded = Here.world(SCENE), side.world(SCENE)
    with recorded.record(tmp_path / "r.takt"):
        plain.step(1300)
        recorded.step(1300)
        assert len(plain.events) > 0
        assert np.array_equal(plain.events, recorded.events)


def test_worlds_of_a_batch_are_recorded(side, tmp_path):
    files = []
    for name, maker in (("here", Here), ("there", side)):
        batch = maker.batch(SCENE, 3, threads=2)
        with batch[0].record(tmp_path / f"{name}0"), batch[2].record(tmp_path / f"{name}2"):
            assert batch.is_recording.tolist() == [True, False, True]
            batch.step(61)
            batch.step(700, where=[True, True, False])
            batch[2].step(601)
        files.append([(tmp_path / f"{name}{i}").read_bytes() for i in (0, 2)])
        assert not batch.is_recording.any()
    assert files[0] == files[1]
    assert takt.Recording(tmp_path / "there0").end_tick == 761


def test_a_world_that_goes_ends_its_recording(side, tmp_path):
    for i, maker in enumerate((Here, side)):
        world = maker.world(SCENE)
        block = world.record(tmp_path / f"{i}")
        block.__enter__()
        world.step(30)
        check(lib.takt_world_destroy(world._value))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_a_file_that_cannot_be_made_leaves_the_world_without_a_recording(side, tmp_path):
    world = side.world(SCENE)
    with pytest.raises(takt.TaktError, match="cannot be created"):
        with world.record(tmp_path / "no" / "r.takt"):
            pass
    assert not world.is_recording
    with pytest.raises(takt.TaktError, match="the disk is full"):
        with world.record("/dev/full"):
            pass
    assert not world.is_recording
    with world.record(tmp_path / "r.takt"):
        world.step(10)
    assert takt.Recording(tmp_path / "r.takt").verify().agrees


DIES = """
import os, signal, sys, takt
world = takt.connect(sys.argv[1]).world(sys.argv[2])
with world.record(sys.argv[3]):
    world.step(100)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("transport", ["shm", "unix", "tcp"])
def test_a_recording_whose_client_is_killed_hurts_no_other(running, transport, tmp_path):
    address = getattr(running, transport)
    world = takt.connect(address).world(SCENE)
    (tmp_path / "scene.json").write_text(json.dumps(SCENE))
    with world.record(tmp_path / "kept"):
        world.step(100)
        died = subprocess.run(
            [sys.executable, "-c", DIES, address, tmp_path / "scene.json", tmp_path / "lost"], check=False
        )
        assert died.returncode == -signal.SIGKILL
        world.step(100)
    assert takt.Recording(tmp_path / "kept").end_tick == 200
    lost = takt.Recording(tmp_path / "lost")
    assert lost.end_tick == 60 and lost.verify().agrees  # up to its last whole chunk


def test_limits_are_named(tmp_path):
    service = Running(tmp_path, "--worlds-max", "9")
    client = takt.connect(service.unix)
    assert client.limits["worlds_max"] == 9
    batch = client.batch(SCENE, 8)
    with pytest.raises(takt.TaktError, match="limit worlds-max: the service has 8 of 9 worlds"):
        client.batch(SCENE, 2)
    with pytest.raises(takt.TaktError, match="limit step_ticks_max"):
        batch.step(client.limits["step_ticks_max"] + 1)
    assert len(batch.hashes) == 8
    assert service.stop()[0] == 0
    with pytest.raises(takt.TaktError, match="the service ended the connection|is lost"):
        batch.step()
    with pytest.raises(takt.TaktError, match="start 'takt service' there"):
        takt.connect(service.unix)


def test_a_token_file_is_needed_by_each_client(tmp_path):
    (tmp_path / "token").write_text("a-token-of-24-characters\n")
    (tmp_path / "token").chmod(0o600)
    service = Running(tmp_path, "--token", str(tmp_path / "token"))
    for address in (service.shm, service.unix, service.tcp):
        with pytest.raises(takt.TaktError, match="wants a token"):
            takt.connect(address)
        with pytest.raises(takt.TaktError, match="the token is wrong"):
            takt.connect(address, "a-token-of-24-charactert")
        assert takt.connect(address, "a-token-of-24-characters").world(SCENE).tick == 0
    assert service.stop()[0] == 0


def test_a_token_file_is_one_line_of_its_owner(tmp_path):
    file = tmp_path / "token"
    for text, mode, reason in (
        ("a-token-of-24-characters\n", 0o644, "chmod 600"),
        ("a-token-of-24-characters\nand another line\n", 0o600, "one line of 16 to 256 bytes"),
        ("x" * 1000, 0o600, "at most 258 bytes"),
    ):
        file.write_text(text)
        file.chmod(mode)
        command = [PROGRAM, "service", "--listen", f"unix:{tmp_path}/s", "--token", str(file), "--for", "0.1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert reason in done.stderr and str(file) in done.stderr


@pytest.mark.parametrize("transport", ["shm", "unix"])
def test_a_killed_client_frees_its_worlds(tmp_path, transport):
    service = Running(tmp_path, "--worlds-max", "4")
    code = "import sys, time, takt; w = takt.connect(sys.argv[1]).batch(sys.argv[2], 4); print(1, flush=True); time.sleep(99)"
    child = subprocess.Popen(
        [sys.executable, "-c", code, getattr(service, transport), '{"title": "{}"}'],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "1\n"
    client = takt.connect(service.unix)
    with pytest.raises(takt.TaktError, match="worlds-max"):
        client.batch(SCENE, 4)
    child.kill()
    child.communicate()
    end = time.monotonic() + 20
    while True:
        try:
            client.batch(SCENE, 4)
            break
        except takt.TaktError:
            assert time.monotonic() < end
            time.sleep(0.01)
    assert service.stop()[0] == 0


PILE = {
    "title": "Pile",
    "world": {"allow_sleep": False},
    "bodies": [
        {"type": "static", "shapes": [{"half_space": {}}]},
        *(
            {"position": [0.3 * (i % 5), 0.5 + i // 4, 0.2 * (i % 7)], "shapes": [{"box": {}}]}
            for i in range(200)
        ),
    ],
}  # 100,000 ticks take minutes


def python(code, *arguments, **options):
    command = [sys.executable, "-c", code, *arguments, json.dumps(PILE)]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, **options)


def after(*calls):
    """Does each (seconds, function, arguments) on a thread."""
    timers = [threading.Timer(seconds, function, arguments) for seconds, function, *arguments in calls]
    for timer in timers:
        timer.start()
    return timers


CTRL_C = (os.kill, os.getpid(), signal.SIGINT)


@pytest.fixture
def busy(tmp_path):
    """The process of a service that answers nothing until SIGCONT, and a world of it in a list."""
    service = Running(tmp_path)
    worlds = [takt.connect(service.unix).world(SCENE)]
    service.process.send_signal(signal.SIGSTOP)
    os.waitpid(service.process.pid, os.WUNTRACED)  # until all of its threads have stopped
    yield service.process, worlds
    service.process.send_signal(signal.SIGCONT)
    assert service.stop()[0] == 0


def test_ctrl_c_is_not_lost_with_a_refused_call(busy):
    service, [world] = busy
    timers = after((1.0, *CTRL_C), (2.5, service.send_signal, signal.SIGCONT))
    with pytest.raises(KeyboardInterrupt):
        takt.Body(world, 77).destroy()
    for timer in timers:
        timer.join()
    with pytest.raises(takt.TaktError):  # once
        takt.Body(world, 77).destroy()


def test_a_second_ctrl_c_ends_the_connection(busy):
    _, [world] = busy
    timers = after((1.0, *CTRL_C), (3.0, *CTRL_C))
    with pytest.raises(KeyboardInterrupt):
        world.step()
    for timer in timers:
        timer.join()
    with pytest.raises(takt.TaktError, match="stopped twice"):
        world.step()


def test_ctrl_c_is_not_lost_with_the_end_of_a_world(busy):
    service, worlds = busy
    timers = after((1.0, *CTRL_C), (2.5, service.send_signal, signal.SIGCONT))
    with pytest.raises(KeyboardInterrupt):
        worlds.clear()
        time.sleep(5)
    for timer in timers:
        timer.join()


def test_the_end_of_the_service_is_no_ctrl_c(tmp_path):
    service = Running(tmp_path)
    world = takt.connect(service.unix).world(PILE)
    timers = after((0.3, service.process.send_signal, signal.SIGTERM))
    with pytest.raises(takt.TaktError, match="the service ends"):
        world.step(100_000)
    timers[0].join()
    service.process.communicate(timeout=20)
    assert service.process.returncode == 0


def test_python_ends_while_a_thread_waits_for_a_service(running):
    code = (
        "import json, sys, threading, time, takt\n"
        "w = takt.connect(sys.argv[1]).world(json.loads(sys.argv[3]))\n"
        "threading.Thread(target=w.step, args=(100000,), daemon=True).start(); time.sleep(float(sys.argv[2]))"
    )
    for wait_s in ("0.25", "0.28", "0.31", "0.34"):  # different parts of the 0.1 s between two looks
        child = python(code, running.tcp, wait_s, stderr=subprocess.PIPE)
        assert child.communicate(timeout=20) == ("", "") and child.returncode == 0


def test_ctrl_c_ends_a_step_and_the_world_stays_usable(running):
    scene = PILE
    for address in (running.shm, running.unix, running.tcp):
        service = takt.connect(address)
        world, batch = service.world(scene), service.batch(scene, 3)
        before = world.positions.copy()
        for each in (world, batch):
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            begin = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                each.step(service.limits["step_ticks_max"])
            assert time.monotonic() - begin < 20
            timer.join()
        assert 0 < world.tick < service.limits["step_ticks_max"]
        assert not np.array_equal(world.positions, before)
        expected = takt.World(scene)
        expected.step(world.tick)
        assert np.array_equal(world.positions, expected.positions) and world.hash == expected.hash
        world.step()
        batch.step()


def test_worlds_outlive_a_killed_client(tmp_path):
    service = Running(tmp_path, "--idle-lease", "60")
    code = (
        "import json, sys, time, takt\n"
        "s = takt.connect(sys.argv[1]); scene = json.loads(sys.argv[2]); w = s.world(scene); b = s.batch(scene, 3)\n"
        "w.step(5); b.step(6); print(w.key.hex(), b.key.hex(), flush=True); time.sleep(99)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, service.unix, json.dumps(SCENE)], stdout=subprocess.PIPE, text=True
    )
    keys = [bytes.fromhex(word) for word in child.stdout.readline().split()]
    child.kill()
    child.communicate()
    client = takt.connect(service.tcp)
    world, batch = client.attach(keys[0], SCENE), client.attach_batch(keys[1], SCENE)
    expected = takt.World(SCENE)
    expected.step(5)
    assert world.tick == 5 and world.hash == expected.hash and world.key == keys[0]
    expected.step(1)
    world.step()
    assert world.hash == expected.hash and set(batch.hashes.tolist()) == {expected.hash}
    with pytest.raises(takt.TaktError, match="this connection has"):
        client.attach(keys[0])
    with pytest.raises(takt.TaktError, match="no world or batch has the key"):
        client.attach(bytes(24))
    with pytest.raises(ValueError, match="24 bytes"):
        client.attach(b"short")
    # A second process takes it from a connection that is still open.
    other = takt.connect(service.unix)
    taken = other.attach(keys[0])
    assert taken.hash == expected.hash
    with pytest.raises(takt.TaktError, match="ended the connection|is lost"):
        world.step()
    assert service.stop()[0] == 0


def test_metrics_and_health_are_on_a_port_of_their_own(tmp_path):
    service = Running(tmp_path, "--metrics-listen", "127.0.0.1:0")
    line = service.process.stdout.readline()
    address = line.removeprefix("metrics at ").strip().removesuffix("/metrics")
    batch = takt.connect(service.unix).batch(SCENE, 7)
    batch.step(3)

    def page(path):
        with urllib.request.urlopen(address + path, timeout=10) as reply:
            return reply.read().decode()

    assert page("/healthz") == "ok\n" and page("/readyz") == "ready\n"
    values = dict(line.rsplit(" ", 1) for line in page("/metrics").splitlines() if not line.startswith("#"))
    assert values["takt_service_worlds"] == "7" and values["takt_service_clients"] == "1"
    assert int(values["takt_service_requests_total"]) >= 2
    with pytest.raises(urllib.error.HTTPError, match="404"):
        page("/")
    assert service.stop()[0] == 0
    taken = subprocess.run(
        [PROGRAM, "service", "--listen", "tcp:127.0.0.1:0", "--metrics-listen", "1.2.3.4:0"],
        capture_output=True,
        text=True,
    )
    assert taken.returncode == 2 and taken.stdout == "" and taken.stderr.count("\n") == 1


def test_serve_is_a_child_that_ends_with_its_block():
    with takt.serve(threads=2, worlds_max=50) as service:
        assert service.limits["threads"] == 2
        assert play(service.world(SCENE)) == play(takt.World(SCENE))
        assert service.address.startswith("shm:")
        path = service.address.removeprefix("shm:")
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert not os.path.exists(path)
    with pytest.raises(RuntimeError, match="ended with code 1"):
        takt.serve(program="/bin/false")


def test_serve_falls_back_to_the_socket_on_a_system_without_shared_memory(monkeypatch):
    tried = []

    class Refusing(takt.Service):
        def __init__(self, address, token=b""):
            tried.append(address.partition(":")[0])
            if address.startswith("shm:") and status:
                raise takt.TaktError(status, "memfd_create: Function not implemented")
            super().__init__(address, token)

    monkeypatch.setattr("takt.service.Service", Refusing)
    status = TAKT_ERROR_UNSUPPORTED
    with takt.serve() as service:
        assert tried == ["shm", "unix"] and service.address.startswith("unix:")
        assert play(service.world(SCENE)) == play(takt.World(SCENE))
    status = TAKT_ERROR_LIMIT  # not of the system: no second try hides it
    with pytest.raises(takt.TaktError):
        takt.serve()
    assert tried == ["shm", "unix", "shm"]


def test_a_fork_touches_neither_the_parents_connection_nor_its_child():
    with takt.serve() as service:
        world, pile = service.world(SCENE), service.world(PILE)
        world.step(3)
        child = os.fork()
        if child == 0:
            codes = []
            for call in (
                world.step,
                lambda: check(lib.takt_service_set_stop(service._handle.value, None, None)),
            ):
                try:
                    call()
                except takt.TaktError as error:
                    codes.append(0 if "before the fork" in str(error) else 2)
                else:
                    codes.append(1)
            del world, pile, service
            os._exit(max(codes))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        world.step(3)
        assert world.tick == 6
        pile.step(400)  # longer than between two looks for Ctrl-C
        assert pile.tick == 400


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_serve_ends_with_a_parent_that_is_killed():
    source = (
        "import takt, time\n"
        "service = takt.serve()\n"
        "print(service._child._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < end, f"the service {pid} outlives its parent"
        time.sleep(0.05)
