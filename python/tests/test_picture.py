"""World.picture: `takt shot` with node, Chromium and the viewer of the build tree."""

import struct

import pytest

import takt
from conftest import SCENES


def test_a_picture_is_a_png_of_the_present_state(monkeypatch):
    world = takt.World.load(SCENES / "stack.json")
    before = world.hash
    first = world.picture((320, 180))
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", first[16:24]) == (320, 180)
    assert world.hash == before and not world.is_recording
    world.bodies[-1].teleport((3, 2, 0))
    assert world.picture((320, 180)) != first


def test_errors_have_the_line_of_the_program():
    world = takt.World.load(SCENES / "stack.json")
    with pytest.raises(RuntimeError, match="takt: --camera"):
        world.picture(camera=(1, 2, 3))
    with pytest.raises(RuntimeError, match="takt: --theme"):
        world.picture(theme="red")
    with pytest.raises(ValueError, match="size is 0"):
        world.picture((0, 5))
    with pytest.raises(FileNotFoundError):
        world.picture(program="/no/takt")
