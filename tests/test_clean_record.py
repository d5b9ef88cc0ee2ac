#!/usr/bin/env python3
"""Whether clean_record.py writes of a run of Google Benchmark what record_format.py says, and leaves alone what it
refuses.

Usage: test_clean_record.py <root of the tree>
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from faults import report

SLOW = "release, kernels not optimised"
CONTEXT = {"date": "today", "host_name": "somewhere", "executable": "/home/someone/build/experiments/sampling",
           "num_cpus": 2, "load_avg": [0.5], "library_build_type": "debug", "build_type": "release", "device": "a GPU",
           "commit": "1234567", "caches": [{"type": "Instruction", "level": 1, "size": 1024},
                                           {"type": "Data", "level": 1, "size": 49152},
                                           {"type": "Data", "level": 2, "size": 2048}]}
KEPT = {"date": "today", "build_type": "release", "device": "a GPU", "commit": "1234567", "l1_data_kb": 48}
TIMES = {"mean": 2e3, "median": 1234.56789, "stddev": 1e3, "cv": 0.5, "min": 1e3, "max": 4e3}  # microseconds


def row(name, **more):
    return {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
            "threads": 1, "iterations": 5, "real_time": 2.5, "cpu_time": 9.0, "time_unit": "ms", **more}


def aggregates(name, **more):
    return [row(name, run_type="aggregate", aggregate_name=which, aggregate_unit="time", repetitions=9, real_time=time,
                time_unit="us", items_per_second=time * 1e7, nothing=float("nan") if which == "cv" else 0.0, **more)
            for which, time in TIMES.items()]


MANY = [row("sample/direct/10/iterations:5/manual_time", repetitions=9, repetition_index=each) for each in range(9)]
ROWS = [*MANY, *aggregates("sample/direct/10/iterations:5/manual_time", label="wide"),
        row("sample/once/10/manual_time", no_number=float("nan"), bytes=16.0),
        row("sample/wrong/10/manual_time", error_occurred=True, error_message="it is wrong")]
LINES = ('{"name": "sample/direct/10", "ms": 1.23457, "min": 1, "max": 4, "repetitions": 9, '
         '"items_per_second": 12345700000, "nothing": 0, "label": "wide"}',
         '{"name": "sample/once/10", "ms": 2.5, "repetitions": 1, "bytes": 16}')
NOTHING, TOO_SLOW = "nothing was measured", "whose kernels are slow"
# What differs in the context, the rows, and the words with which it is refused (none: it is not).
CASES = (
    ({}, ROWS, None),
    ({"build_type": SLOW, "device": "none"}, ROWS, None),
    ({"build_type": SLOW}, ROWS, TOO_SLOW),
    ({}, [], NOTHING),
    ({}, ROWS[-1:], NOTHING),
    (None, None, NOTHING),
)


def faults_of(script, changed, rows, refused):
    before = "" if rows is None else json.dumps({"context": CONTEXT | changed, "benchmarks": rows})
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "record.json")
        path.write_text(before)
        done = subprocess.run([sys.executable, script, path], capture_output=True, text=True)
        after = path.read_text()
    what = f"{changed or 'a run'}, {len(rows or ())} rows"
    if refused:
        if done.returncode == 0 or refused not in done.stderr:
            yield f"{what}: ends with {done.returncode}, {done.stderr or 'nothing said'}"
        if after != before:
            yield f"{what}: is refused, and yet written"
        return
    if done.returncode:
        yield f"{what}: ends with {done.returncode}, {done.stderr}"
        return
    context = json.loads(after)["context"]
    if context != KEPT | changed:
        yield f"{what}: the context becomes {context}"
    if after.splitlines()[2:] != [f"{LINES[0]},", LINES[1], "]}"]:
        yield f"{what}: becomes {after}"


def main(root):
    script = root / "scripts" / "clean_record.py"
    return report([fault for case in CASES for fault in faults_of(script, *case)], f"{len(CASES)} runs, ")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
