"""Recorded runs and published values, as the scripts here and the figures read them."""

import csv
import functools
import json
import pathlib
import re

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
PUBLISHED = RESULTS.parent.parent / "plots" / "published"


class Missing(Exception):
    """A record does not exist, or has no such row."""


def milliseconds(row):
    """The time of a benchmark."""
    return row["real_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[row["time_unit"]]


def medians(record, or_only_run=False):
    """name without Google Benchmark's suffixes -> row of the medians; with `or_only_run` also the row
    of what ran once, which has no aggregates."""
    rows = {}
    for row in record.get("benchmarks", ()):
        alone = (or_only_run and row["run_type"] == "iteration" and row["repetitions"] == 1
                 and "error_message" not in row)
        if row.get("aggregate_name") == "median" or alone:
            rows[re.sub(r"/iterations:\d+", "", row["run_name"]).removesuffix("/manual_time")] = row
    return rows


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


class Records:
    """Recorded runs, by kind/experiment. Names of rows may hold `{most}` for a number, of threads
    or of samples, of which the largest is taken that was measured."""

    def __init__(self, root, gpu, cpu):
        self.folders = {"gpu": root / gpu, "cpu": root / cpu}
        self.asked = set()  # the records that were looked at
        self.kept = {}

    def path(self, key, suffix):
        kind, name = key.split("/")
        self.asked.add(key)
        path = self.folders[kind] / (name + suffix)
        if not path.is_file():
            raise Missing(f"there is no {path.name} of the {kind.upper()}")
        return path

    def rows(self, key, of=lambda record: medians(record, or_only_run=True)):
        if key not in self.kept:
            self.kept[key] = of(json.loads(self.path(key, ".json").read_text()))
        self.asked.add(key)
        return self.kept[key]

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

    def ms(self, key, name):
        return milliseconds(self.row(key, name))

    def rate(self, key, name):
        """10^9 things a second."""
        return self.row(key, name)["items_per_second"] / 1e9

    def value(self, key, name, field):
        row = self.row(key, name)
        if field not in row:
            raise Missing(f"{key} has no {field} of {name}")
        return row[field]

    def counter(self, name, field):
        for row in self.rows("gpu/counters", of=lambda record: record["counters"]):
            if row["name"] == name:
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
