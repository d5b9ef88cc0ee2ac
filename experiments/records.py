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


class Missing(Exception):
    """A record does not exist, or has no such row."""
    EXIT_STATUS = 3  # of a script that cannot go on for that


def read(path):
    """What a record holds. Exits where it is damaged or not there, and says which."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{path} cannot be read: {error}; restore it, or measure it again")


def milliseconds(row):
    """The time of a benchmark."""
    return row["real_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[row["time_unit"]]


def name_of(row):
    """The name of a benchmark without Google Benchmark's suffixes."""
    return re.sub(r"/iterations:\d+", "", row["run_name"]).removesuffix("/manual_time")


def medians(record, or_only_run=False):
    """name -> row of the medians; with `or_only_run` also the row of what ran once, which has no
    aggregates."""
    rows = {}
    for row in record.get("benchmarks", ()):
        alone = (or_only_run and row["run_type"] == "iteration" and row["repetitions"] == 1
                 and "error_message" not in row)
        if row.get("aggregate_name") == "median" or alone:
            rows[name_of(row)] = row
    return rows


def variations(record):
    """name -> row of the coefficients of variation, of what ran more than once."""
    return {name_of(row): row for row in record.get("benchmarks", ())
            if row.get("aggregate_name") == "cv"}


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
    medians: dict
    variations: dict
    counters: list


class Records:
    """Recorded runs, by kind/experiment. Names of rows may hold `{most}` for a number, of threads
    or of samples, of which the largest is taken that was measured."""

    def __init__(self, root, gpu, cpu):
        self.folders = {"gpu": root / gpu, "cpu": root / cpu}
        self.asked = set()  # the records that were looked at since `afresh`
        self.variation = 0.0  # the largest of the times that were looked at
        self.kept = {}

    def afresh(self):
        """The same records, at which nobody has looked."""
        same = copy.copy(self)
        same.variation, same.asked = 0.0, set()
        return same

    def path(self, key, suffix):
        kind, name = key.split("/")
        self.asked.add(key)
        path = self.folders[kind] / (name + suffix)
        if not path.is_file():
            raise Missing(f"there is no {path.name} of the {kind.upper()}")
        return path

    def parts(self, key):
        if key not in self.kept:
            record = read(self.path(key, ".json"))
            self.kept[key] = Parts(medians(record, or_only_run=True), variations(record),
                                   record.get("counters", []))
        self.asked.add(key)
        return self.kept[key]

    def rows(self, key):
        return self.parts(key).medians

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

    def timed_row(self, key, name, field="real_time"):
        """The row; `field` is a time, or was made from it, whose variation counts."""
        row = self.row(key, name)
        variation = self.parts(key).variations.get(name_of(row), {}).get(field, math.inf)
        # What ran once, or has no variation, may vary by anything.
        self.variation = max(self.variation, math.inf if math.isnan(variation) else variation)
        return row

    def ms(self, key, name):
        return milliseconds(self.timed_row(key, name))

    def rate(self, key, name):
        """10^9 things a second."""
        return self.timed_row(key, name)["items_per_second"] / 1e9

    def value(self, key, name, field):
        row = self.timed_row(key, name, field) if field.endswith("_us") else self.row(key, name)
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
