"""Functions of takt.h: hostile numbers, null and foreign ids, in this process and at a service.

The functions, their parameters and the fields of their structs are those of the header, so a new one is here
without a change. A call may succeed or fail: it returns a status of takt.h, and the world goes on.
tests/unit/c/handle_abuse_test.cpp has null, foreign and destroyed handles, and the statuses of known calls.
"""

import ctypes
import importlib.util
import json
import math
import os

import numpy as np
import pytest

import takt
from conftest import ROOT, SCENE
from takt import _abi
from takt._library import lib


def _header():
    path = ROOT / "tests" / "unit" / "c" / "abi_table.py"
    spec = importlib.util.spec_from_file_location("abi_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.declarations((ROOT / "include/takt/c/takt.h").read_text(encoding="utf-8"))


HEADER = _header()
DOUBLES = (math.nan, math.inf, -math.inf, 1e300, -1e300, 1e10, -1.0, 0.0, 5e-324)
WHOLE = {"uint32_t": (0, 7, 64, 2**31, 2**32 - 1), "uint64_t": (0, 1, 77, 2**32, 2**63, 2**64 - 1)}
# Edits that a call needs before it.
BEFORE = {
    "takt_world_set_target": lambda world: world.body["ball"].change(type="kinematic"),
    "takt_world_move_grab": lambda world: world.grab(world.body["ball"], (0, 3, 0), 100),
}
HANDLES = tuple("takt_" + kind for kind in "scene world snapshot batch recording service array".split())
# Ticks take as long as they say. Numbers of type size_t count memory of the caller, who must have it.
STEPS = ("takt_world_step", "takt_world_step_until", "takt_batch_step", "takt_batch_step_until")


class Objects:
    """A handle of each kind, and ids of a world."""

    def __init__(self, side, folder, stride, service=None):
        self.stride = stride  # of the calls of a function: a service takes longer
        self.service = service
        self.scene = takt.Scene.of(SCENE)
        self.world = side.world(SCENE)
        self.batch = side.batch(SCENE, 2)
        self.snapshot = self.world.capture()
        self.batch_snapshot = self.batch.capture()
        self.image = self.world.save()
        body, joint = self.world.body, self.world.joint
        self.ids = {
            "body": body["ball"].id,
            "joint": joint["slide"].id,
            "rope": self.world.ropes[0],
            "shape": body["ball"].shapes[0].id,
            "tick": 0,
        }
        self.mover = body["ann"].id
        recorder = takt.World(SCENE)
        with recorder.record(folder / "known.takt"):
            recorder.step(3)
        self.recording = takt.Recording(folder / "known.takt")
        self.path = str(folder / "made.takt").encode()
        (folder / "scene.json").write_text(json.dumps(SCENE), encoding="utf-8")
        self.texts = {
            "takt_scene_parse": json.dumps(SCENE).encode(),
            "takt_scene_load": str(folder / "scene.json").encode(),
            "takt_recording_open": str(folder / "known.takt").encode(),
            "takt_connect": b"" if service is None else service.address.encode(),
        }


def handle_of(thing):
    for name in ("_value", "_handle"):
        value = getattr(thing, name, None)
        if value is not None:
            return value.value if hasattr(value, "value") else value
    raise AssertionError(f"{thing!r} has no handle")


def struct_of(type_name, is_input):
    """A struct with the defaults of takt.h, where there are some."""
    struct = getattr(_abi, type_name)()
    fields, _ = HEADER.structs[type_name]
    if fields[0].name == "size":
        struct.size = ctypes.sizeof(struct)
    defaults = getattr(lib, type_name.removesuffix("_def") + "_defaults", None)
    if is_input and defaults is not None:
        kind = [_abi.TAKT_JOINT_POINT] if type_name == "takt_joint_def" else []
        assert defaults(*kind, ctypes.addressof(struct)) == 0
    return struct


def arguments_of(name, objects, keep):
    """Good arguments of a function, but for its handle that the test gives."""
    _, parameters = HEADER.functions[name]
    given = []
    for index, parameter in enumerate(parameters):
        kind = parameter.type
        if parameter.is_pointer and kind in HANDLES:
            thing = {
                "takt_scene": objects.scene,
                "takt_world": objects.world,
                "takt_batch": objects.batch,
                "takt_recording": objects.recording,
                "takt_service": objects.service,
                "takt_snapshot": objects.batch_snapshot if "batch" in name else objects.snapshot,
            }.get(kind)
            given.append(handle_of(thing) if thing is not None else None)
        elif parameter.is_pointer and kind in HEADER.structs:
            struct = struct_of(kind, True)
            if kind == "takt_joint_def":
                struct.body_a, struct.body_b = objects.ids["body"], objects.world.body["box"].id
            if kind == "takt_batch_options":
                struct.world_count = 2
            keep.append(struct)
            given.append(ctypes.addressof(struct))
        elif parameter.is_pointer and kind == "double":
            values = (ctypes.c_double * 64)(*([0, 0, 0, 1] * 16))
            keep.append(values)
            given.append(ctypes.addressof(values))
        elif parameter.is_pointer and kind == "char":
            given.append(objects.texts.get(name, objects.path))
        elif parameter.is_pointer and kind == "void" and parameter.name == "image":
            given.append(objects.image)
        elif parameter.is_pointer and parameter.name == "token":
            given.append(b"")
        elif parameter.is_pointer and kind == "takt_stop_function":
            given.append(None)
        elif parameter.is_pointer:  # results, and ids of bodies of a batch
            memory = (ctypes.c_uint64 * 8192)(*[objects.ids["body"]] * 2)
            keep.append(memory)
            given.append(ctypes.addressof(memory))
        elif kind == "size_t":
            before = parameters[index - 1]
            is_text = before.type in ("char", "void")
            given.append(len(given[-1]) if is_text and isinstance(given[-1], bytes) else 1)
        elif kind == "uint64_t":
            is_mover = name in ("takt_world_move", "takt_world_tune_mover")
            given.append(objects.mover if is_mover else objects.ids[parameter.name])
        elif kind == "double":
            given.append(1.0)
        elif kind == "takt_stop_function":
            given.append(None)
        else:
            given.append(0 if parameter.name == "axis" else 1)
    return given


def variations(name, given, keep):
    """Calls in which one thing is hostile: the arguments, and what to do before and after."""
    _, parameters = HEADER.functions[name]
    structs = {ctypes.addressof(thing): thing for thing in keep if isinstance(thing, ctypes.Structure)}
    doubles = [thing for thing in keep if getattr(thing, "_type_", None) is ctypes.c_double]
    lists = {ctypes.addressof(thing): thing for thing in doubles}
    for index, parameter in enumerate(parameters):
        if name in STEPS and parameter.name == "ticks":
            continue

        def replaced(value, index=index):
            return [*given[:index], value, *given[index + 1 :]]

        if not parameter.is_pointer:
            hostile = DOUBLES if parameter.type == "double" else WHOLE.get(parameter.type, ())
            yield from ((replaced(value), None) for value in hostile)
            continue
        if index > 0:
            yield replaced(None), None
        values = lists.get(given[index])
        if values is not None:
            for at in range(4):
                for value in DOUBLES:
                    yield given, (values, at, value)
        struct = structs.get(given[index])
        if struct is None:
            continue
        for field in HEADER.structs[parameter.type][0]:
            hostile = DOUBLES if field.type == "double" else WHOLE.get(field.type, ())
            if field.name == "size":
                hostile = (0, 1, 8, 2**32 - 1)  # more than it has is the caller's lie: 2^32 - 1 is none
            for value in hostile:
                yield given, (struct, field, value)


def with_change(change, call):
    """The status of a call while a number of its memory is another one."""
    if change is None:
        return call()
    owner, at, value = change
    if isinstance(at, int):
        kept, owner[at] = owner[at], value
        status = call()
        owner[at] = kept
        return status
    if at.count > 1:
        numbers = getattr(owner, at.name)
        kept, numbers[0] = numbers[0], value
        status = call()
        numbers[0] = kept
        return status
    kept = getattr(owner, at.name)
    setattr(owner, at.name, value)
    status = call()
    setattr(owner, at.name, kept)
    return status


def is_known(status):
    return 0 <= status <= 20 or any(0 <= status - base < 200 for base in (1000, 2000, 3000))


def of_worlds_and_batches():
    for name, (_, parameters) in HEADER.functions.items():
        first = parameters[0].type if parameters else ""
        kinds = ("takt_world", "takt_batch", "takt_recording", "takt_snapshot")
        if first in kinds and not name.endswith("_destroy"):
            yield name


class Here:
    world = staticmethod(takt.World)
    batch = staticmethod(takt.BatchWorld)


@pytest.fixture(scope="module", params=["here", "service"])
def objects(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    if request.param == "here":
        yield Objects(Here, folder, 1)
    else:
        with takt.serve(program=os.environ["TAKT_PROGRAM"]) as service:
            yield Objects(service, folder, 16, service)


@pytest.mark.parametrize("name", of_worlds_and_batches())
def test_hostile_numbers_are_survived(objects, name):
    keep = []
    given = arguments_of(name, objects, keep)
    function = getattr(lib, name)
    calls = 0
    for arguments, change in [*variations(name, given, keep)][:: objects.stride]:
        if name in BEFORE:
            BEFORE[name](objects.world)
        status = with_change(change, lambda arguments=arguments: function(*arguments))
        assert is_known(status), (name, arguments, status)
        assert status not in (_abi.TAKT_ERROR_INTERNAL, _abi.TAKT_ERROR_BROKEN, _abi.TAKT_ERROR_REMOTE), (
            name,
            arguments,
            lib.takt_last_error(),
        )
        calls += 1
        if objects.world.is_recording:
            assert lib.takt_world_record_stop(handle_of(objects.world)) == 0
        for thing, snapshot in ((objects.world, objects.snapshot), (objects.batch, objects.batch_snapshot)):
            if name.startswith("takt_" + ("world" if thing is objects.world else "batch")):
                thing.step()
                assert np.isfinite(thing.positions).all(), (name, arguments, change)
                thing.restore(snapshot)
    _, parameters = HEADER.functions[name]
    has_numbers = any(not p.is_pointer and (p.type == "double" or p.type in WHOLE) for p in parameters[1:])
    assert calls > 0 or not has_numbers or name in STEPS


def of_others():
    for name, (_, parameters) in HEADER.functions.items():
        # The context of a stop function is a struct, and there is no other function without a status.
        if parameters and name not in of_worlds_and_batches() and name != "takt_stop_on_main_thread":
            if not name.endswith("_destroy"):
                yield name


def end_made(name, arguments, keep):
    """Ends what a call has made, whose handle is at its last parameter."""
    last = HEADER.functions[name][1][-1]
    if last.type.removesuffix("*") in HANDLES and last.type.endswith("*"):
        (memory,) = [thing for thing in keep if ctypes.addressof(thing) == arguments[-1]]
        assert getattr(lib, last.type.removesuffix("*") + "_destroy")(memory[0]) == 0, name


@pytest.mark.parametrize("name", of_others())
def test_functions_that_make_things_survive(objects, name):
    parameters = HEADER.functions[name][1]
    if objects.service is None and any("takt_service" in parameter.type for parameter in parameters):
        pytest.skip("this process has no service")
    keep = []
    given = arguments_of(name, objects, keep)
    function = getattr(lib, name)
    if "attach" not in name:  # whose key is no world's
        assert function(*given) == 0, (name, lib.takt_last_error())
        end_made(name, given, keep)
    for arguments, change in variations(name, given, keep):
        status = with_change(change, lambda arguments=arguments: function(*arguments))
        assert is_known(status), (name, arguments, status)
        assert status not in (_abi.TAKT_ERROR_INTERNAL, _abi.TAKT_ERROR_BROKEN), lib.takt_last_error()
        if status == 0:
            end_made(name, arguments, keep)
    objects.world.step()
    objects.world.restore(objects.snapshot)
