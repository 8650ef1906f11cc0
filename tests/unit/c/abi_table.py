"""Prints the binary interface of takt.h as a table, a line for each function, field and constant.

    abi_table.py HEADER                  print the table
    abi_table.py --check HEADER BASELINE fail when the header lacks a line of the baseline

Sizes and offsets are those of 64-bit machines. A struct with `size` may grow, so its size is no line of the
table; the size of other structs is. The binding of Python reads declarations() too.
"""

import re
import sys
from dataclasses import dataclass, field

# Type of C: (name in tables, bytes)
SCALARS = {
    "uint8_t": ("u8", 1),
    "uint32_t": ("u32", 4),
    "int32_t": ("i32", 4),
    "takt_status": ("i32", 4),
    "uint64_t": ("u64", 8),
    "int64_t": ("i64", 8),
    "size_t": ("u64", 8),
    "double": ("f64", 8),
    "takt_stop_function": ("pointer", 8),
}


@dataclass
class Field:
    name: str
    type: str  # of SCALARS, or "*" for a pointer
    count: int  # of an array; 1 = no array
    offset: int = 0


@dataclass
class Parameter:
    name: str
    type: str  # C type without const, such as "double", "takt_world" or "takt_world*"
    is_pointer: bool


@dataclass
class Declarations:
    functions: dict = field(default_factory=dict)  # name: (result, [Parameter])
    structs: dict = field(default_factory=dict)  # name: ([Field], size)
    constants: dict = field(default_factory=dict)  # name: value
    version: int = 0  # TAKT_ABI_VERSION


def layout(fields):
    end, alignment = 0, 1
    for item in fields:
        size = 8 if item.type == "*" else SCALARS[item.type][1]
        item.offset = (end + size - 1) // size * size
        end = item.offset + size * item.count
        alignment = max(alignment, size)
    return (end + alignment - 1) // alignment * alignment


def parse_parameter(text):
    match = re.fullmatch(r"((?:const )?\w+)\s*(\**)\s*(\w+)(\[\d+\])?", text.strip())
    if not match:
        raise SystemExit(f"abi_table.py: a parameter that it cannot read: {text!r}")
    base, stars, name, array = match.groups()
    depth = len(stars) + bool(array)
    return Parameter(name, base.removeprefix("const ") + "*" * max(depth - 1, 0), depth > 0)


def declarations(text):
    out = Declarations()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"\s+", " ", text)
    out.version = int(re.search(r"#define TAKT_ABI_VERSION (\d+)", text)[1])
    for body in re.findall(r"enum \{(.*?)\};", text):
        for name, value in re.findall(r"(TAKT_\w+) = (\d+)", body):
            out.constants[name] = int(value)
    for name, body in re.findall(r"typedef struct (takt_\w+) \{(.*?)\}", text):
        fields = []
        for line in body.split(";"):
            match = re.fullmatch(r"\s*(const )?(\w+) ?(\*?) ?(\w+)(?:\[(\d+)\])?\s*", line)
            if line.strip():
                _, base, star, member, count = match.groups()
                fields.append(Field(member, "*" if star else base, int(count or 1)))
        out.structs[name] = (fields, layout(fields))
    for result, name, parameters in re.findall(r"TAKT_API ((?:const )?\w+\*?) (takt_\w+)\(([^)]*)\);", text):
        listed = [] if parameters == "void" else [parse_parameter(p) for p in parameters.split(",")]
        out.functions[name] = (result, listed)
    return out


def table(found):
    for name, (result, parameters) in found.functions.items():
        listed = ", ".join(f"{p.type}{'*' if p.is_pointer else ''}" for p in parameters)
        yield f"function {result} {name}({listed})"
    for name, (fields, size) in found.structs.items():
        for item in fields:
            kind = "pointer" if item.type == "*" else SCALARS[item.type][0]
            many = f"[{item.count}]" if item.count > 1 else ""
            yield f"struct {name}: {item.name} {kind}{many} at {item.offset}"
        if fields[0].name != "size":
            yield f"struct {name}: {size} bytes"
    for name, value in found.constants.items():
        yield f"constant {name} = {value}"


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    with open(arguments[is_check], encoding="utf-8") as file:
        lines = list(table(declarations(file.read())))
    if not is_check:
        print("\n".join(lines))
        return 0
    with open(arguments[2], encoding="utf-8") as file:
        baseline = file.read().splitlines()
    missing = [line for line in baseline if line not in set(lines)]
    for line in missing:
        print(f"takt.h lacks: {line}")
    print(f"{len(baseline)} lines of the baseline, {len(missing)} missing, {len(lines)} in the header")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
