#!/usr/bin/env python3
"""Installs a wheel into an environment of each CPython on the machine and uses it there: ./dev wheel.

    python/check_wheel.py FOLDER

FOLDER has exactly one wheel. It serves Python 3 of any version, has at most 5 MB, and has the scenes of
takt.gym. The time of its import is printed and not judged: it depends on the machine.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

BYTES_MAX = 5_000_000
VERSIONS = range(9, 16)  # of Python 3

SMOKE = """
import pickle, statistics, subprocess, sys, time
import takt
world = takt.World({"bodies": [{"name": "ball", "position": [0, 10, 0], "shapes": [{"sphere": {}}]}]})
world.step(60)
assert 5 < world.positions[0, 1] < 5.2 and pickle.loads(pickle.dumps(world)).hash == world.hash
batch = takt.BatchWorld({"bodies": [{"shapes": [{"sphere": {}}]}]}, 3, threads=2)
batch.step(5)
assert len(set(batch.hashes.tolist())) == 1
measure = "import time, numpy; t = time.process_time(); import takt; print(time.process_time() - t)"
command = [sys.executable, "-c", measure]
times = [float(subprocess.run(command, capture_output=True, text=True).stdout) for _ in range(7)]
median = 1e3 * statistics.median(times)
print(f"hash 0x{world.hash:016x}, import {median:.1f} ms of the processor beyond numpy")
"""


def interpreters():
    """Programs of all CPythons: those on the path, and those of pyenv."""
    found = {}
    folders = [pathlib.Path.home() / ".pyenv" / "versions"]
    for minor in VERSIONS:
        names = [shutil.which(f"python3.{minor}")]
        names += [path for folder in folders for path in folder.glob(f"3.{minor}.*/bin/python3")]
        for name in filter(None, names):
            if subprocess.run([name, "-c", "import venv"], capture_output=True).returncode == 0:
                found[minor] = str(name)
    return found


def main():
    wheels = list(pathlib.Path(sys.argv[1]).glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{sys.argv[1]} has {len(wheels)} wheels, not 1")
    wheel = wheels[0]
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.2f} MB")
    if "-py3-none-linux_" not in wheel.name and "-py3-none-manylinux" not in wheel.name:
        sys.exit(f"{wheel.name} is not for each Python 3 of Linux (py3-none)")
    if size > BYTES_MAX:
        sys.exit(f"{wheel.name} has {size} bytes; the limit is {BYTES_MAX}")
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("takt/libtakt.so", "takt/py.typed", "takt/gym/scenes/cartpole.json", "takt/sb3.py"):
        if wanted not in names:
            sys.exit(f"{wheel.name} has no {wanted}")
    hashes = set()
    found = interpreters()
    for minor, interpreter in sorted(found.items()):
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder) / "bin" / "python"
            subprocess.run([interpreter, "-m", "venv", folder], check=True)
            subprocess.run(
                [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel], check=True
            )
            done = subprocess.run([python, "-c", SMOKE], capture_output=True, text=True, cwd=folder)
        if done.returncode != 0:
            sys.exit(f"Python 3.{minor}, {interpreter}:\n{done.stderr}")
        print(f"Python 3.{minor}: {done.stdout.strip()}")
        hashes.add(done.stdout.split(",")[0])
    if len(hashes) != 1:
        sys.exit(f"{len(found)} versions of Python gave {len(hashes)} hashes, not one: {sorted(hashes)}")


if __name__ == "__main__":
    main()
