"""Writes takt/_abi.py, the ctypes form of include/takt/c/takt.h.

generate_abi.py          write takt/_abi.py
generate_abi.py --check  fail when takt/_abi.py differs from the header
"""

import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "takt" / "_abi.py"

SCALARS = {
    "uint8_t": "c_uint8",
    "uint32_t": "c_uint32",
    "int32_t": "c_int32",
    "takt_status": "c_int32",
    "uint64_t": "c_uint64",
    "int64_t": "c_int64",
    "size_t": "c_size_t",
    "double": "c_double",
    "takt_stop_function": "c_void_p",
}


def read_header():
    spec = importlib.util.spec_from_file_location("abi_table", ROOT / "tests/unit/c/abi_table.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["abi_table"] = module
    spec.loader.exec_module(module)
    return module.declarations((ROOT / "include/takt/c/takt.h").read_text(encoding="utf-8"))


def lines_of(found):
    yield '"""The ctypes form of takt.h. generate_abi.py writes this file."""'
    names = sorted({"Structure", "c_char_p", "c_void_p", *SCALARS.values()})
    yield "from ctypes import ("
    yield from (f"    {name}," for name in names)
    yield ")"
    yield ""
    yield f"TAKT_BINDING_VERSION = {found.version}"
    for name, value in found.constants.items():
        yield f"{name} = {value}"
    for name, (fields, size) in found.structs.items():
        yield ""
        yield ""
        yield f"class {name}(Structure):  # {size} bytes"
        yield "    _fields_ = ["
        for item in fields:
            kind = "c_void_p" if item.type == "*" else SCALARS[item.type]
            yield f'        ("{item.name}", {kind}{f" * {item.count}" if item.count > 1 else ""}),'
        yield "    ]"
    yield ""
    yield ""
    yield "# Result and parameters of each function. Pointers and handles are c_void_p, texts c_char_p."
    yield "FUNCTIONS = {"
    for name, (result, parameters) in found.functions.items():
        kinds = []
        for p in parameters:
            if p.type == "char":
                kinds.append("c_char_p")
            else:
                kinds.append("c_void_p" if p.is_pointer else SCALARS[p.type])
        shown = "c_char_p" if result == "const char*" else SCALARS[result]
        listed = ", ".join(kinds)
        line = f'    "{name}": ({shown}, [{listed}]),'
        if len(line) <= 110:
            yield line
        else:
            yield f'    "{name}": (\n        {shown},\n        [{listed}],\n    ),'
    yield "}"


def main(arguments):
    text = "\n".join(lines_of(read_header())) + "\n"
    if arguments == ["--check"]:
        if TARGET.read_text(encoding="utf-8") != text:
            print("takt/_abi.py differs from takt.h: run python/generate_abi.py")
            return 1
        return 0
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
