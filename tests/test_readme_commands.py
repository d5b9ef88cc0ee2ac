#!/usr/bin/env python3
"""Runs every command of the README, in its blocks and within its text: those of the program, of
reproduce.sh for single figures, and those that only print, each in a folder of its own; of all
others it checks that what elsewhere.py names does run them; and that the presets it names exist. What needs
something that this machine has not (a GPU, torch, the build for the CPU alone) is left out, and said so.

Usage: test_readme_commands.py <root of the tree> <build folder>
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from elsewhere import ELSEWHERE, faults_of_elsewhere

RUN = ("wrsgpu ", "wrsgpu_methods ", "scripts/reproduce.sh ", "cmake --list-presets", "cmake -B ", "build/",
       "build-cpu/", "experiments/")
# What programs say, where they end without doing anything, of what is not here.
NOT_HERE = re.compile(r"peers\.py: (there is no torch here|torch finds no GPU here)")


def commands(readme, root):
    """The lines of the blocks of shell commands, without what is said of them; then, of what the
    text has in backticks, all that has a space in it and is no C++ or Python, and programs of the
    tree and of builds."""
    text = readme.read_text()
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if command := re.sub(r"\s+#.*", "", line).strip():
                yield command
    for span in re.findall(r"`([^`]+)`", prose):
        span = " ".join(span.split())
        in_tree = (root / span).is_file() and os.access(root / span, os.X_OK)
        if "(" in span:
            continue
        if " " in span or in_tree or re.match(r"build[\w-]*/", span):
            yield span


def faults_of_presets(readme, root):
    """Presets that are named and are not there."""
    presets = {each["name"] for each in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
    text = " ".join(readme.read_text().split())
    listed = re.search(r"shows the other builds: (.*?)\.", text)
    named = re.findall(r"--preset ([\w-]+)", text) + re.findall(r"`([\w-]+)`", listed[1] if listed else "")
    for name in named if listed else ["no list of builds"]:
        if name not in presets:
            yield f"there is no preset '{name}'"


def left_out(command, root, build):
    """Why the program that a command of a build runs is not there, or nothing if it should be."""
    if command.startswith("build-cpu/"):
        ninja, program = root / "build-cpu/build.ninja", command.split()[0].removeprefix("build-cpu/")
        if (root / "build-cpu" / program).is_file() or ninja.is_file() and f"build {program}:" not in ninja.read_text():
            return ""
        return "left out: the CPU's build is not here, or not finished"
    if command.startswith("scripts/reproduce.sh --full"):
        return "" if (build / "experiments").is_dir() else "left out: this build has no experiments"
    folder, _, program = command.split()[0].partition("/")
    if folder == "experiments":
        program = "experiments/beyond_construction"  # which peers.py runs, with another one
    if folder not in ("build", "experiments") or (build / program).is_file():
        return ""
    cache = (build / "CMakeCache.txt").read_text()
    if "\nCUDA_CUDART:" in cache and "\nWRSGPU_BUILD_EXPERIMENTS:BOOL=ON" in cache:
        return ""
    return "left out: this build has no experiments of the GPU"


def run(command, root, build):
    """What is wrong with a run of the command, or nothing; and why nothing was run, if so."""
    programs, outputs = build / "cli", re.findall(r"--out(?:put)? (\S+)", command)
    with tempfile.TemporaryDirectory() as folder:
        if re.match(r"scripts/reproduce\.sh --(quick|full)", command):  # without building, and in here
            command += f" --build {build} --out {folder}/reproduction"
        if re.fullmatch(r"build[\w-]*/\S+", command):  # the text only names the program
            command += " --help"
        command = re.sub(r"^cmake -B ", f"cmake -S {root} -B ", command)
        command = re.sub(r"^(scripts|experiments)/", rf"{root}/\1/", command)
        for name, place in (("examples", root / "examples"), ("build", build),
                            ("build-cpu", root / "build-cpu"),
                            ("CMakePresets.json", root / "CMakePresets.json")):
            os.symlink(place, pathlib.Path(folder) / name)
        environment = {**os.environ, "PATH": f"{programs}:{build}/verification/drivers:{os.environ['PATH']}"}
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                                  env=environment, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "takes longer than 5 minutes", ""
        if done.returncode != 0 and NOT_HERE.match(done.stderr):
            return "", f"left out: {done.stderr.strip()}"
        if done.returncode != 0:
            return f"ended with {done.returncode}: {done.stderr.strip()}", ""
        for output in outputs:
            if not (pathlib.Path(folder) / output).stat().st_size:
                return f"wrote nothing to {output}", ""
        if not outputs and not done.stdout:
            return "printed nothing", ""
    return "", ""


def main(root, build):
    failed = 0
    found = list(dict.fromkeys(commands(root / "README.md", root)))
    for command in found:
        if command in ELSEWHERE:
            print(f"ok      {command}   (run by {ELSEWHERE[command]})")
            continue
        fault, why = "no test runs it; see elsewhere.py", ""
        if command.startswith(RUN):
            fault, why = "", left_out(command, root, build)
            if not why:
                fault, why = run(command, root, build)
        failed += bool(fault)
        print(f"FAILED  {command}: {fault}" if fault else f"ok      {command}{f'   ({why})' if why else ''}")
    for fault in (*faults_of_presets(root / "README.md", root), *faults_of_elsewhere(root)):
        failed += 1
        print(f"FAILED  {fault}")
    for command in ELSEWHERE.keys() - set(found):
        failed += 1
        print(f"FAILED  {command}: not in the README any more")
    print(f"{len(found)} commands, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
