#!/usr/bin/env python3
"""Whether `scripts/reproduce.sh --full` measures every row that is recorded: asks each experiment for
the names of its benchmarks with the arguments of that mode. What claims and figures are from are these
rows. The numbers of host threads in names are the machine's, and left out. And whether the quick mode
is planned to end in time.

Usage: test_reproduction_plan.py <root of the tree> <folder of the experiments' programs>
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))

from records import medians
from reproduction_plan import EXPERIMENTS, QUICK_SECONDS

FOLDERS = {"gpu": "h200", "cpu": "cpu"}
# Which GPU methods it has it finds out on the machine.
PARTLY_LISTED = {"gpu/accuracy"}


def without_threads(name):
    return re.sub(r"_\d+t(?=/|$)", "", name)


def listed(program, arguments):
    run = subprocess.run([program, "--benchmark_list_tests", *arguments], capture_output=True, text=True,
                         check=True)
    return {without_threads(re.sub(r"/iterations:\d+", "", line).removesuffix("/manual_time"))
            for line in run.stdout.splitlines()}


def faults_of_full(root, programs):
    for key, experiment in EXPERIMENTS.items():
        record = root / "experiments" / "results" / FOLDERS[experiment.kind] / f"{experiment.name}.json"
        if not experiment.is_benchmark or key in PARTLY_LISTED:
            continue
        names = medians(json.loads(record.read_text()), or_only_run=True)
        measured = listed(programs / experiment.name, experiment.arguments("full"))
        for name in names:
            if without_threads(name) not in measured:
                yield f"{key} does not measure {name} in the full mode"


def faults_of_quick():
    seconds = sum(each.seconds("quick") or 0 for each in EXPERIMENTS.values())
    if seconds > QUICK_SECONDS:
        yield f"the quick mode is planned for {seconds} s, more than {QUICK_SECONDS}"


def main(root, programs):
    found = [*faults_of_full(root, programs), *faults_of_quick()]
    for fault in found:
        print(f"FAILED  {fault}")
    print(f"{len(found)} failed")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
