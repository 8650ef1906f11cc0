#!/usr/bin/env python3
"""Converts the output of the bench programs to a result file (results_file.py).

Usage: results_to_csv.py BENCHMARK=FILE... >RESULTS.csv
BENCHMARK is the program's name. FILE has what it printed: markdown tables of bench_scenes, bench_threads,
bench_snapshots, bench_worlds and bench_bullet, or the CSV of Google Benchmark (--benchmark_out_format=csv).
"""

import csv
import os
import platform
import sys
import time

sys.dont_write_bytecode = True  # the source tree stays clean

from results_file import COLUMNS, ResultError, checked_row

# Column of a printed table: metric and unit. A column 'p99' or 'max' belongs to the metric before it.
METRICS = {
    "bodies": ("bodies", "count"),
    "contacts": ("contacts", "count"),
    "joints": ("joints", "count"),
    "worlds": ("worlds", "count"),
    "ms/tick median": ("tick_median", "ms"),
    "depth mean": ("depth_mean", "mm"),
    "depth mean mm": ("depth_mean", "mm"),
    "gap": ("gap", "mm"),
    "sink": ("sink", "mm"),
    "drift": ("drift", "mm"),
    "gain": ("gain", "mm"),
    "fastest m/s": ("fastest", "m/s"),
    "lost": ("lost", "count"),
    "capture us median": ("capture_median", "us"),
    "rollback us median": ("rollback_median", "us"),
    "hash us": ("hash", "us"),
    "bytes/body": ("bytes_per_body", "bytes"),
    "ticks again ms": ("ticks_again", "ms"),
    "ticks ms": ("ticks", "ms"),
    "us/world-step median": ("world_step_median", "us"),
    "KiB/world": ("kib_per_world", "kib"),
}
UNMEASURED = {"scene", "engine", "numbers", "lanes", "threads", "digest", "bits"}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []


def metrics_of(path, number, head):
    """Metric and unit of each column, None for those that are no figure."""
    metrics = []
    base = None
    for name in head:
        if name in UNMEASURED:
            metrics.append(None)
        elif name in ("p99", "max") and base is not None:
            metrics.append((base[0].rsplit("_", 1)[0] + "_" + name, base[1]))
        elif name in METRICS:
            base = METRICS[name]
            metrics.append(base)
        else:
            raise ResultError(f"{path}:{number}: column '{name}' is unknown; add it to METRICS of bench/results_to_csv.py")
    return metrics


def rows_of_tables(benchmark, path, lines):
    head = metrics = None
    for number, line in enumerate(lines, start=1):
        row = cells(line)
        if not row:
            head = None
            continue
        if head is None:
            head, metrics = row, metrics_of(path, number, row)
            continue
        if set(row[0]) == {"-"}:
            continue
        named = dict(zip(head, row))
        for metric, value in zip(metrics, row):
            if metric is not None and value:
                peer = named["engine"].lower().replace(" ", "-")
                yield [benchmark, named["scene"], named["numbers"], named["lanes"], named["threads"], *metric, value, peer]


def rows_of_google(benchmark, path, lines):
    start = next(i for i, line in enumerate(lines) if line.startswith("name,iterations"))
    for row in csv.DictReader(lines[start:]):
        if row["error_occurred"]:
            raise ResultError(f"{path}: {row['name']} failed: {row['error_message']}; mend the benchmark first")
        yield [benchmark, row["name"].replace(",", ";"), "-", "-", "-", "cpu_time", row["time_unit"], row["cpu_time"], "takt"]


def main(arguments):
    out = csv.writer(sys.stdout, lineterminator="\n")
    rows = []
    try:
        for argument in arguments:
            benchmark, equals, path = argument.partition("=")
            if not equals:
                raise ResultError(f"'{argument}' names no file; usage: results_to_csv.py BENCHMARK=FILE...")
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            google = any(line.startswith("name,iterations") for line in lines)
            for row in (rows_of_google if google else rows_of_tables)(benchmark, path, lines):
                checked_row(path, 1, row)
                rows.append(row)
        if not rows:
            raise ResultError("no table in the input; give the output of a bench program")
    except (ResultError, OSError) as error:
        print(f"results_to_csv: {error}", file=sys.stderr)
        return 2
    print(f"# {time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores; add CPU, compiler and load")
    out.writerow(COLUMNS)
    out.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
