#!/usr/bin/env python3
"""Checks plots/published/*.csv: the columns, that values are numbers with a unit and a source, that
machines are known, that no value is given twice, and that thesis_notes.md names every file.

Usage: test_published_values.py [root of the tree]
"""

import csv
import glob
import math
import os
import sys

COLUMNS = ["source", "place", "machine", "method", "distribution", "items", "samples", "quantity",
           "value", "unit", "note"]
SOURCES = {"thesis", "report", "shuffling", "measured"}  # the last: by us, of others


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        return reader.fieldnames, list(reader)


def problems(path, machines):
    columns, rows = read(path)
    if columns != COLUMNS:
        yield 1, f"columns {columns}, expected {COLUMNS}"
        return
    if not rows:
        yield 1, "no values"
    seen = set()
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            yield number, "wrong number of fields"
            continue
        if row["source"] not in SOURCES:
            yield number, f"unknown source '{row['source']}'"
        if row["machine"] and row["machine"] not in machines:
            yield number, f"machine '{row['machine']}' is not in machines.csv"
        for column in ("place", "quantity", "unit"):
            if not row[column]:
                yield number, f"{column} is empty"
        for column in ("items", "samples"):
            if row[column] and not row[column].isdigit():
                yield number, f"{column} '{row[column]}' is not a count"
        try:
            if not (math.isfinite(float(row["value"])) and float(row["value"]) > 0):
                yield number, f"value {row['value']} is not a positive number"
        except ValueError:
            yield number, f"value '{row['value']}' is not a number"
        key = tuple(row[column] for column in COLUMNS if column != "value")
        if key in seen:
            yield number, "the same value twice"
        seen.add(key)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    folder = os.path.join(root, "plots/published")
    _, machine_rows = read(os.path.join(folder, "machines.csv"))
    machines = {row["machine"] for row in machine_rows}
    with open(os.path.join(root, "thesis_notes.md"), encoding="utf-8") as file:
        notes = file.read()
    files = sorted(glob.glob(os.path.join(folder, "*.csv")))
    failures = 0
    for path in files:
        found = [] if path.endswith("machines.csv") else list(problems(path, machines))
        if os.path.relpath(path, root) not in notes:
            found.append((1, "not named in thesis_notes.md"))
        for number, what in found:
            print(f"{os.path.relpath(path, root)}:{number}: {what}")
        failures += len(found)
    print(f"{len(files)} files, {failures} problems")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
