#!/usr/bin/env python3
"""Runs every command of the README: those of the program, and of reproduce.sh for single figures, each
in a folder of its own; of all others it checks that they are known, with what runs them.

Usage: test_readme_commands.py <root of the tree> <build folder>
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What runs the commands that would build, install or measure within a test.
ELSEWHERE = {
    "scripts/demo.sh": ".ci/run",
    "scripts/test.sh": ".ci/run",
    "cmake --preset default && cmake --build build && sudo cmake --install build --prefix /usr/local":
        "the test installed_package",
    "scripts/reproduce.sh --quick": "the tests reproduce.quick_plan, as a plan, and by hand",
}


def commands(readme):
    """The lines of the blocks of shell commands, without what is said of them."""
    for block in re.findall(r"^```sh\n(.*?)^```$", readme.read_text(), re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if command := re.sub(r"\s+#.*", "", line).strip():
                yield command


def run(command, root, build):
    """What is wrong with a run of the command, or nothing."""
    programs = build / "cli"
    with tempfile.TemporaryDirectory() as folder:
        if command.startswith("scripts/reproduce.sh --quick"):  # without building, and into the folder
            command += f" --build {build} --out {folder}/reproduction"
        command = re.sub(r"^scripts/", f"{root}/scripts/", command)
        os.symlink(root / "weights", pathlib.Path(folder) / "weights")
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                                  env=environment, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "takes longer than 5 minutes"
        if done.returncode != 0:
            return f"ended with {done.returncode}: {done.stderr.strip()}"
        for output in re.findall(r"--output (\S+)", command):
            if not (pathlib.Path(folder) / output).stat().st_size:
                return f"wrote nothing to {output}"
        if "--output" not in command and not done.stdout:
            return "printed nothing"
    return ""


def main(root, build):
    failed = 0
    found = list(commands(root / "README.md"))
    for command in found:
        if command in ELSEWHERE:
            print(f"ok      {command}   (run by {ELSEWHERE[command]})")
            continue
        fault = run(command, root, build) if command.startswith(("wrsgpu ", "scripts/reproduce.sh ")) \
            else "no test runs it; see ELSEWHERE in this script"
        failed += bool(fault)
        print(f"{'FAILED' if fault else 'ok    '}  {command}{': ' + fault if fault else ''}")
    for command in ELSEWHERE.keys() - set(found):
        failed += 1
        print(f"FAILED  {command}: not in the README any more")
    print(f"{len(found)} commands, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
