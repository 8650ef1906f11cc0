"""Arguments of calls: arrays live as long as the call, and integers are never cut."""

import threading
import weakref

import numpy as np
import pytest

import takt
from conftest import SCENE
from takt._arguments import address


def test_the_address_of_an_array_keeps_it_alive():
    array = np.array([1.0, 2, 3])
    at, pointer = weakref.ref(array), address(array)
    del array
    assert at() is not None
    del pointer
    assert at() is None
    assert address(None) is None


def test_threads_free_no_array_of_a_running_call():
    def pushed(seed):
        world = takt.World(SCENE)
        box = world.body["box"]
        for i in range(3000):
            box.apply_impulse((seed, 0.001 * i, 0), (0.001 * seed, 0, 0))
        return world.hash

    wanted = [pushed(seed) for seed in range(4)]
    got = [0] * 4

    def run(seed):
        got[seed] = pushed(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == wanted


OUTSIDE = [-1, 2**32, 2**32 + 3]
WORLD_CALLS = {
    "ticks": [lambda w, n: w.step(n), lambda w, n: w.body["box"].apply_force((1, 0, 0), ticks=n)],
    "segment": [lambda w, n: w.cut_rope(w.ropes[0], n)],
    "tag": [lambda w, n: w.spawn(position=(0, 9, 0), tag=n)],
    "threads": [
        lambda w, n: takt.World(SCENE, threads=n),
        lambda w, n: takt.World.from_image(w.save(), threads=n),
        lambda w, n: takt.BatchWorld(SCENE, 2, threads=n),
    ],
    "lanes": [
        lambda w, n: takt.World(SCENE, lanes=n),
        lambda w, n: takt.World.from_image(w.save(), lanes=n),
        lambda w, n: takt.BatchWorld(SCENE, 2, lanes=n),
    ],
    "n": [lambda w, n: takt.BatchWorld(SCENE, n)],
}
CALLS = [(name, call) for name, calls in WORLD_CALLS.items() for call in calls]


@pytest.mark.parametrize("value", OUTSIDE)
@pytest.mark.parametrize("name,call", CALLS)
def test_an_integer_outside_of_its_range_is_refused(name, call, value):
    world = takt.World(SCENE)
    before = world.hash
    with pytest.raises(ValueError, match=rf"^{name} is {value}, not within \["):
        call(world, value)
    assert world.hash == before and world.tick == 0


@pytest.mark.parametrize("value", [-1, 2**64, 2**64 + 1])
def test_an_id_outside_of_its_range_is_refused(value):
    world, batch = takt.World(SCENE), takt.BatchWorld(SCENE, 2)
    for name, call in {
        "id": lambda: takt.Body(world, value),
        "id ": lambda: takt.Joint(world, value),
        "rope": lambda: world.cut_rope(value, 0),
        "bodies": lambda: batch.apply_force([1, value], (1, 0, 0)),
        "bodies ": lambda: batch.teleport([value, 1], (1, 0, 0)),
    }.items():
        with pytest.raises(ValueError, match=rf"^{name.strip()} is {value}, not within \[0, {2**64 - 1}\]"):
            call()
    with pytest.raises(ValueError, match="^bodies is -1"):
        batch.apply_force(np.array([-1, -1]), (1, 0, 0))


def test_integers_of_batches_and_recordings_are_checked(tmp_path):
    batch, world = takt.BatchWorld(SCENE, 2), takt.World(SCENE)
    with world.record(tmp_path / "a.takt"):
        world.step()
    recording = takt.Recording(tmp_path / "a.takt")
    for value in OUTSIDE:
        for call in (
            lambda: batch.step(value),
            lambda: batch.apply_force("box", (1, 0, 0), ticks=value),
        ):
            with pytest.raises(ValueError, match=f"^ticks is {value}"):
                call()
        for call in (lambda: recording.verify(value), lambda: recording.world(0, threads=value)):
            with pytest.raises(ValueError, match=f"^threads is {value}"):
                call()
    for value in (-1, 2**64):
        with pytest.raises(ValueError, match=f"^tick is {value}"):
            recording.world(value)


def test_a_number_that_is_no_integer_is_refused():
    world = takt.World(SCENE)
    with pytest.raises(TypeError, match="ticks is 1.5, not an integer"):
        world.step(1.5)
    world.step(np.int64(2))
    assert world.tick == 2


def test_large_ids_of_a_list_stay_exact():
    batch = takt.BatchWorld(SCENE, 2)
    assert batch._bodies([1, 2**63 + 1]).tolist() == [1, 2**63 + 1]
