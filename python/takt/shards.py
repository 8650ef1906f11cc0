"""Plans of `takt batch` on many processors or machines (docs/BATCH.md).

    python -m takt.shards PLAN.json --results DIR --csv TABLE.csv --shards 40 --ray

run_shard() is one task, for Ray, Dask or any other scheduler. Tasks share nothing but the folder of results,
which each machine must reach by the same path. A task that runs again, or twice at once, changes no result.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Any, Iterable, Union

from ._arguments import whole
from ._program import program_path

PathLike = Union[str, "os.PathLike[str]"]


class BatchError(RuntimeError):
    """A command of `takt batch` that failed. `exit_code` is 1 or 2 (docs/COMMANDS.md), or minus a signal."""

    def __init__(self, exit_code: int, text: str) -> None:
        super().__init__(text)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[Any, ...]:
        return (BatchError, (self.exit_code, str(self)))


class _Children:
    """The programs that threads of one call run, so that the call can end them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[subprocess.Popen[str]] = []
        self._is_over = False

    def add(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.append(child)
            if self._is_over:
                child.terminate()

    def end(self) -> None:
        with self._lock:
            self._is_over = True
            for child in self._running:
                child.terminate()


def _call(
    arguments: Iterable[PathLike], program: str | None, children: _Children | None = None
) -> dict[str, Any]:
    # The pipe of the input ends with this process, however that ends, and the program with it.
    words = [program_path(program), "batch", *(os.fspath(word) for word in arguments), "--json"]
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as child:
            try:
                if children is not None:
                    children.add(child)
                assert child.stdout is not None
                out = child.stdout.read()
                code = child.wait()
            except BaseException:
                child.terminate()
                raise
        errors.seek(0)
        err = errors.read()
    if code != 0:
        raise BatchError(code, err.strip() or f"takt batch ended with {code}")
    answer: dict[str, Any] = json.loads(out)
    return answer


def run_shard(
    plan: PathLike,
    results: PathLike,
    shard: int,
    shards: int,
    *,
    threads: int = 1,
    program: str | None = None,
) -> dict[str, Any]:
    """Runs what has no result yet in shard `shard` of `shards`, counted from 1.

    Returns the number of its runs (`runs`, `done`) and of those that this call computed (`computed`).
    `threads` runs are simulated at a time. Rows of a call that fails or is killed stay in `results`.
    """
    return _run_shard(plan, results, shard, shards, threads, program, None)


def _run_shard(
    plan: PathLike,
    results: PathLike,
    shard: int,
    shards: int,
    threads: int,
    program: str | None,
    children: _Children | None,
) -> dict[str, Any]:
    count = whole(shards, 1, 100_000, "shards")
    index = whole(shard, 1, count, "shard")
    options = ["--shard", f"{index}/{count}", "--threads", str(whole(threads, 1, 64, "threads"))]
    words = ["run", plan, "--results", results, *options, "--until-input-ends"]
    return _call(words, program, children)


def merge(plan: PathLike, results: PathLike, csv: PathLike, *, program: str | None = None) -> str:
    """Writes the table of all runs to `csv` and returns its digest, "0x...". Error: a run has no result."""
    return str(_call(["merge", plan, "--results", results, "--csv", csv], program)["digest"])


def run_on_processes(
    plan: PathLike, results: PathLike, shards: int, *, processes: int = 0, program: str | None = None
) -> None:
    """Runs all shards on this machine, `processes` at a time; 0 = one for each processor.

    A shard that fails, or an interrupt, ends the shards at work and starts no others. Their rows stay."""
    count = whole(shards, 1, 100_000, "shards")
    workers = whole(processes, 0, 1024, "processes") or os.cpu_count() or 1
    children = _Children()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        try:
            tasks = [
                pool.submit(_run_shard, plan, results, shard, count, 1, program, children)
                for shard in range(1, count + 1)
            ]
            for task in concurrent.futures.as_completed(tasks):
                task.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            children.end()
            raise


def run_on_ray(
    plan: PathLike, results: PathLike, shards: int, *, address: str | None = None, program: str | None = None
) -> None:
    """Runs all shards as tasks of Ray, each on one processor.

    A task whose node dies runs again on another one, without limit, and goes on after the rows that the
    folder has. A shard that fails ends the call with its error. `address` is that of a cluster, "auto" one
    that runs on this machine. None starts Ray on this machine, unless this process has initialized it."""
    count = whole(shards, 1, 100_000, "shards")
    ray: Any = importlib.import_module("ray")
    if not ray.is_initialized():
        ray.init(address=address or "local", log_to_driver=False)
    task = ray.remote(num_cpus=1, max_retries=-1)(run_shard)
    # Absolute, because workers have working directories of their own.
    found = program_path(program)
    found = os.path.abspath(shutil.which(found) or found)
    paths = [os.path.abspath(plan), os.path.abspath(results)]
    waiting = [task.remote(*paths, shard, count, program=found) for shard in range(1, count + 1)]
    while waiting:
        done, waiting = ray.wait(waiting)
        ray.get(done)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m takt.shards", description=__doc__.splitlines()[0])
    parser.add_argument("plan", type=pathlib.Path, metavar="PLAN.json")
    parser.add_argument("--results", type=pathlib.Path, required=True, help="folder of results")
    parser.add_argument("--csv", type=pathlib.Path, help="write the table of all runs to this file")
    parser.add_argument("--shards", type=int, default=20, help="default: 20; a few for each processor")
    parser.add_argument("--ray", nargs="?", const="", metavar="ADDRESS", help="address of a cluster; none starts Ray here")
    parser.add_argument("--processes", type=int, default=0, help="at a time, without Ray")
    options = parser.parse_args(words)
    try:
        if options.ray is not None:
            run_on_ray(options.plan, options.results, options.shards, address=options.ray or None)
        else:
            run_on_processes(options.plan, options.results, options.shards, processes=options.processes)
        if options.csv is not None:
            print(merge(options.plan, options.results, options.csv))
    except BatchError as error:
        print(error, file=sys.stderr)
        return error.exit_code if error.exit_code > 0 else 1
    except (FileNotFoundError, ValueError) as error:
        print(f"takt.shards: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
