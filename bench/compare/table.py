#!/usr/bin/env python3
"""Prints the table of docs/COMPARE.md from a CSV of compare.py: a row a measure, a column an engine."""

import csv
import sys

ENGINES = ("Takt", "MuJoCo", "PyBullet", "Rapier")


def table(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = {}
    for row in rows:
        words = row["setting"].split(", ")
        # The step and the number of threads are common to all engines; other settings are each engine's own.
        common = [word for word in words if word.endswith((" Hz", " threads", " thread"))]
        key = (
            row["case"],
            ", ".join(word.replace("1 threads", "1 thread") for word in common),
            row["measure"],
        )
        found.setdefault(key, {})[row["engine"]] = float(row["value"])
    lines = [
        "| case | step | measure | " + " | ".join(ENGINES) + " |",
        "|---|---|---|" + "---|" * len(ENGINES),
    ]
    for (case, common, measure), values in found.items():
        cells = []
        for engine in ENGINES:
            if engine not in values:
                cells.append("")
            elif measure.startswith("restored = never restored"):
                cells.append("yes" if values[engine] else "no")
            else:
                cells.append(number(values[engine]))
        lines.append(f"| {case} | {common} | {measure} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def number(value):
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    digits = max(0, 2 - len(str(int(abs(value)))) + 1) if abs(value) >= 1 else 3
    return f"{round(value, digits) if abs(value) < 1000 else float(f'{value:.3g}'):,.{digits}f}"


if __name__ == "__main__":
    sys.stdout.write(table(sys.argv[1]))
