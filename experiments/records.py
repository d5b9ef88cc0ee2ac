"""Recorded runs and published values, as the scripts here and the figures read them."""

import copy
import csv
import functools
import json
import math
import pathlib
import re
import sys
import typing

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
PUBLISHED = RESULTS.parent.parent / "plots" / "published"
# Kinds of CPU that some records are of, and their folders; where there is none, "cpu" stands for them: a
# reproduction measures all of its CPU there.
OTHER_CPUS = {"host": "cpu_h200_host", "zen3": "cpu_zen3"}
TWO_GPUS = "h200_x2"  # of one host


class Missing(Exception):
    """A record does not exist, or has no such row."""
    EXIT_STATUS = 3  # of a script that cannot go on for that


def read(path):
    """What a record holds. Exits where it is damaged, not there or no record yet, and says which."""
    try:
        record = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{path} cannot be read: {error}; restore it, or measure it again")
    if any("run_name" in row for row in record.get("benchmarks", ())):
        sys.exit(f"{path} is what Google Benchmark wrote; scripts/clean_record.py {path} makes a record of it")
    return record


def benchmarks(record):
    """name -> row (record_format.py)."""
    return {row["name"]: row for row in record.get("benchmarks", ())}


def variation(row):
    """By how much the median time exceeds the minimum; any number for what ran once."""
    return row["ms"] / row["min"] - 1 if "min" in row else math.inf


@functools.cache
def published_rows(table):
    """The rows of plots/published/<table>.csv; `value` is a number."""
    with open(PUBLISHED / f"{table}.csv", encoding="utf-8", newline="") as file:
        return [dict(row, value=float(row["value"])) for row in csv.DictReader(file)]


def published(table, **wanted):
    """Those whose columns have these values."""
    return [row for row in published_rows(table)
            if all(row[column] == str(value) for column, value in wanted.items())]


def published_value(table, **wanted):
    """The one number that those have."""
    values = {row["value"] for row in published(table, **wanted)}
    if len(values) != 1:
        raise ValueError(f"{table}.csv has {len(values)} values for {wanted}")
    return values.pop()


class Parts(typing.NamedTuple):
    """Of a record."""
    rows: dict
    counters: list


class Records:
    """Recorded runs, by kind/experiment. Names of rows may hold `{most}` for a number, of threads
    or of samples, of which the largest is taken that was measured."""

    def __init__(self, root, gpu, cpu):
        self.folders = {"gpu": root / gpu, "cpu": root / cpu, "x2": root / TWO_GPUS}
        self.folders |= {kind: root / name for kind, name in OTHER_CPUS.items() if (root / name).is_dir()}
        self.asked = set()  # the records that were looked at since `afresh`
        self.variation = 0.0  # the largest of the rows whose times were looked at
        self.kept = {}

    def afresh(self):
        """The same records, at which nobody has looked."""
        same = copy.copy(self)
        same.variation, same.asked = 0.0, set()
        return same

    def own(self, key):
        """The key of the records that stand for these."""
        kind, name = key.split("/")
        return f"cpu/{name}" if kind in OTHER_CPUS and kind not in self.folders else key

    def path(self, key, suffix):
        key = self.own(key)
        kind, name = key.split("/")
        self.asked.add(key)
        path = self.folders[kind] / (name + suffix)
        if not path.is_file():
            raise Missing(f"there is no {path.name} of the {kind.upper()}")
        return path

    def parts(self, key):
        key = self.own(key)
        if key not in self.kept:
            record = read(self.path(key, ".json"))
            self.kept[key] = Parts(benchmarks(record), record.get("counters", []))
        self.asked.add(key)
        return self.kept[key]

    def rows(self, key):
        return self.parts(key).rows

    def data(self, key):
        """All that a record holds."""
        return read(self.path(key, ".json"))

    def row(self, key, name):
        rows = self.rows(key)
        if "{most}" in name:
            pattern = re.compile(r"(\d+)".join(map(re.escape, name.split("{most}"))))
            found = [match for match in map(pattern.fullmatch, rows) if match]
            if found:
                name = max(found, key=lambda match: tuple(map(int, match.groups())))[0]
        if name not in rows:
            raise Missing(f"{key} has no {name}")
        return rows[name]

    def timed_row(self, key, name):
        """The row; it is looked at for a time, or for what was made from one."""
        row = self.row(key, name)
        self.variation = max(self.variation, variation(row))
        return row

    def ms(self, key, name):
        return self.timed_row(key, name)["ms"]

    def rate(self, key, name):
        """10^9 things a second."""
        return self.timed_row(key, name)["items_per_second"] / 1e9

    def value(self, key, name, field):
        # The times of the steps have no minimum: they vary as the whole does.
        row = self.timed_row(key, name) if field.endswith("_us") else self.row(key, name)
        if field not in row:
            raise Missing(f"{key} has no {field} of {name}")
        return row[field]

    def counter(self, name, field):
        for row in self.parts("gpu/counters").counters:
            if row["name"] == name:
                if field == "duration_ns":  # of one launch
                    self.variation = math.inf
                return row[field]
        raise Missing(f"gpu/counters has no {name}")

    def table(self, key, **wanted):
        """The rows of a CSV whose columns have these values."""
        with open(self.path(key, ".csv"), encoding="utf-8", newline="") as file:
            found = [row for row in csv.DictReader(file)
                     if all(row[column] == value for column, value in wanted.items())]
        if not found:
            raise Missing(f"{key} has no row of {', '.join(wanted.values())}")
        return found
