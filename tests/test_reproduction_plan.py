#!/usr/bin/env python3
"""Whether `scripts/reproduce.sh --full` measures what is recorded, row by row: asks each experiment for
the names of its benchmarks with the arguments of that mode, and the scripts for theirs. What claims and
figures are from are these rows, which `claims.have_records` and `documentation.figures` see to. The
numbers of host threads in names are the machine's, and left out. And whether every experiment that is built
is in the plan, and the quick mode is planned to end in time. Experiments that are not in the build are left
out; the test says which.

Usage: test_reproduction_plan.py <root of the tree> <folder of the experiments' programs>
"""

import itertools
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

import counters
import peers
import torch_rows
from faults import report
from records import benchmarks, read
from reproduction_plan import EXPERIMENTS, QUICK_SECONDS

FOLDERS = {"gpu": "h200", "cpu": "cpu"}
# Which GPU methods it has it finds out on the machine: of those only the rest of the name is known.
METHODS_OF_THE_MACHINE = {"gpu/accuracy"}
# What the machine of the records cannot measure: it does not let a program read its energy meter.
NOT_THERE = {"gpu/energy": ("energy/construct_cpu/", "energy/sample_cpu/")}
# What waits for who has the machine of the records, as expressions that names of benchmarks match.
NOT_RECORDED_YET = {
    # These of the CPU are in results/cpu_zen3, which is another machine.
    "cpu/cpu_construction": "construct/(psa_plus_per_thread(_fixed)?(_arrays|_compact)?|(brown|radix_forest)(_fixed)?)/.*",
    "gpu/segmented": r"(construct_segments|draw_segments|walk)/\w+/800000000(/.*)?",
    "cpu/cpu_sampling": "sample/(brown|radix_forest)(_fixed)?/.*",
}


def without_threads(name):
    return re.sub(r"_\d+t(?=/|$)", "", name)


def without_method(name):
    first, _, rest = name.split("/", 2)
    return f"{first}/{rest}"


def listed(program, arguments):
    run = subprocess.run([program, "--benchmark_list_tests", *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"FAILED  {program.name} {' '.join(arguments)}: {run.stderr.strip()}")
    return {without_threads(re.sub(r"/iterations:\d+", "", line).removesuffix("/manual_time"))
            for line in run.stdout.splitlines()}


def series_of(name):
    return "/".join(name.split("/")[:2])


def path_of_record(root, experiment):
    folder = root / "experiments" / "results" / FOLDERS[experiment.kind]
    return folder / (experiment.name + experiment.suffix)


def faults_of_lacking(key, lacking):
    """Of benchmarks that have no record."""
    waits = re.compile(NOT_RECORDED_YET.get(key, r"\Z."))
    if key in NOT_RECORDED_YET and not any(map(waits.fullmatch, lacking)):
        yield f"{key} has a record of all that NOT_RECORDED_YET says of it in test_reproduction_plan.py: remove that"
    for series in sorted({series_of(name) for name in lacking if not waits.fullmatch(name)}):
        yield (f"{key} measures {series} in the full mode, of which there is no record of all: make it anew, or add "
               "what is lacking to NOT_RECORDED_YET in test_reproduction_plan.py")


def faults_of_full(root, programs):
    for key, experiment in EXPERIMENTS.items():
        program = programs / experiment.name
        if not experiment.is_benchmark or not program.is_file():
            continue
        known = without_method if key in METHODS_OF_THE_MACHINE else without_threads
        path = path_of_record(root, experiment)
        if not path.is_file():
            if key in NOT_RECORDED_YET:
                continue
            yield f"{key} has no record: scripts/record.sh {FOLDERS[experiment.kind]} {experiment.name} makes it"
            continue
        names = benchmarks(read(path))
        recorded = set(map(known, names))
        measured = set(map(known, listed(program, experiment.arguments("full"))))
        beside = {name for each in measured for name in torch_rows.names_beside(each, experiment.kind == "cpu")}
        for name in names:
            if known(name) not in measured | beside:
                yield f"{key} does not measure {name} in the full mode"
        lacking = {name for name in (measured | beside) - recorded if not name.startswith(NOT_THERE.get(key, ()))}
        yield from faults_of_lacking(key, lacking)


def faults_of_counters(root, programs):
    """Of what is recorded, of what is not, and of the names in the commands, which the experiments must have."""
    record = read(path_of_record(root, EXPERIMENTS["gpu/counters"]))
    series = list(counters.series())
    recorded, counted = {row["name"] for row in record["counters"]}, {name for _, name, _ in series}
    for name in sorted(recorded - counted):
        yield f"gpu/counters does not count {name}"
    yield from faults_of_lacking("gpu/counters", counted - recorded)
    for experiment, name, _ in series:
        program = programs / experiment
        _, *arguments = counters.program(programs, experiment, name)
        if program.is_file() and not listed(program, arguments):
            yield f"{experiment} does not have {name}, which gpu/counters counts"


def faults_of_peers(root):
    record = read(path_of_record(root, EXPERIMENTS["gpu/peers"]))
    measured = {"/".join(map(str, each))
                for each in itertools.product(peers.DISTRIBUTIONS, peers.SIZES, peers.SAMPLES)}
    for row in record["peers"]:
        if row["name"].split("/", 2)[2] not in measured:
            yield f"gpu/peers does not measure {row['name']}"


def faults_of_plan(root):
    """Experiments that are built and not planned, or the other way round."""
    lists = (root / "experiments" / "CMakeLists.txt").read_text()
    built = set(re.findall(r"^ *wrsgpu_experiment\((\w+)", lists, re.MULTILINE))
    for names in re.findall(r"^ *set\(_of_\w+ ([^)]*)\)", lists, re.MULTILINE):
        built |= set(names.split())
    planned = {each.name for each in EXPERIMENTS.values() if each.is_benchmark}
    readme = (root / "experiments" / "README.md").read_text()
    table = readme[readme.index("| About |"):].partition("\n\n")[0]
    for name in sorted(built ^ set(re.findall(r"`(\w+)`", table))):
        yield (f"{name} is not in the table of experiments/README.md" if name in built
               else f"{name} is in the table of experiments/README.md, and not built")
    for name in sorted(built ^ planned):
        yield (f"{name} is built, and not in reproduction_plan.py" if name in built
               else f"{name} is in reproduction_plan.py, and experiments/CMakeLists.txt does not build it")


def faults_of_quick():
    seconds = sum(each.seconds("quick") or 0 for each in EXPERIMENTS.values())
    if seconds > QUICK_SECONDS:
        yield f"the quick mode is planned for {seconds} s, more than {QUICK_SECONDS}"


def main(root, programs):
    benchmarks = [each.name for each in EXPERIMENTS.values() if each.is_benchmark]
    missing = [name for name in benchmarks if not (programs / name).is_file()]
    if len(missing) == len(benchmarks):
        report([*faults_of_plan(root)])
        sys.exit(f"test_reproduction_plan.py: there are no experiments of the plan in {programs}; build those "
                 "that measure what you changed (cmake --build build --target split_methods), or all")
    if missing:
        print(f"left out, not in this build: {', '.join(missing)}")
    found = [*faults_of_full(root, programs), *faults_of_counters(root, programs), *faults_of_peers(root),
             *faults_of_plan(root), *faults_of_quick()]
    return report(found)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
