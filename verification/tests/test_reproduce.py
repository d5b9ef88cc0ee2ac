#!/usr/bin/env python3
"""What `scripts/reproduce.sh` says of figures that it cannot draw, and counts as failed: scripts that
stand for those of plots/ end in each of the ways that those can end.

Usage: test_reproduce.py
"""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))

import reproduce
from faults import report
from records import Missing

LACKS_A_ROW = f"import sys; print('no such row', file=sys.stderr); sys.exit({Missing.EXIT_STATUS})"
SCRIPTS = {"good": "pass", "lacks_a_row": LACKS_A_ROW, "broken": "raise RuntimeError('boom')",
           "lacks_a_record": "pass"}  # would count as drawn, were it started
NEEDS = {"good": ["gpu/there"], "lacks_a_row": ["gpu/there"], "broken": ["gpu/there"],
         "lacks_a_record": ["gpu/not_there"]}
FAILURES = {"quick": 1, "full": 2}
SAID = ("good.png", "not drawn, no such row: lacks_a_row", "not drawn, RuntimeError: boom: broken",
        "not drawn, no record of gpu/not_there: lacks_a_record")


def faults_of_drawing(folder):
    (folder / "plots").mkdir()
    (folder / "out" / "gpu").mkdir(parents=True)
    (folder / "out" / "gpu" / "there.json").write_text("{}")
    for name, script in SCRIPTS.items():
        (folder / "plots" / f"{name}.py").write_text(script)
    reproduce.ROOT = folder
    for mode, expected in FAILURES.items():
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            failures = reproduce.draw(NEEDS, types.SimpleNamespace(out=folder / "out", mode=mode))
        if failures != expected:
            yield f"{mode}: {failures} failures, not {expected}"
        for line in SAID:
            if line not in said.getvalue():
                yield f"{mode}: does not say '{line}', but: {said.getvalue()}"


def faults_of_arguments(folder):
    file = folder / "file"
    file.touch()
    for out in (file, file / "below"):
        done = subprocess.run([sys.executable, str(ROOT / "experiments" / "reproduce.py"), f"--out={out}",
                               "--dry-run"], capture_output=True, text=True)
        if done.returncode != 2 or f"argument --out: {file} is not a folder" not in done.stderr:
            yield f"--out={out}: {done.returncode}, {done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        return report([*faults_of_drawing(folder), *faults_of_arguments(folder)])


if __name__ == "__main__":
    sys.exit(main())
