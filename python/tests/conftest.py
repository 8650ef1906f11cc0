"""Scenes and worlds of the tests."""

import json
import re
import pathlib

import pytest

import takt

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "examples" / "scenes"


def blocks(page):
    """The programs of a document."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def _test_scene():
    text = (ROOT / "tests/unit/c/c_scene.h").read_text(encoding="utf-8")
    return json.loads(re.search(r'R"\((.*?)\)";', text, re.S)[1])


SCENE = _test_scene()


@pytest.fixture(params=["float", "fixed"])
def numbers(request):
    return request.param


@pytest.fixture
def world(numbers):
    return takt.World(SCENE, numbers=numbers)


def play(world, ticks=30):
    """Steps with pushes and a body that comes and goes."""
    for i in range(ticks):
        world.body["box"].apply_force((100 * (i % 3), 50, 0))
        if i == 5:
            visitor = world.spawn("box", (0.2, 0.3, 0.4), (0.3, 5, 0))
        if i == 20:
            visitor.destroy()
        world.step()
    return world.hash
