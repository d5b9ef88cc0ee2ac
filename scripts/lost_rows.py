#!/usr/bin/env python3
"""Whether a run has all rows of the record in whose place it comes. Says how many it lacks, if any.
  scripts/lost_rows.py <record> <run>
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from records import benchmarks, read


def main(record, run):
    lost = benchmarks(read(record)).keys() - benchmarks(read(run)).keys()
    if lost:
        sys.exit(f"{record} has {len(lost)} rows that this run lacks")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*map(pathlib.Path, sys.argv[1:]))
