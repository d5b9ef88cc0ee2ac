"""The programs of examples/ in Python."""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def right_share(name):
    """Of what the example prints."""
    run = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True,
                         check=False)
    assert run.returncode == 0, run.stderr
    right, of = map(int, re.search(r"(\d+) of (\d+)$", run.stdout.strip()).groups())
    return right / of


def test_deepwalk():
    # Without the walks a third would be right.
    assert right_share("deepwalk.py") > 0.95


def test_neighbour_sampling():
    pytest.importorskip("torch")
    # The features alone give about half.
    assert right_share("neighbour_sampling.py") > 0.8
