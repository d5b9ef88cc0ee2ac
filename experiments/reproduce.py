#!/usr/bin/env python3
"""Runs the experiments that this machine can run, draws the figures from what they measured, and
prints what the papers claim beside it. scripts/reproduce.sh installs and builds what is needed.

  scripts/reproduce.sh                      all of it, in a few minutes
  scripts/reproduce.sh --full thesis_figure_5_1 seeding     two of them: figures, or experiments
  scripts/reproduce.sh list                 the figures, and what each needs; then the other experiments
  scripts/reproduce.sh --records            the claims, from the recorded runs of this repository

Records go to reproduction/gpu and reproduction/cpu, what the programs print to reproduction/logs.
An interrupted run goes on where it was: what the same commit measured in the same mode is kept."""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import reproduction_plan as plan
import running
from claim_model import evaluate, load
from claim_sources import figures as figures_of
from claims import print_table
from records import RESULTS, Missing, Records

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEADY_SECONDS = 30  # of experiments, before the pace of this machine is believed


class Failure(Exception):
    pass


def figures(which="NEEDS"):
    return figures_of(ROOT, which)


def experiments_in(names):
    """The keys of those that are named and no figure."""
    wanted = set(names).difference(figures())
    return [each.key for each in plan.EXPERIMENTS.values() if each.name in wanted]


def choose_figures(names):
    known = figures()
    for name in names:
        if name not in known and not experiments_in([name]):
            raise Failure(f"there is no figure or experiment '{name}'; 'list' prints all")
    for name, needs in (*known.items(), *figures("IF_THERE").items()):
        for need in needs:
            if need not in plan.EXPERIMENTS:
                raise Failure(f"plots/{name}.py reads {need}, which no experiment makes")
    return {name: known[name] for name in names if name in known} if names else known


def gpu_name():
    """The GPU's name, or None."""
    try:
        shown = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                               capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return shown.strip().splitlines()[0] if shown.strip() else None


def has_cuda(build):
    """Whether the build has the experiments of the GPU, or will have, if it is yet to be made."""
    cache = build / "CMakeCache.txt"
    if cache.is_file():  # CMake looks for CUDA's library only where the compiler is good enough
        return "\nCUDA_CUDART:" in cache.read_text(encoding="utf-8")
    return shutil.which("nvcc") is not None or pathlib.Path("/usr/local/cuda/bin/nvcc").is_file()


def lacks(need):
    """Whether this machine lacks what an experiment needs."""
    if need == "torch":
        return subprocess.run([sys.executable, "-c", "import torch"], check=False,
                              stderr=subprocess.DEVNULL).returncode != 0
    return bool(need) and shutil.which(need) is None


def choose_experiments(chosen, names, options):
    """(experiments to run, [(key, why not)]) for the figures chosen; `names`: what was asked for."""
    no_gpu = ""
    if options.device == "cpu":
        no_gpu = "needs a GPU"
    elif options.device == "auto":
        no_gpu = ("needs a GPU" if not gpu_name()
                  else "" if has_cuda(options.build) else "needs a build with CUDA")
    optional = figures("IF_THERE")
    wanted = plan.EXPERIMENTS if not names else {
        *experiments_in(names),
        *(need for name, needs in chosen.items() for need in (*needs, *optional.get(name, ())))}
    run, left_out = [], []
    for experiment in plan.EXPERIMENTS.values():
        if experiment.key not in wanted:
            continue
        if experiment.kind == "gpu" and no_gpu:
            left_out.append((experiment.key, no_gpu))
        elif experiment.seconds(options.mode) is None:
            left_out.append((experiment.key, "with --full only"))
        elif lacks(experiment.needs):
            left_out.append((experiment.key, f"needs {experiment.needs}"))
        else:
            run.append(experiment)
    return run, left_out


def show_time(seconds):
    seconds = max(round(seconds), 1)
    return f"{seconds} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def print_groups(what, left_out):
    """Names that have the same reason share a line."""
    groups = {}
    for name, why in left_out:
        groups.setdefault(why, []).append(name)
    for why, names in groups.items():
        print(f"{what}, {why}: {', '.join(names)}")


class Runs:
    """reproduction/runs.json: by whom and how each record was made. An experiment is there once its
    record is complete."""

    def __init__(self, out):
        self.path = out / "runs.json"
        try:
            self.made = json.loads(self.path.read_text())
        except (OSError, ValueError):
            self.made = {}

    def has(self, experiment, how, record, makers):
        if self.made.get(experiment.key, {}).get("how") != how or not record.is_file():
            return False
        # What has no commit of its own is known by what makes it, which is older than the record.
        made = record.stat().st_mtime
        return (re.fullmatch(r"[0-9a-f]+", how["commit"]) is not None
                or all(file.is_file() and file.stat().st_mtime <= made for file in makers))

    def add(self, experiment, how, seconds):
        self.made[experiment.key] = {"how": how, "seconds": round(seconds, 1)}
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.made, indent=1) + "\n")
        new.replace(self.path)


def commit_of(build):
    """The commit that the records of this build will name."""
    header = build / "generated" / "wrsgpu_commit.hpp"
    found = re.search(r'source_commit = "(.*)"', header.read_text()) if header.is_file() else None
    return found[1] if found else "unknown"


def wait(process, title, estimate):
    """Waits for an experiment; on a terminal it says meanwhile how long it has been running."""
    begin = time.monotonic()
    try:
        while process.poll() is None:
            time.sleep(0.1)
            if sys.stdout.isatty():
                passed = time.monotonic() - begin
                print(f"\r{title}: {passed:.0f} of about {show_time(estimate)} ", end="",
                      flush=True)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        if sys.stdout.isatty():
            print("\r\033[K", end="")
    return time.monotonic() - begin


def measure(experiment, options, record, title, estimate):
    """Seconds that it took, and why there is no record of it, or ""."""
    partial = record.with_name(f".{record.name}.partial")
    partial.unlink(missing_ok=True)
    log = options.out / "logs" / f"{experiment.kind}_{experiment.name}.txt"
    command = plan.program(experiment, options.build, partial, options.mode)
    with (open(log, "w", encoding="utf-8") as messages,
          open(partial if experiment.picture else log, "a", encoding="utf-8") as printed):
        process = subprocess.Popen(command, stdout=printed, stderr=messages)
        seconds = wait(process, title, estimate)
    if process.returncode != 0:
        return seconds, f"failed, see {log}"
    if not partial.is_file() or partial.stat().st_size == 0:
        return seconds, f"nothing was measured, see {log}"
    if experiment.is_benchmark:
        cleaned = subprocess.run([sys.executable, str(ROOT / "scripts" / "clean_record.py"),
                                  str(partial)], check=False)
        if cleaned.returncode != 0:
            return seconds, f"nothing was measured, see {log}"
        beside = subprocess.run([sys.executable, str(ROOT / "experiments" / "torch_rows.py"), str(partial)],
                                check=False, stdout=subprocess.DEVNULL)
        if beside.returncode != 0:
            return seconds, "torch failed beside it"
    partial.replace(record)
    return seconds, ""


def run_experiments(run, options):
    """Runs what has not been run. How many failed, and the keys of those that were measured, now or
    before; records of the others, if there are any, are not of this commit and mode."""
    for folder in ("gpu", "cpu", "logs"):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    runs, commit = Runs(options.out), commit_of(options.build)
    to_do, kept = [], []
    for experiment in run:
        record = options.out / experiment.kind / (experiment.name + experiment.suffix)
        how = {"commit": commit, "mode": options.mode,
               "arguments": list(experiment.arguments(options.mode))}
        makers = plan.makers(experiment, options.build)
        if runs.has(experiment, how, record, makers):
            kept.append(experiment.key)
        else:
            for file in makers:
                if not file.is_file():
                    raise Failure(f"there is no {file}; build it, or name the folder with --build")
            to_do.append((experiment, record, how))
    if kept:
        print(f"kept, measured by this commit in this mode: {', '.join(kept)}")
    estimates = [experiment.seconds(options.mode) for experiment, *_ in to_do]
    pace, measured = 1.0, set(kept)  # how much slower than estimated this machine is
    took, estimated = 0, 0
    for i, (experiment, record, how) in enumerate(to_do):
        title = f"[{i + 1}/{len(to_do)}] {experiment.key}"
        print(f"{title}, {show_time(pace * sum(estimates[i:]))} left", flush=True)
        seconds, why = measure(experiment, options, record, title, pace * estimates[i])
        took, estimated = took + seconds, estimated + estimates[i]
        # One short experiment tells little.
        pace = (took + STEADY_SECONDS) / (estimated + STEADY_SECONDS)
        if why:
            print(f"{title}: {why}", file=sys.stderr)
        else:
            measured.add(experiment.key)
            runs.add(experiment, how, seconds)
    failures = len(run) - len(measured)
    if to_do:
        print(f"measured in {show_time(took)}: {len(to_do) - failures} of {len(to_do)} experiments")
    return failures, measured


def split_by_records(chosen, measured):
    """(figures of whose records all are among those measured, [(name, why not)])"""
    missing = {name: [need for need in needs if need not in measured]
               for name, needs in chosen.items()}
    return ([name for name, needs in missing.items() if not needs],
            [(name, f"no record of {', '.join(needs)}") for name, needs in missing.items() if needs])


def shown_less(measured):
    """name -> what to say of a figure that shows less, as records are not among those measured."""
    missing = {name: [record for record in records if record not in measured]
               for name, records in figures("IF_THERE").items()}
    return {name: f" (without {', '.join(records)})" for name, records in missing.items() if records}


@contextlib.contextmanager
def only_records(measured, options):
    """A folder with these records and no older ones."""
    with tempfile.TemporaryDirectory() as folder:
        for experiment in plan.EXPERIMENTS.values():
            place = pathlib.Path(experiment.kind, experiment.name + experiment.suffix)
            pathlib.Path(folder, experiment.kind).mkdir(exist_ok=True)
            if experiment.key in measured:
                pathlib.Path(folder, place).symlink_to(options.out / place)
        yield pathlib.Path(folder)


def draw(chosen, measured, options):
    """How many figures could have been drawn and were not."""
    pictures, failures = options.out / "figures", 0
    drawable, not_drawn = split_by_records(chosen, measured)
    failures += len(not_drawn) if options.figures else 0  # which were asked for by name
    less = shown_less(measured)

    def run_script(name):
        return subprocess.run(
            [sys.executable, str(ROOT / "plots" / f"{name}.py"), "--results", records,
             "--gpu", "gpu", "--cpu", "cpu", "--out", str(pictures)],
            check=False, capture_output=True, text=True)

    with (only_records(measured, options) as records,
          concurrent.futures.ThreadPoolExecutor(min(os.cpu_count() or 1, 8)) as executor):
        finished = list(executor.map(run_script, drawable))
    for name, done in zip(drawable, finished, strict=True):
        if done.returncode == 0:
            print(f"drawn: {pictures / name}.png{less.get(name, '')}")
            continue
        # Only the full mode measures all that the figures show.
        failures += options.mode == "full" or done.returncode != Missing.EXIT_STATUS
        said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        not_drawn.append((name, said))
    print_groups("not drawn", not_drawn)
    return failures


def dry_run(run, left_out, chosen, options):
    build, seconds = options.build, 0
    for experiment in run:
        out = options.out / experiment.kind / (experiment.name + experiment.suffix)
        seconds += experiment.seconds(options.mode)
        print(f"would run, {show_time(experiment.seconds(options.mode))}: "
              + shlex.join(plan.program(experiment, build, out, options.mode)))
    print_groups("left out", left_out)
    measured = {experiment.key for experiment in run}
    drawn, not_drawn = split_by_records(chosen, measured)
    less = shown_less(measured)
    print(f"would draw: {', '.join(name + less.get(name, '') for name in drawn) or 'nothing'}")
    print_groups("not drawn", not_drawn)
    print(f"{len(run)} experiments, about {show_time(seconds)}")


def folder(text):
    if not text:
        raise argparse.ArgumentTypeError("no folder is named")
    return pathlib.Path(text)


def parse():
    parser = argparse.ArgumentParser(prog="reproduce.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", dest="mode", action="store_const", const="quick", default="quick",
                      help="fewer sizes and repetitions, in some minutes; the default")
    mode.add_argument("--full", dest="mode", action="store_const", const="full",
                      help="as the records of this repository were made")
    parser.add_argument("figures", nargs="*", metavar="figure",
                        help="only these and what they need, or experiments; 'list' prints all")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto",
                        help="cpu leaves out what needs a GPU; auto: as the machine is")
    parser.add_argument("--out", type=folder, default=ROOT / "reproduction",
                        help="folder for records and figures (default: reproduction)")
    parser.add_argument("--build", type=folder, default=ROOT / "build",
                        help="a finished build to use; without it, scripts/reproduce.sh makes one")
    parser.add_argument("--records", action="store_true",
                        help="print all claims from experiments/results; run nothing")
    parser.add_argument("--dry-run", action="store_true", help="print what would be run")
    parser.add_argument("--targets", action="store_true", help="print what has to be built")
    options = parser.parse_args()
    options.out, options.build = options.out.absolute(), options.build.absolute()
    for above in (options.out, *options.out.parents):
        if above.exists() and not above.is_dir():
            parser.error(f"argument --out: {above} is not a folder")
    return options


def main():
    options = parse()
    if options.records and options.figures:
        raise Failure("--records prints all claims; it takes no figures or experiments")
    if "list" in options.figures:
        if len(options.figures) > 1:
            raise Failure("'list' prints all figures; it takes no others beside it")
        optional = figures("IF_THERE")
        for name, needs in figures().items():
            listed = [*needs, *(f"{each} if it is there" for each in optional.get(name, ()))]
            print(f"{name:28} {', '.join(listed)}")
        drawn = {need for needs in figures().values() for need in needs}
        for key, experiment in plan.EXPERIMENTS.items():
            if key not in drawn:
                print(f"{experiment.name:28} {key}, no figure")
        return 0
    if options.records:
        print_table(list(evaluate(load(), Records(RESULTS, "h200", "cpu"))))
        return 0
    chosen = choose_figures(options.figures)
    run, left_out = choose_experiments(chosen, options.figures, options)
    if options.targets:
        # And the commit: records are kept or made again by it, whatever programs ask for it.
        print(" ".join(sorted({"wrsgpu_commit"}.union(*(each.build_targets() for each in run)))))
        return 0
    if options.dry_run:
        dry_run(run, left_out, chosen, options)
        return 0
    print_groups("left out", left_out)
    failures, measured = run_experiments(run, options)
    failures += len(set(experiments_in(options.figures)).intersection(key for key, _ in left_out))
    failures += draw(chosen, measured, options)
    claims = load()
    with only_records(measured, options) as records:
        results = [result for result in evaluate(claims, Records(records, "gpu", "cpu"))
                   if result.records <= measured]
    print_table(results)
    if len(results) < len(claims):
        print(f"{len(claims) - len(results)} more claims need experiments that were left out "
              "or failed")
    return 1 if failures else 0


if __name__ == "__main__":
    running.end_when_terminated()
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (Failure, OSError, ValueError) as error:
        print(f"reproduce.sh: {error}", file=sys.stderr)
        sys.exit(2)
