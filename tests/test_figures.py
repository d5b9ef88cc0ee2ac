#!/usr/bin/env python3
"""Redraws all figures from the records and compares them with those in plots/figures: the texts of the
SVG, and, where Matplotlib and FreeType are those that drew them, everything else, numbers up to a tenth of a
point, and the pixels of the PNG. (Another FreeType measures texts differently, and all is up to three
quarters of a point elsewhere.)

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

import matplotlib.image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "experiments"))

import reproduce
from faults import report

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Names that Matplotlib makes from what they stand for, numbers included.
NAME = re.compile(r'(?<=["#(])[a-z][0-9a-f]{10}(?=[")])')
TOLERANCE = 0.1
# This share may differ by half of white or more; records that were made again changed 0.2% and more.
PIXELS = 0.0005


def creator(svg):
    return re.search(r"<dc:title>(.*)</dc:title>", svg)[1]


def texts(svg):
    """Without blank ones, which some versions of Matplotlib write and others do not."""
    return [node.text for node in xml.etree.ElementTree.fromstring(svg).iter()
            if node.tag.endswith("}text") and (node.text or "").strip()]


def difference(old, new):
    """What differs between two SVG, or an empty string."""
    for was, found in zip(texts(old), texts(new)):
        if was != found:
            return f"'{was}' is now '{found}'"
    if len(texts(old)) != len(texts(new)):
        return f"{len(texts(old))} texts are now {len(texts(new))}"
    if creator(old) != creator(new):
        return ""
    old, new = NAME.sub("", old), NAME.sub("", new)
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return "other lines or marks"
    largest = max(abs(float(a) - float(b)) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)))
    return f"something is {largest:.3g} points elsewhere" if largest > TOLERANCE else ""


def difference_of_pixels(old, new):
    """The same of two PNG."""
    old, new = (matplotlib.image.imread(path) for path in (old, new))
    if old.shape != new.shape:
        return "another size"
    share = (abs(old - new).max(axis=2) > 0.5).mean()
    return f"{share:.2%} of the pixels differ" if share > PIXELS else ""


def fault_of(script, committed, results, out):
    run = subprocess.run([sys.executable, str(script), "--out", str(out), *results], capture_output=True,
                         text=True)
    if run.returncode != 0:
        return f"plots/{script.name} draws nothing: {run.stderr.strip()}"
    (old, old_png), (new, new_png) = ([folder / f"{script.stem}.{kind}" for kind in ("svg", "png")]
                                      for folder in (committed, out))
    missing = [path.name for path in (old, old_png) if not path.is_file()]
    if missing:
        stale, found = missing[0], "is not there"
    else:
        stale, found = old.name, difference(old.read_text(), new.read_text())
        if not found and creator(old.read_text()) == creator(new.read_text()):
            stale, found = old_png.name, difference_of_pixels(old_png, new_png)
    return f"plots/figures/{stale}: {found}; redraw it: python3 plots/{script.name}" if found else ""


def main(root, records=None):
    results = ["--results", str(records)] if records else []
    scripts = [root / "plots" / f"{name}.py" for name in reproduce.figures()]
    committed = root / "plots" / "figures"
    faults = [f"plots/figures/{path.name} is drawn by no script" for path in sorted(committed.glob("*.*"))
              if path.name != "README.md" and path.stem not in {script.stem for script in scripts}]
    with tempfile.TemporaryDirectory() as out, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        out = pathlib.Path(out)
        faults += filter(None, executor.map(lambda script: fault_of(script, committed, results, out),
                                            scripts))
        only_texts = [path for path in sorted(out.glob("*.svg")) if (committed / path.name).is_file()
                      and creator(path.read_text()) != creator((committed / path.name).read_text())]
        if only_texts:
            print(f"only the texts of {len(only_texts)} figures are compared: they were drawn by "
                  f"{creator((committed / only_texts[0].name).read_text())}")
    return report(faults, f"{len(scripts)} figures, ") or not scripts


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
