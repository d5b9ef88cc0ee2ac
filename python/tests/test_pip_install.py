"""pip installs the package from the tree: for the CPU, and not optimised, which takes a third of the time."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = """
import wrsgpu
print(wrsgpu.__file__, wrsgpu.has_cuda, *wrsgpu.Sampler([1, 2, 3, 4]).draw(5, seed=7))
"""


def test_pip_install(tmp_path):
    installed = tmp_path / "installed"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps",
         "--no-build-isolation", "-C", "cmake.build-type=Debug", "-C", f"build-dir={tmp_path}/build",
         "--target", installed, ROOT],
        capture_output=True, text=True, check=False,
        env={**os.environ, "CMAKE_ARGS": "-DWRSGPU_CUDA=OFF"})
    assert done.returncode == 0, done.stdout + done.stderr
    names = {path.name.split(".")[0] for path in (installed / "wrsgpu").iterdir()}
    sources = {path.name.split(".")[0] for path in (ROOT / "python" / "wrsgpu").iterdir()}
    assert names - {"__pycache__"} == sources - {"__pycache__"} | {"_core", "_version"}
    assert (installed / "wrsgpu" / "_core.pyi").exists()
    (metadata,) = installed.glob("wrsgpu-*.dist-info/METADATA")
    required = [line for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist")]
    assert required == ["Requires-Dist: numpy>=1.26"]
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                            check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)})
    assert result.stdout == f"{installed}/wrsgpu/__init__.py False 3 3 2 0 1\n"
