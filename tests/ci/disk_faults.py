#!/usr/bin/env python3
"""Faults of the disk under the recording of a real `takt serve`. A person runs it: it takes minutes, and
`full` needs a mount namespace (root, or user namespaces).

  disk_faults.py full PROGRAM             a tmpfs that fills up (ENOSPC), also under the spool (/dev/shm)
  disk_faults.py cut PROGRAM [CUTS [SEED]]   a recording cut at random bytes, each resumed by a program start

Both print one line for each case, and exit with 1 when a case fails.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/scenes/stack.json")
PATIENCE_S = 60
IS_INSIDE = "TAKT_DISK_FAULTS_INSIDE"  # set in the mount namespace


def fail(text):
    sys.exit("takt: disk_faults: " + text)


def expect(condition, text):
    if not condition:
        fail(text)


class Server:
    """A `takt serve` with its output in a file, which the process never waits for."""

    def __init__(self, program, arguments):
        self.output_file = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--bind", "127.0.0.1", "--http", "0", "--json", *arguments],
            stdout=self.output_file, stderr=subprocess.STDOUT)

    def output(self):
        size = os.fstat(self.output_file.fileno()).st_size
        return os.pread(self.output_file.fileno(), size, 0).decode(errors="replace")

    def wait_for(self, pattern, after=0):
        """Returns the first match behind the first `after` characters of the output."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.output()[after:]):
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        return fail(f"no output matches {pattern!r}:\n{self.output()}")

    def status_tick(self):
        """The tick of a status line that the server has yet to print."""
        return int(self.wait_for(r'"event":"status".*?"tick":(\d+)', len(self.output())).group(1))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        return self.process.wait(PATIENCE_S)


def json_of(program, *arguments):
    """The last object that a command prints; none when the command fails."""
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, timeout=PATIENCE_S)
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 and lines else None


def hash_at(program, path, tick):
    found = json_of(program, "replay", "seek", path, "--tick", str(tick))
    return found and found["hash"]


def file_of(path, number):
    return path if number == 1 else path.replace(".takt", f".{number}.takt")


def files_of(path):
    number = 1
    while os.path.exists(file_of(path, number)):
        yield file_of(path, number)
        number += 1


def resume(program, path):
    """Resumes a series for an instant. Returns the exit code, the output and the tick resumed at."""
    server = Server(program, ["--resume", path, "--for", "0.2"])
    code = server.end()
    found = re.search(r"(\S+): resumed at tick (\d+)", server.output())
    return code, server.output(), found and (found.group(1), int(found.group(2)))


def play(program, port, seconds):
    arguments = ["bot", "--connect", f"127.0.0.1:{port}", "--udp", "--count", "4", "--for", str(seconds)]
    return subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check_series(program, path):
    """Each file replays without a difference, and the world goes on from the last one as it was."""
    ticks = 0
    for file in files_of(path):
        verified = json_of(program, "replay", "verify", file)
        expect(verified and verified["verified"], f"{file} does not verify: {verified}")
        ticks += verified["ticks"]
    count = sum(1 for _ in files_of(path))
    code, output, resumed = resume(program, path)
    expect(code == 0 and resumed, f"cannot be resumed:\n{output}")
    file, tick = resumed
    expect(hash_at(program, file, tick) == hash_at(program, file_of(path, count + 1), tick),
           f"{file}: another world at tick {tick}")
    return count, ticks, tick


def fill_up(program, folder, leaves_kb):
    """A server records on a disk with so much room; the room comes back after two attempts."""
    path = os.path.join(folder, "world.takt")
    filler = os.path.join(folder, "filler")
    room = os.statvfs(folder)
    with open(filler, "wb") as file:
        file.write(bytes(room.f_bavail * room.f_frsize - 1024 * leaves_kb))
    server = Server(program, ["--scene", SCENE, "--record", path, "--sync-ms", "0"])
    port = int(server.wait_for(r'"port":(\d+)').group(1))
    bots = play(program, port, 60)
    suspended = int(server.wait_for(r"the recording is suspended at tick (\d+)").group(1))
    expect(os.statvfs(folder).f_bavail * room.f_frsize < 65536, "the disk is not full")
    first = server.status_tick()
    time.sleep(4.5)  # two attempts, each 2 s after the last
    second = server.status_tick()
    expect(second - first > 120, f"ticks stand still: {first} to {second}")
    os.remove(filler)
    resumed = server.wait_for(r"the recording goes on at tick (\d+) in its next file; (\d+) ticks")
    server.status_tick()
    last = server.status_tick()
    server.kill()
    bots.kill()
    bots.wait()
    files, ticks, tick = check_series(program, path)
    expect(tick >= last - 12, f"resumed at {tick}, though tick {last} was told")
    print(f"  {leaves_kb} kB: suspended at tick {suspended}, goes on at {resumed.group(1)}, "
          f"{resumed.group(2)} missing; {files} files of {ticks} ticks verify; killed after tick {last}, "
          f"resumed at {tick}")


def start_without_room(program, folder):
    path = os.path.join(folder, "world.takt")
    room = os.statvfs(folder)
    with open(os.path.join(folder, "filler"), "wb") as file:
        file.write(bytes(room.f_bavail * room.f_frsize))
    server = Server(program, ["--scene", SCENE, "--record", path, "--for", "1"])
    expect(server.end() in (1, 2), f"a start on a full disk does not fail:\n{server.output()}")
    expect("world.takt" in server.output(), f"the error does not name the file:\n{server.output()}")
    expect(os.listdir(folder) == ["filler"], f"a failed start leaves {os.listdir(folder)}")
    print(f"  0 kB: {server.output().strip().splitlines()[-1]}")


def run_full(program):
    if os.environ.get(IS_INSIDE) is None:
        options = "-m" if os.geteuid() == 0 else "-rm"
        if subprocess.run(["unshare", options, "true"], capture_output=True).returncode != 0:
            fail(f"`unshare {options}` makes no mount namespace on this machine, so no disk can be filled: "
                 "run it as root, or allow user namespaces")
        os.environ[IS_INSIDE] = "1"
        os.execvp("unshare", ["unshare", options, sys.executable, *sys.argv])
    folder = tempfile.mkdtemp(prefix="takt_full_disk_")

    def on_disk(case, *arguments):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=True)
        try:
            case(program, folder, *arguments)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)

    print("a disk without room")
    on_disk(start_without_room)
    print("a disk that fills up")
    for leaves_kb in (24, 40, 64, 100, 200):
        on_disk(fill_up, leaves_kb)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", "/dev/shm"], check=True)
    print("a disk that fills up, and a /dev/shm of 16 kB")
    on_disk(fill_up, 64)
    os.rmdir(folder)


def run_cut(program, cuts, seed):
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="takt_cut_")
    path = os.path.join(folder, "world.takt")
    server = Server(program, ["--scene", SCENE, "--record", path])
    bots = play(program, int(server.wait_for(r'"port":(\d+)').group(1)), 60)
    time.sleep(13)  # two images
    server.kill()
    bots.kill()
    bots.wait()
    with open(path, "rb") as file:
        whole = file.read()
    twin = json_of(program, "replay", "verify", path)
    expect(twin and twin["verified"], f"the whole file does not verify: {twin}")
    resumed_count = refused_count = 0
    for number in range(cuts):
        length = chance.randrange(len(whole))
        case = os.path.join(folder, str(number))
        os.mkdir(case)
        cut_path = os.path.join(case, "cut.takt")
        with open(cut_path, "wb") as file:
            file.write(whole[:length])
        info = json_of(program, "replay", "info", cut_path)
        code, output, resumed = resume(program, cut_path)
        if resumed:
            _, tick = resumed
            expect(code == 0, f"cut at {length}: exit code {code}:\n{output}")
            expect(info and tick >= info["end_tick"] - 1, f"cut at {length}: resumed at {tick} of {info}")
            expect(hash_at(program, path, tick) == hash_at(program, file_of(cut_path, 2), tick),
                   f"cut at {length}: another world at tick {tick}")
            resumed_count += 1
        else:
            expect(code == 2 and "cut.takt" in output, f"cut at {length}: exit code {code}:\n{output}")
            expect(info is None, f"cut at {length}: refused, though it holds {info}")
            refused_count += 1
        shutil.rmtree(case)
    print(f"{len(whole)} bytes, {twin['ticks']} ticks, seed {seed}: {cuts} cuts, {resumed_count} resumed "
          f"with the twin's hash, {refused_count} refused by name")
    shutil.rmtree(folder)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("full", "cut"):
        fail("usage: disk_faults.py full PROGRAM | cut PROGRAM [CUTS [SEED]]")
    if sys.argv[1] == "full":
        run_full(sys.argv[2])
    else:
        numbers = [int(text) for text in sys.argv[3:5]] + [200, 18][len(sys.argv[3:5]):]
        run_cut(sys.argv[2], *numbers)


main()
