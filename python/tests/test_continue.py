"""Worlds that are saved, restored, captured, forked, copied and pickled go on as if nothing had happened.

For each example scene, in both numbers modes: every 10th tick a copy of each kind is made, and one of them
continues for 120 ticks while bodies come and go, with the hash of the original at each tick."""

import copy
import json
import pickle
import subprocess
import sys

import pytest

import takt
from conftest import SCENES

TICKS = 60  # in which copies are made
AFTER = 120

# Two processes run this text: edits between ticks, which depend on the tick and on ids alone.
SCRIPT = '''
def before(world, tick, spawned):
    """A body comes each 6th tick and goes 30 ticks later; the one before is pushed meanwhile."""
    import takt
    if tick % 6 == 0:
        place = (0.3 * (tick % 7) - 1, 6 + tick % 3, 0.2 * (tick % 5))
        spawned[tick] = world.spawn(("box", "sphere", "capsule")[tick % 3], SIZES[tick % 3], place).id
    if tick - 30 in spawned:
        takt.Body(world, spawned[tick - 30]).destroy()
    if tick % 2 and tick - tick % 6 in spawned:
        takt.Body(world, spawned[tick - tick % 6]).apply_force((300, 40 * (tick % 5), -100))

SIZES = ((0.3, 0.2, 0.4), 0.3, (0.2, 0.3))

def play(world, tick, count, spawned):
    hashes = []
    for i in range(tick, tick + count):
        before(world, i, spawned)
        world.step()
        hashes.append(world.hash)
    return hashes
'''
names = {}
exec(SCRIPT, names)
play = names["play"]


class Fresh:
    """A process that restores images and plays on."""

    def __init__(self):
        program = SCRIPT + (
            "import json, sys, takt\n"
            "for line in sys.stdin:\n"
            "    image, tick, count, spawned = json.loads(line)\n"
            "    world = takt.World.from_image(bytes.fromhex(image))\n"
            "    spawned = {int(t): i for t, i in spawned.items()}\n"
            "    print(json.dumps(play(world, tick, count, spawned)), flush=True)\n"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def play(self, world, tick, count, spawned):
        print(json.dumps((world.save().hex(), tick, count, spawned)), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def fresh():
    process = Fresh()
    yield process
    process.process.stdin.close()
    assert process.process.wait(20) == 0


def restored(world, scene):
    other = takt.World(scene, numbers=world.numbers)
    other.restore(world.save())
    return other


def rolled_back(world):
    other = world.fork()
    other.restore(world.capture())
    return other


@pytest.mark.parametrize("name", sorted(p.stem for p in SCENES.glob("*.json")))
def test_every_copy_of_a_scene_continues_equally(name, numbers, fresh):
    scene = takt.Scene.load(SCENES / f"{name}.json")
    world = takt.World(scene, numbers=numbers)
    kinds = [
        lambda: restored(world, scene),
        lambda: world.fork(),
        lambda: rolled_back(world),
        lambda: pickle.loads(pickle.dumps(world)),
        lambda: copy.deepcopy(world),
    ]
    spawned, copies, hashes = {}, [], []
    for tick in range(TICKS + AFTER):
        if tick % 10 == 0 and tick < TICKS:
            made = [make() for make in kinds]
            assert {one.hash for one in made} == {world.hash}
            at = tick // 10 % (len(kinds) + 1)
            if at < len(kinds):
                copies.append((tick, made[at], dict(spawned), None))
            else:
                copies.append((tick, None, dict(spawned), fresh.play(world, tick, AFTER, spawned)))
        hashes += play(world, tick, 1, spawned)
    assert len(copies) == len(kinds) + 1
    for tick, one, own, done in copies:
        done = play(one, tick, AFTER, own) if done is None else done
        assert done == hashes[tick : tick + AFTER], tick
