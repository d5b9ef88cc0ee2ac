#!/usr/bin/env python3
"""What `scripts/reproduce.sh` does beside measuring: what it takes for a name; what it says of figures that it cannot draw, and
counts as failed; that an interrupted run goes on where it was, what fails is told, and what is left is
estimated by the pace of this machine. Scripts stand for experiments and for those of plots/.

Usage: test_reproduce.py
"""

import contextlib
import dataclasses
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments"))

import reproduce
import reproduction_plan as plan
from faults import report
from records import Missing

LACKS_A_ROW = f"import sys; print('no such row', file=sys.stderr); sys.exit({Missing.EXIT_STATUS})"
SCRIPTS = {"good": "pass", "lacks_a_row": LACKS_A_ROW, "broken": "raise RuntimeError('boom')",
           "lacks_a_record": "pass"}  # would count as drawn, were it started
NEEDS = {"good": ["gpu/progress"], "lacks_a_row": ["gpu/progress"], "broken": ["gpu/progress"],
         "lacks_a_record": ["gpu/progress", "gpu/transfers"]}
FAILURES = {"quick": 1, "full": 2}
SAID = ("good.png", "not drawn, no such row: lacks_a_row", "not drawn, RuntimeError: boom: broken",
        "not drawn, no record of gpu/transfers: lacks_a_record")
# Draws only where it sees the record that was measured and not the one that lies there, too.
SEES = """import pathlib, sys
results = pathlib.Path(sys.argv[sys.argv.index("--results") + 1])
sys.exit(not ((results / "gpu/progress.json").is_file() and not (results / "gpu/transfers.json").exists()))
"""
EXPERIMENTS = [plan.EXPERIMENTS[f"gpu/{name}"] for name in ("heavy_fraction", "progress", "transfers")]
# Stands for an experiment: writes down that it ran, then its record, or ends as it is told.
PROGRAM = """#!/usr/bin/env python3
import json, os, pathlib, sys, time
name, folder = pathlib.Path(sys.argv[0]).name, pathlib.Path(sys.argv[0]).parent
with open(folder / "ran", "a") as ran:
    print(name, file=ran)
mood = (folder / f"{name}.mood").read_text() if (folder / f"{name}.mood").exists() else "works"
out = next(each for each in sys.argv if each.startswith("--benchmark_out=")).partition("=")[2]
if mood == "works":
    row = {"name": "a", "run_name": "a", "run_type": "iteration", "repetitions": 1, "real_time": 2, "time_unit": "us"}
    pathlib.Path(out).write_text(json.dumps({"context": {}, "benchmarks": [row]}))
elif mood == "measures nothing":
    pathlib.Path(out).touch()
elif mood == "never ends":
    (folder / "process").write_text(str(os.getpid()))
    time.sleep(600)
elif mood == "fails":
    pathlib.Path(out).write_text("half a rec")
    sys.exit("boom")
"""


def said_by(call, *arguments):
    """What it returns and prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        returned = call(*arguments)
    return returned, said.getvalue()


@contextlib.contextmanager
def root_at(folder):
    """Scripts of plots/ are those in this folder."""
    root, reproduce.ROOT = reproduce.ROOT, folder
    try:
        yield
    finally:
        reproduce.ROOT = root


def faults_of_drawing(folder):
    with root_at(folder):
        yield from faults_of_scripts(folder)


def faults_of_scripts(folder):
    (folder / "plots").mkdir()
    (folder / "out" / "gpu").mkdir(parents=True)
    for name in ("progress", "transfers"):  # the second one from a run before
        (folder / "out" / "gpu" / f"{name}.json").write_text("{}")
    for name, script in (*SCRIPTS.items(), ("sees", SEES)):
        (folder / "plots" / f"{name}.py").write_text(script)
    for mode, expected in FAILURES.items():
        options = types.SimpleNamespace(out=folder / "out", mode=mode, figures=[])
        failures, said = said_by(reproduce.draw, NEEDS, {"gpu/progress"}, options)
        if failures != expected:
            yield f"{mode}: {failures} failures, not {expected}"
        for line in SAID:
            if line not in said:
                yield f"{mode}: does not say '{line}', but: {said}"
    named = types.SimpleNamespace(**{**vars(options), "mode": "quick", "figures": list(NEEDS)})
    failures, said = said_by(reproduce.draw, NEEDS, {"gpu/progress"}, named)
    if failures != 2:
        yield f"{failures} failures, not 2, where a figure without its record was asked for: {said}"
    failures, said = said_by(reproduce.draw, {"sees": ["gpu/progress"]}, {"gpu/progress"}, options)
    if failures:
        yield f"a script does not see the records of this run, or sees others: {said}"


def faults_of_optional_records(folder):
    """Records without which a figure shows less are measured for it where they can be, also where it is asked
    for by name; where they are not of this run, it says so."""
    (folder / "plots").mkdir()
    (folder / "out").mkdir()
    (folder / "plots" / "richer.py").write_text(
        'NEEDS = (("gpu", "progress"),)\nIF_THERE = (("gpu", "counters"), ("gpu", "transfers"))\n')
    cases = {"full": (["gpu/progress", "gpu/transfers", "gpu/counters"], []),
             "quick": (["gpu/progress", "gpu/transfers"], [("gpu/counters", "with --full only")])}
    lacks, reproduce.lacks = reproduce.lacks, lambda need: False  # as if there were an ncu
    try:
        with root_at(folder):
            for mode, expected in cases.items():
                options = types.SimpleNamespace(out=folder / "out", build=folder, mode=mode, device="cuda",
                                                figures=["richer"])
                chosen = reproduce.choose_figures(options.figures)
                run, left_out = reproduce.choose_experiments(chosen, options.figures, options)
                if (sorted(each.key for each in run), left_out) != (sorted(expected[0]), expected[1]):
                    yield f"{mode}: for 'richer' runs {[each.key for each in run]}, leaves out {left_out}"
                _, said = said_by(reproduce.dry_run, run, left_out, chosen, options)
                if f"would draw: richer{' (without gpu/counters)' * (mode == 'quick')}\n" not in said:
                    yield f"{mode}: does not say without what it would draw: {said}"
            for measured, less in (({"gpu/progress"}, " (without gpu/counters, gpu/transfers)"),
                                   ({"gpu/progress", "gpu/transfers"}, " (without gpu/counters)"),
                                   ({"gpu/progress", "gpu/transfers", "gpu/counters"}, "")):
                failures, said = said_by(reproduce.draw, chosen, measured, options)
                if failures or f"richer.png{less}\n" not in said:
                    yield f"drawn from {sorted(measured)}: {failures} failures, says {said}"
    finally:
        reproduce.lacks = lacks


class Build:
    """A build folder with programs that stand for experiments."""

    def __init__(self, folder):
        self.programs = folder / "build" / "experiments"
        self.programs.mkdir(parents=True)
        self.options = types.SimpleNamespace(out=folder / "out", build=folder / "build", mode="quick")
        for experiment in EXPERIMENTS:
            (self.programs / experiment.name).write_text(PROGRAM)
            (self.programs / experiment.name).chmod(0o755)

    def mood(self, name, mood):
        (self.programs / f"{name}.mood").write_text(mood)

    def run(self):
        """(failures, keys measured), the programs that ran, what was said."""
        (self.programs / "ran").write_text("")
        result, said = said_by(reproduce.run_experiments, EXPERIMENTS, self.options)
        return result, (self.programs / "ran").read_text().split(), said

    def commit(self, name):
        header = self.programs.parent / "generated" / "wrsgpu_commit.hpp"
        header.parent.mkdir(exist_ok=True)
        header.write_text(f'source_commit = "{name}"')


def faults_of_running(folder):
    build = Build(folder)
    build.commit("abc123")
    names, keys = [each.name for each in EXPERIMENTS], {each.key for each in EXPERIMENTS}

    def expect(when, failures, measured, ran, *lines):
        found, really_ran, said = build.run()
        if found != (failures, measured):
            yield f"{when}: {found}, not {failures, measured}"
        if really_ran != ran:
            yield f"{when}: ran {really_ran}, not {ran}"
        for line in lines:
            if line not in said:
                yield f"{when}: does not say '{line}', but: {said}"

    build.mood("progress", "fails")
    build.mood("transfers", "measures nothing")
    yield from expect("two fail", 2, {"gpu/heavy_fraction"}, names, "[2/3] gpu/progress: failed, see",
                      "[3/3] gpu/transfers: nothing was measured, see", "1 of 3 experiments")
    if (folder / "out" / "gpu" / "progress.json").exists():
        yield "half a record is kept"
    build.mood("progress", "works")
    build.mood("transfers", "works")
    yield from expect("the rest", 0, keys, names[1:], "kept, measured by this commit in this mode: "
                      "gpu/heavy_fraction", "2 of 2 experiments")
    yield from expect("all is there", 0, keys, [])
    (folder / "out" / "gpu" / "progress.json").unlink()
    yield from expect("a record is gone", 0, keys, ["progress"])
    build.commit("def456")
    build.mood("progress", "fails")
    yield from expect("another commit", 1, keys - {"gpu/progress"}, names)
    build.options.mode = "full"
    build.mood("progress", "works")
    yield from expect("another mode", 0, keys, names)
    shown = json.loads((folder / "out" / "runs.json").read_text())
    if {key: made["how"]["mode"] for key, made in shown.items()} != dict.fromkeys(keys, "full"):
        yield f"runs.json does not say how the records were made: {shown}"


def faults_of_termination(folder):
    """A run that is terminated leaves no experiment behind."""
    build = Build(folder)
    experiment = EXPERIMENTS[0]
    build.mood(experiment.name, "never ends")
    run = subprocess.Popen([sys.executable, str(ROOT / "experiments" / "reproduce.py"), "--device=cuda", "--full",
                            f"--build={folder}/build", f"--out={folder}/out", experiment.name],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    named, end = build.programs / "process", time.monotonic() + 60
    while not (named.is_file() and named.read_text()) and run.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    run.terminate()
    said = run.communicate()[1]
    if run.returncode != 130 or "the same command goes on from here" not in said:
        yield f"ends with {run.returncode}: {said}"
    try:
        os.kill(int(named.read_text()), signal.SIGKILL)
        yield f"{experiment.name} runs on"
    except ProcessLookupError:
        pass


def faults_of_changed_programs(folder):
    """Where the commit does not say what was built, a record is kept unless what makes it is newer."""
    for commit, is_known in (("abc123", True), ("abc123-dirty", False), ("unknown", False)):
        build = Build(folder / commit)
        build.commit(commit)
        build.run()
        if (again := build.run()[1]) != []:
            yield f"commit {commit}: runs {again} again, which has not changed"
        changed = build.programs / EXPERIMENTS[1].name
        os.utime(changed, (changed.stat().st_mtime + 3600,) * 2)
        if (again := build.run()[1]) != [EXPERIMENTS[1].name] * (not is_known):
            yield f"commit {commit}: runs {again} when {changed.name} has been built again"
    build.commit("abc123-dirty")  # and of another commit before
    if (again := build.run()[1]) != [each.name for each in EXPERIMENTS]:
        yield f"from an unknown commit to changes of a known one: runs {again}"


def faults_of_changed_scripts(folder):
    """The same of what scripts measure with several programs: each of these counts."""
    experiment = plan.EXPERIMENTS["gpu/counters"]
    makers = plan.makers(experiment, folder)
    if makers[0] != ROOT / "experiments" / "counters.py" or len(makers) != 1 + len(experiment.build_targets()):
        yield f"{experiment.key} is made by {makers}"
    record, how = folder / "counters.json", {"commit": "abc123-dirty"}
    makers = [folder / file.name for file in makers]
    for file in (*makers, record):
        file.touch()
        os.utime(file, (1000, 1000))
    runs = reproduce.Runs(folder)
    runs.add(experiment, how, 1)
    if not runs.has(experiment, how, record, makers):
        yield f"the record of {experiment.key} is not kept"
    for file in makers:
        os.utime(file, (2000, 2000))
        if runs.has(experiment, how, record, makers):
            yield f"the record of {experiment.key} is kept when {file.name} has changed"
        os.utime(file, (1000, 1000))


def faults_of_commit(folder):
    """The commit is read from the header that builds write."""
    header = folder / "generated" / "wrsgpu_commit.hpp"
    subprocess.run(["cmake", f"-DSOURCE={ROOT}", f"-DOUTPUT={header}", "-P",
                    str(ROOT / "cmake" / "write_commit.cmake")], check=True)
    if f'"{reproduce.commit_of(folder)}"' not in header.read_text():
        yield f"the commit is {reproduce.commit_of(folder)}, where the header is {header.read_text()}"


def faults_of_targets(folder):
    """The commit is looked up whatever is built."""
    done = subprocess.run([sys.executable, str(ROOT / "experiments" / "reproduce.py"), "--device=cpu",
                           "--targets", "shuffling_figure_7"], capture_output=True, text=True)
    if done.stdout.split() != ["verify_shuffles", "wrsgpu_commit"]:
        yield f"for shuffling_figure_7 builds {done.stdout}{done.stderr}"


def faults_of_named_experiments(folder):
    """Experiments that no figure is drawn from can be named, beside figures; what cannot run has failed."""
    def run(*arguments):
        return subprocess.run([sys.executable, str(ROOT / "experiments" / "reproduce.py"), f"--build={folder}",
                               f"--out={folder}/out", *arguments], capture_output=True, text=True)

    targets = run("--device=cuda", "--targets", "seeding", "shuffling_figure_7").stdout.split()
    if targets != ["seeding", "verify_shuffles", "wrsgpu_commit"]:
        yield f"for seeding and shuffling_figure_7 builds {targets}"
    planned = run("--device=cuda", "--full", "--dry-run", "seeding").stdout
    if not re.search(r"/experiments/seeding .*would draw: nothing\n1 experiments", planned, re.DOTALL):
        yield f"for seeding plans {planned}"
    left_out = run("--device=cpu", "seeding")
    if left_out.returncode != 1 or "left out, needs a GPU: gpu/seeding" not in left_out.stdout:
        yield f"without a GPU seeding ends with {left_out.returncode}: {left_out.stdout}{left_out.stderr}"
    unknown = run("seedling")
    if unknown.returncode != 2 or "there is no figure or experiment 'seedling'" not in unknown.stderr:
        yield f"seedling ends with {unknown.returncode}: {unknown.stderr}"
    listed = run("list").stdout
    for key in plan.EXPERIMENTS:
        if key not in listed:
            yield f"{key} is not listed"


def faults_of_arguments_of_experiments(folder):
    """Records that other arguments made are not kept."""
    build, experiment = Build(folder), EXPERIMENTS[0]
    build.commit("abc123")
    build.run()
    changed = dataclasses.replace(experiment, quick=("--sizes=1",))
    said_by(reproduce.run_experiments, [changed], build.options)
    if (build.programs / "ran").read_text().split()[-1] != experiment.name:
        yield f"{experiment.key} is not run again with other arguments"


def faults_of_main(folder):
    """Claims are compared with the records of this run, not with those of the repository; the exit status
    says whether all went well."""
    record = ROOT / "experiments" / "results" / "cpu" / "verify_shuffles.csv"
    program = folder / "build" / "verification" / "drivers" / "verify_shuffles"
    program.parent.mkdir(parents=True)
    draw, reproduce.draw = reproduce.draw, lambda *_: 0  # which needs Matplotlib
    for status in (0, 1):
        program.write_text(f"""#!/usr/bin/env python3
import csv, sys
out = next(each for each in sys.argv if each.startswith("--csv=")).partition("=")[2]
rows = list(csv.reader(open("{record}")))
place = rows[0].index("statistic")
for row in rows[1:]:
    if "lcg" in row: row[place] = "123456"
csv.writer(open(out, "w")).writerows(rows)
sys.exit({status})
""")
        program.chmod(0o755)
        sys.argv = ["reproduce.py", "--device=cpu", f"--build={folder}/build", f"--out={folder}/out{status}",
                    "shuffling_figure_7"]
        returned, said = said_by(reproduce.main)
        if returned != status:
            yield f"ends with {returned}, not {status}: {said}"
        claims = re.findall(r"chi-squared of the LCG.* 123,456 ", said)
        if bool(claims) == bool(status):
            yield f"where the program ends with {status}, claims are: {said}"
    reproduce.draw = draw


def faults_of_pace(folder):
    """Experiments that take three times as long as they are said to."""
    build = Build(folder)
    seconds = [each.seconds("quick") for each in EXPERIMENTS]

    def slow_measure(experiment, options, record, title, estimate):
        estimates.append(estimate)
        return 3 * experiment.seconds("quick"), ""

    estimates, measure = [], reproduce.measure
    reproduce.measure = slow_measure
    try:
        _, _, said = build.run()
    finally:
        reproduce.measure = measure
    if f"[1/3] {EXPERIMENTS[0].key}, {reproduce.show_time(sum(seconds))} left" not in said:
        yield f"does not begin with the plan's {sum(seconds)} s: {said}"
    paces = [estimate / planned for estimate, planned in zip(estimates, seconds, strict=True)]
    if not paces[0] == 1 < paces[1] < paces[2] < 3:
        yield f"paces are {paces}"


def faults_of_arguments(folder):
    file = folder / "file"
    file.touch()
    not_a_folder = f"{file} is not a folder"
    for out, why in ((file, not_a_folder), (file / "below", not_a_folder), ("", "no folder is named")):
        done = subprocess.run([sys.executable, str(ROOT / "experiments" / "reproduce.py"), f"--out={out}",
                               "--dry-run"], capture_output=True, text=True)
        if done.returncode != 2 or f"argument --out: {why}" not in done.stderr:
            yield f"--out={out}: {done.returncode}, {done.stderr}"


def main():
    faults = []
    for check in (faults_of_running, faults_of_termination, faults_of_changed_programs,
                  faults_of_changed_scripts, faults_of_commit, faults_of_targets, faults_of_named_experiments,
                  faults_of_arguments_of_experiments, faults_of_pace, faults_of_arguments, faults_of_main,
                  faults_of_drawing, faults_of_optional_records):
        with tempfile.TemporaryDirectory() as folder:
            faults += check(pathlib.Path(folder))
    return report(faults)


if __name__ == "__main__":
    sys.exit(main())
