#!/usr/bin/env python3
"""Compares two result files: prints the ratio B / A of each cost, and fails when Takt became slower.

Usage: compare_results.py A.csv B.csv
Exit code 0: no cost of Takt in B is more than 5 % above A. 1: one is. 2: a file is bad; the message has the remedy.
Only costs are compared (times and instructions), and only rows that both files have. p99 rows and rows of other
engines are printed but never fail: the first are noise of the machine, the second not ours.
"""

import sys

sys.dont_write_bytecode = True  # the source tree stays clean

from results_file import COLUMNS, COST_UNITS, ResultError, read_results

SLOWER_MAX = 1.05
KEY_COLUMNS = [column for column in COLUMNS if column != "value"]


def is_checked(row):
    return row["peer"] == "takt" and "p99" not in row["metric"]


def compare(path_a, path_b, out):
    """Number of checked rows that are slower."""
    a, b = read_results(path_a), read_results(path_b)
    unit = KEY_COLUMNS.index("unit")
    costs_a = [key for key in a if key[unit] in COST_UNITS]
    common = [key for key in costs_a if key in b]
    if not any(is_checked(dict(zip(KEY_COLUMNS, key))) for key in common):
        raise ResultError(f"{path_b}:1: no cost of Takt in common with {path_a}; "
                          "measure the same benchmarks, scenes, modes, lanes and threads for both files")
    head = KEY_COLUMNS + ["A", "B", "B / A", "verdict"]
    table = [head]
    slower = 0
    for key in common:
        row = dict(zip(KEY_COLUMNS, key))
        ratio = b[key] / a[key]
        verdict = ""
        if ratio > SLOWER_MAX:
            verdict = "SLOWER" if is_checked(row) else "slower, not checked"
            slower += is_checked(row)
        elif ratio < 1 / SLOWER_MAX:
            verdict = "faster"
        table.append([*key, f"{a[key]:.6g}", f"{b[key]:.6g}", f"{ratio:.3f}", verdict])
    widths = [max(len(line[i]) for line in table) for i in range(len(head))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip(), file=out)
    only_a = len(costs_a) - len(common)
    only_b = sum(1 for key in b if key[unit] in COST_UNITS and key not in a)
    print(f"\n{len(common)} costs compared, {slower} slower by more than 5 %; "
          f"{only_a} only in {path_a}, {only_b} only in {path_b}", file=out)
    return slower


def main(arguments):
    if len(arguments) != 2:
        print("compare_results: two files are needed; usage: ./dev bench --compare A.csv B.csv", file=sys.stderr)
        return 2
    try:
        return 1 if compare(arguments[0], arguments[1], sys.stdout) else 0
    except ResultError as error:
        print(f"compare_results: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
