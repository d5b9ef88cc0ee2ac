#!/usr/bin/env python3
"""Whether clean_record.py drops from a run what it says, keeps the rest, and leaves alone what it refuses.

Usage: test_clean_record.py <root of the tree>
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

from faults import report

SLOW = "release, kernels not optimised"
RUN = {"context": {"host_name": "somewhere", "executable": "/home/someone/build/experiments/sampling",
                   "build_type": "release", "device": "a GPU", "commit": "1234567"},
       "benchmarks": [{"name": "sample/direct/10/iterations:5/manual_time", "run_name": "sample/direct/10/iterations:5",
                       "real_time": 2.5, "error_cv": float("nan")},
                      {"name": "sample/direct/100/manual_time", "run_name": "sample/direct/100", "real_time": 3}]}
CLEAN = {"context": {"executable": "sampling", "build_type": "release", "device": "a GPU", "commit": "1234567"},
         "benchmarks": [{"name": "sample/direct/10/manual_time", "run_name": "sample/direct/10", "real_time": 2.5},
                        {"name": "sample/direct/100/manual_time", "run_name": "sample/direct/100", "real_time": 3}]}
NOTHING, TOO_SLOW = "nothing was measured", "whose kernels are slow"
# What differs in the context, the rows, and the words with which it is refused (none: it is not).
CASES = (
    ({}, None, None),
    ({"build_type": SLOW, "device": "none"}, None, None),
    ({"build_type": SLOW}, None, TOO_SLOW),
    ({}, [], NOTHING),
)


def faults_of(script, changed, rows, refused):
    def with_case(record):
        record = copy.deepcopy(record)
        record["context"] |= changed
        return record if rows is None else record | {"benchmarks": rows}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "record.json")
        before = json.dumps(with_case(RUN))
        path.write_text(before)
        done = subprocess.run([sys.executable, script, path, "sampling"], capture_output=True, text=True)
        after = path.read_text()
    what = f"{changed or 'a run'}{'' if rows is None else f' with rows {rows}'}"
    if refused:
        if done.returncode == 0 or refused not in done.stderr:
            yield f"{what}: ends with {done.returncode}, {done.stderr or 'nothing said'}"
        if after != before:
            yield f"{what}: is refused, and yet written"
    elif done.returncode or json.loads(after) != with_case(CLEAN):
        yield f"{what}: becomes {after}, {done.stderr}"


def main(root):
    script = root / "scripts" / "clean_record.py"
    return report([fault for case in CASES for fault in faults_of(script, *case)], f"{len(CASES)} runs, ")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
