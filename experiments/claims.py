#!/usr/bin/env python3
"""Prints what the papers claim beside what records say: published, ours, their ratio, a verdict.
The claims are listed in claims_of_papers.py; published numbers come from plots/published.

  experiments/claims.py                       the recorded runs of this repository
  experiments/claims.py --results reproduction --gpu gpu

Verdicts:
  reproduced    the effect is there, and as large
  differs       it is not as large, or larger where the paper gives no lower bound, or it is there
                where the paper has none
  contradicted  there is none, or the opposite
  reached       an absolute time, rate or energy, or a GPU against a CPU, which newer hardware
                reaches: it says nothing about the method; where it is not reached, it differs
  not measured  no record here has it
  met, missed   a target of ours
The notes speak of the recorded runs of this repository."""

import argparse
import csv
import dataclasses
import functools
import json
import math
import pathlib
import re
import sys

from ratios import medians

HERE = pathlib.Path(__file__).resolve().parent
PUBLISHED = HERE.parent / "plots" / "published"
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}


class Missing(Exception):
    """A record does not exist, or has no such row."""


@functools.cache
def published_rows(table):
    with open(PUBLISHED / f"{table}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def published(table, **wanted):
    """The one number in plots/published/<table>.csv whose columns have these values."""
    values = {float(row["value"]) for row in published_rows(table)
              if all(row[column] == str(value) for column, value in wanted.items())}
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

    def rows(self, key):
        if key not in self.kept:
            self.kept[key] = medians(self.path(key, ".json"), or_only_run=True)
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
        row = self.row(key, name)
        return row["real_time"] * MILLISECONDS[row["time_unit"]]

    def rate(self, key, name):
        """10^9 things a second."""
        return self.row(key, name)["items_per_second"] / 1e9

    def value(self, key, name, field):
        row = self.row(key, name)
        if field not in row:
            raise Missing(f"{key} has no {field} of {name}")
        return row[field]

    def counter(self, name, field):
        for row in json.loads(self.path("gpu/counters", ".json").read_text())["counters"]:
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


@dataclasses.dataclass(frozen=True)
class Claim:
    place: str
    what: str
    published: object  # () -> number
    ours: object  # Records -> number
    judge: object  # (published, ours) -> verdict
    unit: str = "times"
    note: str = ""  # what to bear in mind, of hardware or method
    pending: bool = False  # no record has it yet; `note` says why


# The size of an effect on a ratio is that of its logarithm: this share of the published one counts
# as the same, and less than the second as none. A ratio nearer to 1 than the third is hardly one.
SAME, NONE, NEAR = 0.7, 0.1, 1.03


def near_one(ratio):
    return 1 / NEAR < ratio < NEAR


def about(theirs, ours):
    """A ratio that should be as stated."""
    if near_one(theirs):  # stated to be no difference, or hardly one
        return "reproduced" if near_one(ours / theirs) else "differs"
    share = math.log(ours) / math.log(theirs)
    if share <= NONE:
        return "contradicted"
    return "reproduced" if SAME <= share <= 1 / SAME else "differs"


def within(factor):
    """A quantity that does not depend on how fast a machine is, or a ratio whose value counts and
    not how far it is from 1; on the other side of 1 it is the opposite all the same."""
    def judge(theirs, ours):
        if min(theirs, ours) < 1 / NEAR and max(theirs, ours) > NEAR:
            return "contradicted"
        return "reproduced" if 1 / factor <= ours / theirs <= factor else "differs"
    return judge


def at_least(theirs, ours):
    """A rate, or a GPU against a CPU: neither should be less on newer hardware."""
    return "reached" if ours >= theirs else "differs"


def at_most(theirs, ours):
    """A time or an energy."""
    return "reached" if ours <= theirs else "differs"


def more_than_one(_, ours):
    """An order that is stated without a number."""
    return "reproduced" if ours > 1.02 else "contradicted"


def met(target, ours):
    return "met" if ours <= target else "missed"


def evaluate(claims, records):
    """(claim, published, ours or None, verdict, why not measured) of each."""
    for claim in claims:
        theirs = claim.published()
        try:
            ours = claim.ours(records)
        except Missing as missing:
            yield claim, theirs, None, "not measured", str(missing)
        else:
            yield claim, theirs, ours, claim.judge(theirs, ours), ""


def number(value, width):
    if value is None:
        return "-".rjust(width)
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")).rjust(width)


def print_table(results, notes=False):
    results = list(results)
    if not results:
        return
    width = max(len(claim.place) for claim, *_ in results)
    what = max(len(claim.what) for claim, *_ in results)
    print(f"{'where':{width}}  {'claim':{what}}  {'published':>9}  {'ours':>9}  {'unit':11}  "
          f"{'ratio':>7}  verdict")
    for claim, theirs, ours, verdict, _ in results:
        ratio = None if ours is None else ours / theirs
        print(f"{claim.place:{width}}  {claim.what:{what}}  {number(theirs, 9)}  "
              f"{number(ours, 9)}  {claim.unit:11}  {number(ratio, 7)}  {verdict}")
        if notes and claim.note:
            print(f"{'':{width}}    {claim.note}")
    verdicts = [verdict for *_, verdict, _ in results]
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(sorted(verdicts))}
    print(f"{len(results)} claims: "
          + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


def main():
    from claims_of_papers import CLAIMS

    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--gpu", default="h200", help="folder of the GPU's records in --results")
    parser.add_argument("--cpu", default="cpu", help="folder of the CPU's records in --results")
    parser.add_argument("--notes", action="store_true",
                        help="also what to bear in mind where hardware or method differ")
    parser.add_argument("--check", action="store_true",
                        help="exit 1 if something is not measured, or is and is `pending`")
    options = parser.parse_args()
    results = list(evaluate(CLAIMS, Records(options.results, options.gpu, options.cpu)))
    print_table(results, options.notes)
    missing = list(dict.fromkeys(why or f"{claim.place} is pending no more"
                                 for claim, *_, why in results if bool(why) != claim.pending))
    for why in missing if options.check else ():
        print(f"claims.py: {why}", file=sys.stderr)
    return 1 if options.check and missing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as error:
        print(f"claims.py: {error}", file=sys.stderr)
        sys.exit(2)
