#!/usr/bin/env python3
"""Finds the group sizes and numbers of workers that suit this device (thesis 4.8.4, Table 4.1):
runs the parameter optimiser, or reads a record of it, prints its table and writes the best
parameters.

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

PARAMETERS = ("split_group", "pack_group", "pack_workers", "section_items", "tile_group",
              "tile_items", "tile_packers")


def best_parameters(record):
    """One entry for each method, distribution and size."""
    found = {}
    for name, row in benchmarks(record).items():
        experiment, series, distribution, items = name.split("/")[:4]
        if experiment != "tuning":
            continue
        method, _, which = series.rpartition("_")
        found[method, distribution, int(items), which] = row
    entries = []
    for (method, distribution, items, which), row in found.items():
        if which != "best":
            continue
        before = found[method, distribution, items, "default"]
        entries.append({"method": method, "distribution": distribution, "items": items}
                       | {name: int(row[name]) for name in PARAMETERS if name in row}
                       | {"milliseconds": row["ms"],
                          "milliseconds_of_defaults": before["ms"]})
    if not entries:
        raise RuntimeError("the record holds no tuning/...")
    return entries


def print_table(entries):
    head = ["method", "distribution", "items", *PARAMETERS, "ms", "ms of defaults"]
    lines = [head]
    for entry in entries:
        shown = [str(entry.get(name, "-")) for name in head[:-2]]
        lines.append(shown + [f"{entry['milliseconds']:.3f}",
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
