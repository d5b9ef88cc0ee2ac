"""The first example of the README runs; test_gpu.py runs the other one."""

import pathlib
import re


def examples_of_readme():
    text = (pathlib.Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_example_of_numpy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(examples_of_readme()[0], names)
    assert names["samples"].shape == (1000, 3)
    assert names["counts"].sum() == 10**8
    assert (tmp_path / "words.table").exists()
