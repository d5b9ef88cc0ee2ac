#!/usr/bin/env python3
"""Redraws all figures from the records and compares them with those in plots/figures: their texts, and,
where Matplotlib is the version that drew them, everything else, numbers up to half a point.

Usage: test_figures.py <root of the tree> [<folder of records, if not those of the tree>]
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Names that Matplotlib makes from what they stand for, numbers included.
NAME = re.compile(r'(?<=["#(])[a-z][0-9a-f]{10}(?=[")])')
TOLERANCE = 0.5


def version(svg):
    return re.search(r"Matplotlib v([\d.]+)", svg)[1]


def texts(svg):
    return [node.text for node in xml.etree.ElementTree.fromstring(svg).iter()
            if node.tag.endswith("}text")]


def difference(old, new):
    """What differs, or an empty string."""
    for was, found in zip(texts(old), texts(new)):
        if was != found:
            return f"'{was}' is now '{found}'"
    if len(texts(old)) != len(texts(new)):
        return f"{len(texts(old))} texts are now {len(texts(new))}"
    if version(old) != version(new):
        return ""
    old, new = NAME.sub("", old), NAME.sub("", new)
    if NUMBER.sub("", old) != NUMBER.sub("", new):
        return "other lines or marks"
    largest = max(abs(float(a) - float(b)) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)))
    return f"something is {largest:.3g} points elsewhere" if largest > TOLERANCE else ""


def fault_of(script, committed, results, out):
    run = subprocess.run([sys.executable, str(script), "--out", str(out), *results], capture_output=True,
                         text=True)
    if run.returncode != 0:
        return f"{script.name} draws nothing: {run.stderr.strip()}"
    name = f"{script.stem}.svg"
    found = difference((committed / name).read_text(), (out / name).read_text())
    return f"{name}: {found}; plots/{script.name} redraws it" if found else ""


def main(root, records=None):
    results = ["--results", str(records)] if records else []
    scripts = [path for path in sorted((root / "plots").glob("*.py"))
               if path.stem != "style" and "style.main(__file__" in path.read_text()]
    committed = root / "plots" / "figures"
    faults = [f"{path.name} is drawn by no script" for path in sorted(committed.glob("*.svg"))
              if path.stem not in {script.stem for script in scripts}]
    with tempfile.TemporaryDirectory() as out, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        found = executor.map(lambda script: fault_of(script, committed, results, pathlib.Path(out)), scripts)
        faults += filter(None, found)
    for fault in faults:
        print(f"FAILED  {fault}")
    print(f"{len(scripts)} figures, {len(faults)} failed")
    return 1 if faults or not scripts else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
