#!/usr/bin/env python3
"""Finds the group sizes, numbers of workers and rows per section that suit this device (thesis 4.8.4,
Table 4.1): runs the parameter optimiser, or reads a record of it, prints its table and writes the best
parameters, and what was tried for each.

  experiments/best_parameters.py --run build/experiments/tuning --output best.json
  experiments/best_parameters.py --record experiments/results/h200/tuning.json
"""

import argparse
import json
import pathlib
import subprocess
import sys

import running
from records import benchmarks, read

PARAMETERS = ("split_group", "pack_group", "pack_workers", "chunk", "chunk_threshold",
              "chunk_asynchronous", "chunk_reuses", "section_items", "tile_group", "tile_items",
              "tile_packers", "greedy_min_items")


def parameters_of(row):
    return {name: int(row[name]) for name in PARAMETERS if name in row}


def tried(record):
    """(method, distribution, items) -> what the search tried, in order; empty in records that lack it."""
    trials = {}
    for name, row in benchmarks(record).items():
        experiment, series, *rest = name.split("/")
        if experiment == "tuning" and series.endswith("_trial"):
            distribution, items, number = rest
            trials.setdefault((series.removesuffix("_trial"), distribution, int(items)), []).append(
                (int(number), parameters_of(row) | {"milliseconds": row["ms"]}))
    return {key: [trial for _, trial in sorted(numbered, key=lambda each: each[0])]
            for key, numbered in trials.items()}


def best_parameters(record):
    """One entry for each method, distribution and size."""
    found, trials = {}, tried(record)
    for name, row in benchmarks(record).items():
        experiment, series, distribution, items = name.split("/")[:4]
        if experiment != "tuning" or series.endswith("_trial"):
            continue
        method, _, which = series.rpartition("_")
        found[method, distribution, int(items), which] = row
    entries = []
    for (method, distribution, items, which), row in found.items():
        if which != "best":
            continue
        before = found[method, distribution, items, "default"]
        entries.append({"method": method, "distribution": distribution, "items": items}
                       | parameters_of(row)
                       | {"milliseconds": row["ms"],
                          "milliseconds_of_defaults": before["ms"],
                          "tried": trials.get((method, distribution, items), [])})
    if not entries:
        raise RuntimeError("the record holds no tuning/...")
    return entries


def print_table(entries):
    head = ["method", "distribution", "items", *PARAMETERS, "tried", "ms", "ms of defaults"]
    lines = [head]
    for entry in entries:
        shown = [str(entry.get(name, "-")) for name in head[:-3]]
        lines.append(shown + [str(len(entry["tried"])), f"{entry['milliseconds']:.3f}",
                              f"{entry['milliseconds_of_defaults']:.3f}"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--run", metavar="PROGRAM", help="the experiment tuning, to be run here")
    source.add_argument("--record", type=pathlib.Path, help="a recorded run of it")
    parser.add_argument("--sizes", help="numbers of items to tune for, as 1e6,1e7; with --run")
    parser.add_argument("--output", type=pathlib.Path, help="where the parameters go, as JSON")
    arguments = parser.parse_args()
    if arguments.run:
        sizes = [f"--sizes={arguments.sizes}"] if arguments.sizes else []
        record = running.run(arguments.run, sizes, stdout=None)
    else:
        record = read(arguments.record)
    entries = best_parameters(record)
    device = record["context"].get("device", "unknown")
    print(f"device: {device}")
    print_table(entries)
    if arguments.output:
        arguments.output.write_text(
            json.dumps({"device": device, "parameters": entries}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"best_parameters.py: {error}", file=sys.stderr)
        sys.exit(1)
