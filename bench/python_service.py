#!/usr/bin/env python3
"""Round trips of step and positions from Python, beside raw messages of 64 bytes on Unix sockets.

TAKT_PROGRAM names takt, TAKT_LIBRARY libtakt.so (docs/PYTHON.md).
"""

import os
import socket
import statistics
import sys
import time

import takt

SCENE = """{ "title": "Two boxes", "world": { "allow_sleep": false }, "bodies": [
  { "name": "ground", "type": "static", "shapes": [{ "half_space": {} }] },
  { "name": "low", "position": [0, 0.5, 0], "shapes": [{ "box": {} }] },
  { "name": "high", "position": [0.2, 1.6, 0], "shapes": [{ "box": {} }] } ] }"""


def median_us(call, count):
    """Median of five parts, us a call."""
    parts = []
    for _ in range(6):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        parts.append(1e6 * (time.perf_counter() - begin) / count)
    return statistics.median(parts[1:])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        while data := theirs.recv(64):
            theirs.sendall(data)
        os._exit(0)
    theirs.close()
    message = bytes(64)

    def raw():
        ours.sendall(message)
        ours.recv(64)

    rows = {"raw socket, 64 bytes each way": median_us(raw, count)}
    ours.close()
    with takt.serve() as service:
        unix = takt.connect(service.address.replace("shm:", "unix:", 1))
        shared = takt.connect(service.address.replace("unix:", "shm:", 1))
        for name, world in (
            ("here", takt.World(SCENE)),
            ("service, shared memory", shared.world(SCENE)),
            ("service, Unix", unix.world(SCENE)),
        ):

            def step(world=world):
                world.step()
                world.positions

            step()
            rows[f"step + positions, {name}"] = median_us(step, count)
    for name, us in rows.items():
        print(f"{name:42} {us:8.1f} us {1e6 / us:9.0f} /s")


if __name__ == "__main__":
    main()
