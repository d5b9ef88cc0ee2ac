#!/usr/bin/env python3
"""Whether every figure can be drawn from what `scripts/reproduce.sh` measures in its quick mode, with all
the series that it has from the whole records, and whether it names in NEEDS the records that it reads, and
in IF_THERE those without which it draws less.
The quick records are those of the tree, cut to the benchmarks that the quick mode has; values for sizes and
samples that were not recorded are those of others, for no value is looked at. CSV is as recorded. Of figures
from what only the full mode measures, or is not in the build, NEEDS alone is looked at. And whether a script
says by its exit status that a record is not there.

Usage: test_quick_figures.py <root of the tree> <folder of the experiments' programs>
"""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT / "plots")]

import reproduce
import style
from faults import report
from records import Missing, name_of
from reproduction_plan import EXPERIMENTS
from test_reproduction_plan import FOLDERS, listed, path_of_record, without_threads

ONCE = "--benchmark_repetitions=1"
# The series that the quick mode leaves out, for time or as it needs a profiler.
LEFT_OUT = {"report_figure_2": {"$i^{-0.5}$ shuffled"},
            "thesis_table_5_1": {"H200 (ours), pack step"}}


def without_last(name):
    return without_threads(name).rpartition("/")[0]


def rows_of_quick(rows, names, once):
    """The rows that a record of these benchmarks would have."""
    lacking = names - {without_threads(name_of(row)) for row in rows}
    for row in rows:
        if once:  # has no aggregates
            if row.get("aggregate_name") != "median":
                continue
            row = {key: value for key, value in row.items() if key != "aggregate_name"}
            row |= {"run_type": "iteration", "repetitions": 1}
        name = name_of(row)
        if without_threads(name) in names:
            yield row
        for other in lacking:
            if without_last(name) == without_last(other):
                last = other.rpartition("/")[2]
                yield dict(row, run_name=f"{name.rpartition('/')[0]}/{last}/manual_time")


def write_quick_records(root, programs, out):
    """The keys of those that it writes."""
    written = set()
    for key, experiment in EXPERIMENTS.items():
        program, source = programs / experiment.name, path_of_record(root, experiment)
        if experiment.quick_seconds is None or experiment.is_benchmark and not program.is_file():
            continue
        target = out / FOLDERS[experiment.kind] / source.name
        target.parent.mkdir(exist_ok=True)
        if experiment.is_benchmark:
            record, arguments = json.loads(source.read_text()), experiment.arguments("quick")
            names = listed(program, arguments)
            once = [each for each in arguments if "_repetitions=" in each][-1] == ONCE
            record["benchmarks"] = list(rows_of_quick(record["benchmarks"], names, once))
            target.write_text(json.dumps(record))
        else:
            shutil.copy(source, target)
        written.add(key)
    return written


class Asked(style.Results):
    """Records, of which it remembers those that were asked for."""

    def __init__(self, root):
        super().__init__(root)
        self.asked = set()

    def _path(self, kind, name):
        self.asked.add((kind, name.removesuffix(".json")))
        return super()._path(kind, name)


def figures(root):
    """The modules with `draw`. By their paths: experiments/ has files of the same names."""
    for name in reproduce.figures():
        found = importlib.util.spec_from_file_location(name, root / "plots" / f"{name}.py")
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        yield module


def series(figure):
    """What the legends of its axes name."""
    found = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    style.plt.close(figure)
    return found


def faults_of(module, whole, quick):
    """`quick` is None where there are no records."""
    script = f"plots/{module.__name__}.py"
    wanted = series(module.draw(whole)) - LEFT_OUT.get(module.__name__, set())
    named = {*module.NEEDS, *getattr(module, "IF_THERE", ())}
    if named != whole.asked:
        yield f"{script} reads {sorted(whole.asked)}, but names {sorted(named)}"
    if quick is None:
        return
    try:
        lost = wanted - series(module.draw(quick))
    except Exception as error:  # whatever it is, the figure is not drawn
        yield f"{script} draws nothing in the quick mode: {type(error).__name__}: {error}"
    else:
        if lost:
            yield f"{script} draws no {', no '.join(sorted(lost))} in the quick mode"


def faults_of_status(root, empty):
    """Only by its exit status does reproduce.py tell what lacks a record or row from what is broken. All
    scripts get it from style.main, so one is enough."""
    script = root / "plots" / f"{next(iter(reproduce.figures()))}.py"
    done = subprocess.run([sys.executable, str(script), f"--results={empty}", f"--out={empty}"],
                          capture_output=True, text=True)
    if done.returncode != Missing.EXIT_STATUS:
        yield (f"plots/{script.name} without records exits with {done.returncode}, "
               f"not {Missing.EXIT_STATUS}: {done.stderr.strip()}")


def main(root, programs):
    faults, drawn, left_out = [], 0, []
    with tempfile.TemporaryDirectory() as empty:
        faults += faults_of_status(root, empty)
    with tempfile.TemporaryDirectory() as folder:
        written = write_quick_records(root, programs, pathlib.Path(folder))
        for module in figures(root):
            quick = None
            if all(f"{kind}/{name.removesuffix('.csv')}" in written for kind, name in module.NEEDS):
                quick = Asked(folder)
            else:
                left_out.append(module.__name__)
            faults += faults_of(module, Asked(root / "experiments" / "results"), quick)
            drawn += 1
    if left_out:
        print(f"left out, not in the quick mode or not in this build: {', '.join(left_out)}")
    return report(faults, f"{drawn} figures, ") or not drawn


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
