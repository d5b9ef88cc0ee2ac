#!/usr/bin/env python3
"""Turns the file that an experiment wrote into a record: one line per benchmark (experiments/record_format.py).
  scripts/clean_record.py <file>
Refuses a run that measured nothing, and one of slow kernels.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

from record_format import compact, text_of


def has_slow_kernels(context):
    """Whether they ran: without a GPU none does."""
    return "not optimised" in context.get("build_type", "") and context.get("device", "none") != "none"


def main(path):
    text = path.read_text()
    record = compact(json.loads(text)) if text else {"benchmarks": []}
    if not record["benchmarks"]:
        sys.exit("clean_record.py: nothing was measured, so nothing was recorded")
    if has_slow_kernels(record["context"]):
        sys.exit("clean_record.py: built with WRSGPU_FAST_COMPILE, whose kernels are slow, so nothing was recorded; "
                 "run cmake --preset default -DWRSGPU_FAST_COMPILE=OFF and build again")
    path.write_text(text_of(record))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
