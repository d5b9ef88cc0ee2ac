#!/usr/bin/env python3
"""Runs `scripts/reproduce.sh --quick` with a finished build, as the README says, but elsewhere: whether
every experiment that it begins is measured, every figure of those is drawn, and claims are compared. How
long it takes depends on what else runs, and is only said.

Usage: test_quick_mode.py <root of the tree> <build folder>
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

from faults import report


def faults_of(said, pictures):
    experiments = re.search(r"measured in .*: (\d+) of (\d+) experiments", said)
    if not experiments or experiments[1] != experiments[2] or int(experiments[1]) == 0:
        yield f"not every experiment was measured: {experiments and experiments[0]}"
    drawn = re.findall(r"drawn: .*/(\w+)\.png", said)
    if not drawn:
        yield "no figure was drawn"
    for name in drawn:
        for kind in ("png", "svg"):
            picture = pictures / f"{name}.{kind}"
            if not picture.is_file() or picture.stat().st_size == 0:
                yield f"{picture.name} was not drawn"
    if not re.search(r"^\d+ claims: .*(reproduced|reached)", said, re.MULTILINE):
        yield "no claims were compared"


def main(root, build):
    with tempfile.TemporaryDirectory() as out:
        begin = time.monotonic()
        done = subprocess.run([root / "scripts" / "reproduce.sh", "--quick", "--build", build, "--out", out],
                              capture_output=True, text=True)
        print(f"{done.stdout}{done.stderr}\ntook {time.monotonic() - begin:.0f} s")
        faults = list(faults_of(done.stdout, pathlib.Path(out) / "figures"))
    if done.returncode != 0:
        faults.append(f"ended with {done.returncode}")
    return report(faults)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
