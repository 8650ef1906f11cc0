"""Result files of bench/results: one row per figure, for programs to read.

A file belongs to one machine and one date. Its first line is the header below. Lines that begin with '#' are
comments: machine, compiler, command. This module neither measures nor compares (compare_results.py does).

    benchmark  program that measured, such as bench_scenes
    scene      scene or kernel
    mode       numbers mode: float, fixed, or - where it does not apply
    lanes      lane width: a number, auto, or -
    threads    number of threads, or -
    metric     measured quantity, such as tick_median
    unit       one of UNITS
    value      finite decimal number
    peer       engine: takt, bullet-1x10, box3d, jolt, target
"""

import csv
import math
import re

COLUMNS = ["benchmark", "scene", "mode", "lanes", "threads", "metric", "unit", "value", "peer"]
# Units of cost: a higher value is slower. The others are sizes, lengths, speeds and plain numbers.
COST_UNITS = {"ns", "us", "ms", "s", "instructions"}
UNITS = COST_UNITS | {"bytes", "kib", "mm", "m/s", "count", "percent", "ratio"}


class ResultError(Exception):
    """Bad input: the message has file, line and remedy."""


def fail(path, line, text, remedy):
    raise ResultError(f"{path}:{line}: {text}; {remedy}")


def checked_row(path, line, fields):
    """The key of a row and its value."""
    if len(fields) != len(COLUMNS):
        fail(path, line, f"{len(fields)} columns instead of {len(COLUMNS)}", f"write {','.join(COLUMNS)}")
    row = dict(zip(COLUMNS, fields))
    for column in COLUMNS:
        if row[column] != row[column].strip() or not row[column]:
            fail(path, line, f"column '{column}' is empty or padded with blanks",
                 "write '-' where a column does not apply, and no blanks around values")
    if row["mode"] not in ("float", "fixed", "-"):
        fail(path, line, f"mode '{row['mode']}' is unknown", "write float, fixed or -")
    if not re.fullmatch(r"[1-9][0-9]*|auto|-", row["lanes"]):
        fail(path, line, f"lanes '{row['lanes']}' is no lane width", "write a number from 1, auto or -")
    if not re.fullmatch(r"[1-9][0-9]*|-", row["threads"]):
        fail(path, line, f"threads '{row['threads']}' is no number of threads", "write a number from 1 or -")
    if row["unit"] not in UNITS:
        fail(path, line, f"unit '{row['unit']}' is unknown", f"write one of {', '.join(sorted(UNITS))}")
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", row["value"]):
        fail(path, line, f"value '{row['value']}' is no number", "write a finite decimal number such as 6.08")
    value = float(row["value"])
    if not math.isfinite(value):
        fail(path, line, f"value '{row['value']}' is not finite", "write a finite decimal number such as 6.08")
    if row["unit"] in COST_UNITS and value <= 0:
        fail(path, line, f"value '{row['value']}' {row['unit']} is not above 0", "measure again: no tick is free")
    return tuple(row[column] for column in COLUMNS if column != "value"), value


def read_results(path):
    """Values by key, in the order of the file. A key has every column but the value."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}; name a file of bench/results or one of ./dev bench --csv") from error
    except UnicodeDecodeError as error:
        raise ResultError(f"{path}:1: not UTF-8 text; name a CSV file") from error
    rows = {}
    first_line = {}
    header_seen = False
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            fields = next(csv.reader([line], strict=True))
        except csv.Error as error:
            fail(path, number, f"not a CSV line ({error})", "close every quotation mark on its line")
        if not header_seen:
            if fields != COLUMNS:
                fail(path, number, "the first line is not the header", f"write {','.join(COLUMNS)}")
            header_seen = True
            continue
        key, value = checked_row(path, number, fields)
        if key in rows:
            fail(path, number, f"repeats line {first_line[key]}", "keep one of the two rows")
        rows[key] = value
        first_line[key] = number
    if not header_seen:
        fail(path, 1, "the file has no header", f"write {','.join(COLUMNS)} as the first line")
    if not rows:
        fail(path, len(lines), "the file has no results", "run ./dev bench --csv FILE to make one")
    return rows
