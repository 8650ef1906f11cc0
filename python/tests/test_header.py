"""The binding agrees with the header."""

import ctypes
import importlib.util
import re

from conftest import ROOT
from takt import _abi


def _generator():
    spec = importlib.util.spec_from_file_location("generate_abi", ROOT / "python" / "generate_abi.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_binding_is_the_one_of_the_header():
    generator = _generator()
    wanted = "\n".join(generator.lines_of(generator.read_header())) + "\n"
    assert generator.TARGET.read_text(encoding="utf-8") == wanted


def test_every_function_is_bound_and_every_struct_has_the_size_of_c():
    found = _generator().read_header()
    assert len(found.functions) >= 60
    assert set(_abi.FUNCTIONS) == set(found.functions)
    for name, (fields, size) in found.structs.items():
        struct = getattr(_abi, name)
        assert ctypes.sizeof(struct) == size
        for item in fields:
            assert getattr(struct, item.name).offset == item.offset


def test_the_package_has_the_version_of_the_tree():
    import takt

    version = re.search(r"project\(takt VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert takt.__version__ == version
    assert f'version = "{version}"' in (ROOT / "python" / "pyproject.toml").read_text()
