#!/usr/bin/env python3
"""Runs `scripts/reproduce.sh --quick` with a finished build, as the README says, but elsewhere: whether
every experiment that this machine can run is measured, every figure of those is drawn, and every claim about
them is printed with the verdict that their records give, and counted. How long it takes depends on what else
runs, and is only said.

Usage: test_quick_mode.py <root of the tree> <build folder>
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

import reproduce
from claim_model import evaluate, load
from faults import report
from records import Records
from reproduction_plan import EXPERIMENTS


def possible(build):
    """The keys of what this machine can run in the quick mode."""
    has_gpu = reproduce.gpu_name() and reproduce.has_cuda(build)
    return {each.key for each in EXPERIMENTS.values() if each.quick_seconds is not None
            and (each.kind == "cpu" or has_gpu) and not reproduce.lacks(each.needs)}


def faults_of_figures(said, measured, pictures):
    wanted = {name for name, needs in reproduce.figures().items() if measured.issuperset(needs)}
    drawn = set(re.findall(r"drawn: .*/(\w+)\.png", said))
    if not wanted or drawn != wanted:
        yield f"not drawn: {sorted(wanted - drawn)}; drawn without records: {sorted(drawn - wanted)}"
    for name in wanted:
        for kind in ("png", "svg"):
            picture = pictures / f"{name}.{kind}"
            if not picture.is_file() or picture.stat().st_size == 0:
                yield f"{picture.name} was not drawn"


def faults_of_claims(said, measured, out):
    claims, wanted = load(), []
    for result in evaluate(claims, Records(out, "gpu", "cpu")):
        claim = result.claim
        if result.records <= measured:
            wanted.append(result)
            row = rf"^{claim.paper} {re.escape(claim.place)} +{re.escape(claim.says)}  .*  {result.verdict}( \?)?  +{claim.id}$"
            if not re.search(row, said, re.MULTILINE):
                yield f"{claim.place}: there is no row that says that this is {result.verdict}: {claim.says}"
    counts = collections.Counter(each.verdict for each in wanted)
    last = f"{len(wanted)} claims: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in sorted(counts))
    if not wanted or last not in said.splitlines():
        yield f"there is no line '{last}'"
    more = len(claims) - len(wanted)
    if more and f"{more} more claims need" not in said:
        yield f"does not say that {more} claims are left out"


def faults_of(said, build, out):
    runs = out / "runs.json"
    measured = set(json.loads(runs.read_text())) if runs.is_file() else set()
    if measured != possible(build):
        yield f"measured {sorted(measured)}, not {sorted(possible(build))}"
    if f": {len(measured)} of {len(measured)} experiments" not in said:
        yield f"does not say that all {len(measured)} experiments were measured"
    yield from faults_of_figures(said, measured, out / "figures")
    yield from faults_of_claims(said, measured, out)


def main(root, build):
    with tempfile.TemporaryDirectory() as out:
        begin = time.monotonic()
        done = subprocess.run([root / "scripts" / "reproduce.sh", "--quick", "--build", build, "--out", out],
                              capture_output=True, text=True)
        print(f"{done.stdout}{done.stderr}\ntook {time.monotonic() - begin:.0f} s")
        faults = list(faults_of(done.stdout, build, pathlib.Path(out)))
    if done.returncode != 0:
        faults.append(f"ended with {done.returncode}")
    return report(faults)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
