"""Compares the interface of takt.h, as a C compiler sees it, with a baseline of abidw (Debian: abigail-tools).

    abi_diff.py HEADER BASELINE CC           fail when a function or type of the baseline is gone or changed
    abi_diff.py --plant HEADER BASELINE CC   compare a header whose takt_hit has a float in place of a double
    abi_diff.py --write HEADER BASELINE CC   write the baseline

The compiled library is a stub with the header's functions, so its debugging information has the interface
alone. Functions may be added. A struct that gets fields at its end needs a new baseline in the same commit,
because rules of abidiff 2.2 for such growth let other changes of the struct through.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

def stub(header):
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    made = re.findall(r"TAKT_API ([^;(]+\([^;]*?\));", text)
    return '#include "takt/c/takt.h"\n' + "".join(f"{one} {{ return 0; }}\n" for one in made)


def build(header, compiler, folder):
    include = folder / "include" / "takt" / "c"
    include.mkdir(parents=True)
    (include / "takt.h").write_text(header, encoding="utf-8")
    (folder / "takt.c").write_text(stub(header), encoding="utf-8")
    out = folder / "takt.so"
    subprocess.run(
        [compiler, "-std=c99", "-g", "-O0", "-w", "-shared", "-fPIC", "-Iinclude", "takt.c", "-o", out],
        check=True,
        cwd=folder,
    )
    return out


def main(arguments):
    mode = arguments[0] if arguments[0].startswith("--") else ""
    header_path, baseline, compiler = arguments[-3:]
    header = pathlib.Path(header_path).read_text(encoding="utf-8")
    if mode == "--plant":
        header = header.replace("  double fraction;", "  float fraction;")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = build(header, compiler, folder)
        if mode == "--write":
            options = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", baseline]
            return subprocess.run(["abidw", *options, library]).returncode
        options = ["--no-added-syms", "--no-show-locs"]
        return subprocess.run(["abidiff", *options, baseline, library]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
