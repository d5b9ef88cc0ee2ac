#!/usr/bin/env python3
"""Checks plots/published/*.csv: the columns, that values are positive numbers with a unit and a source, that
machines are known, and that no value is given twice.

Usage: test_published_values.py <root of the tree>
"""

import csv
import math
import pathlib
import sys

from faults import report

COLUMNS = ["source", "place", "machine", "method", "distribution", "items", "samples", "quantity",
           "value", "unit", "note"]
SOURCES = {"thesis", "report", "shuffling", "measured"}  # the last: by us, of others


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        return reader.fieldnames, list(reader)


def is_positive(text):
    try:
        return math.isfinite(float(text)) and float(text) > 0
    except ValueError:
        return False


def faults_of_row(row, machines):
    if None in row or None in row.values():
        yield "wrong number of fields"
        return
    if row["source"] not in SOURCES:
        yield f"unknown source '{row['source']}'"
    if row["machine"] and row["machine"] not in machines:
        yield f"machine '{row['machine']}' is not in machines.csv"
    yield from (f"{column} is empty" for column in ("place", "quantity", "unit") if not row[column])
    yield from (f"{column} '{row[column]}' is not a count" for column in ("items", "samples")
                if row[column] and not row[column].isdigit())
    if not is_positive(row["value"]):
        yield f"value '{row['value']}' is not a positive number"


def faults_of(path, machines):
    columns, rows = read(path)
    if columns != COLUMNS or not rows:
        yield f"{path.name}: columns {columns}, expected {COLUMNS}, and rows"
        return
    seen = set()
    for number, row in enumerate(rows, 2):
        yield from (f"{path.name}:{number}: {what}" for what in faults_of_row(row, machines))
        key = tuple(row[column] for column in COLUMNS if column != "value")
        if key in seen:
            yield f"{path.name}:{number}: the same value twice"
        seen.add(key)


def main(root):
    folder = root / "plots" / "published"
    machines = {row["machine"] for row in read(folder / "machines.csv")[1]}
    files = sorted(set(folder.glob("*.csv")) - {folder / "machines.csv"})
    return report([fault for path in files for fault in faults_of(path, machines)], f"{len(files)} files, ") or not files


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
