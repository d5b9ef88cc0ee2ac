#!/usr/bin/env python3
"""Takes from a recorded run what says nothing about the measurement: what the machine is called,
where the program lay, how many iterations a name says were asked for, and the coefficients of
variation of counters that are zero (NaN, which JSON does not know).
  scripts/clean_record.py <record> <experiment>
"""

import json
import pathlib
import re
import sys


def has_slow_kernels(context):
    """Whether they ran: without a GPU none does."""
    return "not optimised" in context.get("build_type", "") and context.get("device", "none") != "none"


def main(path, experiment):
    text = path.read_text()
    record = json.loads(text) if text else {"benchmarks": []}
    if not record["benchmarks"]:
        sys.exit("clean_record.py: nothing was measured, so nothing was recorded")
    if has_slow_kernels(record["context"]):
        sys.exit("clean_record.py: built with WRSGPU_FAST_COMPILE, whose kernels are slow, so nothing was recorded; "
                 "run cmake --preset default -DWRSGPU_FAST_COMPILE=OFF and build again")
    record["context"].pop("host_name", None)
    record["context"]["executable"] = experiment
    for row in record["benchmarks"]:
        for field in ("name", "run_name"):
            row[field] = re.sub(r"/iterations:\d+", "", row[field])
        for field in [name for name, value in row.items() if value != value]:
            del row[field]
    path.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
