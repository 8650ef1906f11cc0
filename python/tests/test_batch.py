"""Batches: equal bits for any n and threads, masks and arrays."""

import numpy as np
import pytest

import takt
from conftest import SCENE


@pytest.mark.parametrize("n", [1, 7, 64])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_hashes_are_those_of_one_world(n, threads, numbers):
    world = takt.World(SCENE, numbers=numbers)
    batch = takt.BatchWorld(SCENE, n, numbers=numbers, threads=threads)
    for i in range(8):
        world.body["box"].apply_force((300, 10 * i, 0))
        batch.apply_force("box", (300, 10 * i, 0))
        world.step(2)
        batch.step(2)
        assert set(batch.hashes.tolist()) == {world.hash}


def test_worlds_are_restored_by_mask_and_by_index(numbers):
    batch = takt.BatchWorld(SCENE, 6, numbers=numbers, threads=2)
    start = batch.capture()
    first = batch.hashes
    positions = batch.positions
    assert positions.shape == (6, 8, 3) and batch.flags.shape == (6, 8)
    forces = np.zeros((6, 3))
    forces[:, 0] = np.arange(6) * 100
    batch.apply_force("box", forces, ticks=10)
    batch.step(10)
    assert np.all(np.diff(positions[:, 1, 0]) > 0)
    later = batch.hashes
    batch.restore(start, where=[1, 4])
    assert np.array_equal(batch.hashes, np.where(np.isin(np.arange(6), [1, 4]), first, later))
    assert np.array_equal(positions, batch.positions)
    mask = np.array([True, False, False, False, False, True])
    one = takt.World(SCENE, numbers=numbers).capture()
    batch.restore(one, where=mask)
    assert np.array_equal(batch.hashes == first, mask | np.isin(np.arange(6), [1, 4]))
    batch.restore(start, where=[])
    batch.restore(start)
    assert np.array_equal(batch.hashes, first)
    with pytest.raises(ValueError, match="where has the shape"):
        batch.step(1, where=np.zeros(3, bool))
    with pytest.raises(IndexError):
        batch.step(1, where=[6])


def test_a_world_of_a_batch_is_a_world(numbers):
    batch = takt.BatchWorld(SCENE, 3, numbers=numbers)
    before = batch.positions
    batch[1].spawn(position=(0, 20, 0))
    assert batch.positions.shape == (3, 9, 3) and before.shape == (3, 8, 3)
    assert batch.positions[1, 8].tolist() == [0, 20, 0]
    assert batch.positions[0, 8].tolist() == [0, 0, 0]
    assert batch[1] is batch[-2]
    batch.step(4)
    assert batch[0].hash == batch.hashes[0] != batch.hashes[1]
    batch.teleport("box", np.tile([5.0, 5, 5], (3, 1)), where=[2])
    assert batch.positions[:, 1, 0].tolist() == pytest.approx([0, 0, 5], abs=0.2)
    world = batch[2]
    del batch
    world.step()
    with pytest.raises(IndexError):
        world._batch[3]


def test_a_rollout_is_the_loop_of_one_world(numbers):
    rng = np.random.default_rng(3)
    forces = rng.uniform(-500, 500, (5, 12, 3))
    states = [takt.rollout(SCENE, "box", forces, numbers=numbers, threads=t) for t in (1, 3)]
    assert np.array_equal(*states)
    world = takt.World(SCENE, numbers=numbers)
    for t in range(12):
        world.body["box"].apply_force(forces[4, t])
        world.step()
        assert np.array_equal(states[0][4, t, :3], world.body["box"].position)


def test_an_edit_of_a_batch_stops_at_the_first_failure(numbers):
    batch = takt.BatchWorld(SCENE, 3, numbers=numbers)
    box = batch[0].body["box"].id
    row = int(np.flatnonzero(batch[0].ids == box)[0])
    before = batch.positions[:, row, 0].tolist()
    with pytest.raises(takt.TaktError):
        batch.teleport([box, 0, box], (5, 5, 5))
    assert batch.positions[:, row, 0].tolist() == [5, *before[1:]]
    hashes = batch.hashes
    with pytest.raises(takt.TaktError):
        batch.apply_force([box, 0, box], (1, 0, 0))
    assert hashes[0] != batch.hashes[0] and hashes[2] == batch.hashes[2]
