"""The scripts of examples/ that draw pictures do so, and find what they are to show."""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def run(name, folder, *arguments):
    """The numbers that a script prints, after it has drawn a picture."""
    picture = folder / "picture.png"
    result = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", "--out", picture, *arguments],
                            capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    return dict(re.findall(r"^(.*): [^\d\n]*([\d.e+-]+)", result.stdout, re.MULTILINE))


def test_words(tmp_path):
    """The largest of some hundred deviations; a false alarm of 5 sigma: 1e-4."""
    found = run("words", tmp_path, "--samples", "1000000")
    assert float(found["largest deviation"]) < 5


def test_environment_map(tmp_path):
    errors = run("environment_map", tmp_path)
    assert float(errors["by brightness"]) < 0.05 * float(errors["by solid angle"])


def test_training_loop(tmp_path):
    accuracies = run("training_loop", tmp_path)
    assert float(accuracies["weighted by class"]) > float(accuracies["uniform"]) + 0.1


@pytest.mark.parametrize("name", ["words", "environment_map", "training_loop"])
def test_the_picture_is_there(name):
    assert (EXAMPLES / f"{name}.png").stat().st_size < 100_000
