"""Arguments of calls: arrays live as long as the call."""

import threading
import weakref

import numpy as np
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
