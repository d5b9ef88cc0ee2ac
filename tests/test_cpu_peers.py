#!/usr/bin/env python3
"""What `experiments/cpu_peers.py` asks of NumPy and of cpu_sampling, and what it writes: a module and a
script stand for them.

Usage: test_cpu_peers.py
"""

import json
import os
import pathlib
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments"))

import cpu_peers
from faults import report

ITEMS, SAMPLES, RUNS, CPUS = 12762, 1000, 3, 2
MILLISECONDS = 7.5  # of ours, a thread
PROGRAM = f"""#!{sys.executable}
import json, sys
options = dict(argument.split("=", 1) for argument in sys.argv[1:])
rows = [{{"run_name": "sample/batched_fixed_compact_%st/words/%s/%s/manual_time" % (
             threads, options["--sizes"], options["--samples"]),
         "run_type": "aggregate", "aggregate_name": "median", "time_unit": "ms", "repetitions": {RUNS},
         "real_time": {MILLISECONDS} * int(threads)}} for threads in options["--threads"].split(",")]
json.dump({{"context": {{"commit": "abc", "host_name": "secret", "asked": options}}, "benchmarks": rows}},
          open(options["--benchmark_out"], "w"))
"""


class Weights(list):
    def __truediv__(self, total):
        return Weights(value / total for value in self)


class Generator:
    def __init__(self, calls):
        self.calls = calls

    def choice(self, items, samples, p):
        self.calls.append((items, samples, len(p), round(sum(p), 9)))


def run(folder, calls):
    """The record that the script writes."""
    program = folder / "experiments" / "cpu_sampling"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    sys.modules["numpy"] = types.SimpleNamespace(
        __version__="of this test", array=Weights,
        random=types.SimpleNamespace(default_rng=lambda seed: Generator(calls)))
    os.cpu_count = lambda: CPUS
    out = folder / "cpu_peers.json"
    sys.argv = ["cpu_peers.py", f"--build={folder}", f"--out={out}", f"--samples={SAMPLES}", f"--runs={RUNS}"]
    cpu_peers.main()
    return json.loads(out.read_text())


def faults_of(record, calls):
    context, rows = record["context"], {row["name"]: row["draw"] for row in record["peers"]}
    names = {f"peers/{peer}_{threads}t/words/{ITEMS}/{SAMPLES}": MILLISECONDS * threads
             for peer, threads in (("numpy_choice", 1), ("wrsgpu", 1), ("wrsgpu", CPUS))}
    if rows.keys() != names.keys():
        yield f"it measures {sorted(rows)}"
    yield from (f"{name} is {rows[name]}, not {time}" for name, time in names.items()
                if "/wrsgpu" in name and rows.get(name) != time)
    if calls != [(ITEMS, SAMPLES, ITEMS, 1)] * (RUNS + 1):  # one of them warms up
        yield f"NumPy is asked for {calls}"
    if context["asked"].get("--benchmark_repetitions") != str(RUNS):
        yield f"cpu_sampling is asked for {context['asked']}"
    if (context["commit"], context["numpy"]) != ("abc", "of this test") or "host_name" in context:
        yield f"the context is {context}"


def main():
    calls = []
    with tempfile.TemporaryDirectory() as folder:
        record = run(pathlib.Path(folder), calls)
    return report([*faults_of(record, calls)])


if __name__ == "__main__":
    sys.exit(main())
