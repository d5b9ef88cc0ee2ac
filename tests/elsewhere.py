"""What runs those commands of the README that would build, install or measure within a test, and whether it
does: .ci/run is run in a copy of the scripts where programs that only write down how they were called stand
for cmake, ctest and the others, and of tests it is looked up what they run."""

import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

# What .ci/run comes to, in its order.
BY_CI = {
    "cmake --preset cpu && cmake --build --preset cpu --target wrsgpu_cli": (
        "cmake --preset cpu *",
        "cmake --build --preset cpu --target wrsgpu_cli"),
    "scripts/demo.sh": (
        "cmake --preset default",
        "cmake --build build --target wrsgpu_cli",
        "wrsgpu verify --weights examples/data/kjv_word_counts.csv *--samples 1e7",
        "wrsgpu sample --weights examples/data/kjv_word_counts.csv --labels word --histogram *--samples 1e7",
        "python3 plots/word_frequencies.py examples/data/kjv_word_counts.csv demo-output/words.csv demo-output/words*"),
    "scripts/test.sh": (
        "cmake --preset default -DWRSGPU_BUILD_PYTHON=*",
        "cmake --build build",
        "ctest --test-dir build *--no-tests=error *",
        "python3 scripts/summarise_tests.py build/tests.xml"),
}
# The test, what it runs and, where that is a script, what is in there.
BY_TESTS = {
    "cmake --preset default && cmake --build build && sudo cmake --install build --prefix /usr/local": (
        "installed_package", "consumer/run.cmake", "run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix "),
    "scripts/reproduce.sh --quick": (
        "reproduce.quick", "test_quick_mode.py", 'subprocess.run([root / "scripts" / "reproduce.sh", "--quick",'),
    "pkg-config --cflags --libs wrsgpu": (
        "installed_package.other_ways", "consumer/other_ways.cmake", "--cflags --libs wrsgpu)"),
    "experiments/cpu_peers.py --out cpu_peers.json": ("experiments.cpu_peers", "test_cpu_peers.py", ""),
    "pip install .": ("python.pip_install", "python/tests/test_pip_install.py", ""),
    "CMAKE_ARGS=-DWRSGPU_CUDA=OFF pip install .": (
        "python.pip_install", "python/tests/test_pip_install.py", ""),
    "scripts/record.sh": ("record_script", "scripts/record.sh", ""),
}
ELSEWHERE = {command: ".ci/run" for command in BY_CI} | {
    command: f"the test {test}" for command, (test, *_) in BY_TESTS.items()}

CALLED = ("cmake", "ctest", "python3")
STANDS_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case $0 in */cmake) echo "-- wrsgpu" ;; esac  # which configuring must print
[ "$(wc -l < "$CALLS")" -ne "$FAILS" ]
"""


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def calls_of_ci(root, fails=0):
    """What it calls, in a tree of its own, and its exit status. The call number `fails` fails."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder).resolve() / "tree"
        shutil.copytree(root / ".ci", tree / ".ci")
        shutil.copytree(root / "scripts", tree / "scripts")
        write_program(tree / "scripts" / "lint.sh", "#!/bin/sh\n")  # looks at files that are not here
        write_program(tree / "build" / "cli" / "wrsgpu", STANDS_IN)
        for name in CALLED:
            write_program(tree / "bin" / name, STANDS_IN)
        calls = tree / "calls"
        calls.touch()
        done = subprocess.run([tree / ".ci" / "run"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": f"{tree / 'bin'}:{os.environ['PATH']}",
                                   "CALLS": str(calls), "FAILS": str(fails), "WRSGPU_INSTALL": "no"})
        return calls.read_text().replace(f"{tree}/", "").splitlines(), done.returncode


def faults_of_ci(root):
    """Steps that it leaves out, and those whose failures it does not tell."""
    calls, status = calls_of_ci(root)
    if status != 0:
        yield f".ci/run ends with {status} where all that it calls is well"
    place = 0
    for command, steps in BY_CI.items():
        for step in steps:
            rest = [number for number, call in enumerate(calls[place:], place + 1)
                    if fnmatch.fnmatchcase(call, step)]
            if not rest:
                yield f"{command}: .ci/run does not come to '{step}'"
                continue
            place = rest[0]
            if calls_of_ci(root, place)[1] == 0:
                yield f"{command}: .ci/run ends with 0 where '{calls[place - 1]}' fails"


def without_comments(path):
    return re.sub(r"^\s*#.*|\s#\s.*", "", path.read_text(), flags=re.MULTILINE)


def faults_of_tests(root):
    """Those that are not there or do not run what they are named for."""
    lists = "".join(without_comments(path) for path in sorted(root.glob("*/CMakeLists.txt")))
    for command, (test, script, words) in BY_TESTS.items():
        added = re.search(rf"^ *(?:add_test\(NAME |wrsgpu_figure_test\(){re.escape(test)}\s[^)]*", lists,
                          re.MULTILINE)
        if not added:
            yield f"{command}: there is no test {test}"
        elif script not in added[0]:
            yield f"{command}: the test {test} does not run {script}"
        elif words and words not in without_comments(root / "tests" / script):
            yield f"{command}: {script}, which the test {test} runs, has no '{words}'"


def faults_of_elsewhere(root):
    yield from faults_of_ci(root)
    yield from faults_of_tests(root)
