#!/usr/bin/env python3
"""Whether every figure can be drawn from what `scripts/reproduce.sh` measures in its quick mode, with all
the series that it has from the whole records, and whether it names in NEEDS the records that it reads, and
in IF_THERE those without which it draws less.
The quick records are those of the tree, cut to the benchmarks that the quick mode has; values for sizes and
samples that were not recorded are those of others, for no value is looked at. CSV is as recorded. Of figures
from what only the full mode measures, or is not in the build, NEEDS alone is looked at. The records of the
CPU become those of a host of many threads and a GPU: no figure may take that for what ran, and no claim about
all threads may take fewer. As many claims as before can be computed from quick records. And whether a script
says by its exit status that a record is not there.

Usage: test_quick_figures.py <root of the tree> <folder of the experiments' programs>
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "experiments"), str(ROOT / "plots")]

import reproduce
import style
from claim_model import evaluate, load
from faults import report
from records import Missing, Records, read
from record_format import text_of
from reproduction_plan import EXPERIMENTS, ONCE
from test_reproduction_plan import FOLDERS, listed, path_of_record, without_threads

THREADS = 16  # of the host
GPU_OF_HOST = "the GPU of another record"
CLAIMS_OF_QUICK = 112  # that are computed from what the quick mode measures, where all is built
# The series that the quick mode leaves out, for time or as it needs a profiler.
LEFT_OUT = {"report_figure_2": {"$i^{-0.5}$ shuffled"},
            "rows_a_section": {"shared memory", "shared memory, branched", "chunked", "chunked, branched",
                               "chunked, 8 workers", "the same, asynchronous", "sweeping, one loop",
                               "precomputed weights", "prefilled", "prefilled by a copy", "reordered, dealt",
                               "reordered, at random"},
            "thesis_table_5_1": {"H200 (ours), pack step, one launch, 32 rows a section"}}


def without_last(name):
    return without_threads(name).rpartition("/")[0]


def rows_of_quick(rows, names, once):
    """The rows that a record of these benchmarks would have."""
    lacking = names - {without_threads(row["name"]) for row in rows}
    for row in rows:
        if once:
            row = {key: value for key, value in row.items() if key not in ("min", "max")} | {"repetitions": 1}
        name = row["name"]
        if without_threads(name) in names:
            yield row
        for other in lacking:
            if without_last(name) == without_last(other):
                last = other.rpartition("/")[2]
                yield dict(row, name=f"{name.rpartition('/')[0]}/{last}")


def with_many_threads(rows, arguments):
    """The rows that a host of THREADS threads would have besides, with those of two for values."""
    filters = [each.partition("=")[2] for each in arguments if each.startswith("--benchmark_filter=")]
    for row in rows:
        yield row
        many = re.sub(r"_2t(?=/)", f"_{THREADS}t", row["name"])
        # Google Benchmark's filter sees what times are, too.
        if many != row["name"] and all(re.search(each, f"{many}/manual_time") for each in filters):
            yield dict(row, name=many)


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
            record, arguments = read(source), experiment.arguments("quick")
            names = listed(program, arguments)
            once = [each for each in arguments if "_repetitions=" in each][-1] == ONCE
            rows = rows_of_quick(record["benchmarks"], names, once)
            if experiment.kind == "cpu":
                rows = with_many_threads(rows, arguments)
                record["context"] |= {"device": GPU_OF_HOST, "threads": str(THREADS)}
            record["benchmarks"] = list(rows)
            target.write_text(text_of(record))
        else:
            shutil.copy(source, target)
        written.add(key)
    return written


class OfManyThreads(style.Record):
    """What was measured with more threads than one must have been with all."""

    def widest(self, first, method):
        name, threads = super().widest(first, method)
        if threads not in (1, THREADS):
            raise ValueError(f"the quick mode of {self.name} has {name}, and not on all threads")
        return name, threads


class Asked(style.Results):
    """Records, of which it remembers those that were asked for."""

    def __init__(self, root, of_cpu=style.Record):
        super().__init__(root)
        self.asked, self.of_cpu = set(), of_cpu

    def cpu(self, experiment):
        return self.of_cpu(self._path("cpu", f"{experiment}.json"), "cpu")

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
    """What the legends of its axes name; how many threads a host has is left out."""
    found = {re.sub(r"\d+ threads", "threads", label)
             for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    style.plt.close(figure)
    return found


def texts(figure):
    """All that it says; cells of tables are not found as texts."""
    found = figure.findobj(style.matplotlib.text.Text)
    for table in figure.findobj(style.matplotlib.table.Table):
        found += [cell.get_text() for cell in table.get_celld().values()]
    return [text.get_text() for text in found]


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
        figure = module.draw(quick)
    except Exception as error:  # whatever it is, the figure is not drawn
        yield f"{script} draws nothing in the quick mode: {type(error).__name__}: {error}"
        return
    said = texts(figure)
    if any(GPU_OF_HOST in text for text in said):
        yield f"{script} names the GPU of a machine whose CPU ran"
    if blank := [text for text in said if text.endswith(": not measured")]:
        yield f"{script} in the quick mode: {', '.join(blank)}"
    if lost := wanted - series(figure):
        yield f"{script} draws no {', no '.join(sorted(lost))} in the quick mode"


class ClaimsOfManyThreads(Records):
    """Records, of which it remembers where all threads were asked for and fewer taken."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.faults = set()

    def row(self, key, name):
        found = super().row(key, name)
        if "{most}t/" in name and f"_{THREADS}t/" not in found["name"]:
            self.faults.add(f"the quick mode of {key} has {found['name']}, and not on all threads")
        return found


def faults_of_claims(folder, has_all):
    records = ClaimsOfManyThreads(folder, FOLDERS["gpu"], FOLDERS["cpu"])
    claims = load()
    lacking = [f"{each.claim.id}: {each.missing}" for each in evaluate(claims, records) if each.missing]
    yield from sorted(records.faults)
    computed = len(claims) - len(lacking)
    if has_all and computed != CLAIMS_OF_QUICK:
        yield (f"{computed} claims are computed from what the quick mode measures, not {CLAIMS_OF_QUICK}; "
               f"the others: {'; '.join(lacking)}")


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
            if all(f"{kind}/{name.partition('.')[0]}" in written for kind, name in module.NEEDS):
                quick = Asked(folder, OfManyThreads)
            else:
                left_out.append(module.__name__)
            faults += faults_of(module, Asked(root / "experiments" / "results"), quick)
            drawn += 1
        quick_ones = {key for key, each in EXPERIMENTS.items() if each.quick_seconds is not None}
        faults += faults_of_claims(pathlib.Path(folder), written >= quick_ones)
    if left_out:
        print(f"left out, not in the quick mode or not in this build: {', '.join(left_out)}")
    return report(faults, f"{drawn} figures, ") or not drawn


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
