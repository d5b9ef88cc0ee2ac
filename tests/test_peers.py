#!/usr/bin/env python3
"""What `experiments/peers.py` asks for and does with what it measures, where there is neither GPU nor torch
nor cupy nor our package: modules stand for them, which note what they are asked for and whose clock says how long each kind
of work takes, and scripts for our experiments.

Usage: test_peers.py
"""

import collections
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments"))

import peers
import torch_rows
from faults import report

TIMES = {"multinomial": 7.0, "cumsum": 0.25, "search": 2.0, "choice": 5.0, "rebuild": 0.5,
         "draw": 0.75}  # milliseconds
OURS = {"beyond_construction": {"construct/merge/{weights}/{n}": 0.125},
        "beyond_sampling": {"sample/direct/{weights}/{n}/{samples}": 0.5,
                            "sample/sectioned/{weights}/{n}/{samples}": 0.0625}}
SIZES, SAMPLES = (1000, 1 << 25), (10, 1000)
RUNS = 11  # by default, as the record was made
# What the weights are called, and how they are made.
WEIGHTS = {"uniform": "rand", "powerlaw_1_shuffled": "1 / (randperm + 1)"}
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys
pathlib.Path(sys.argv[0] + ".asked").write_text(json.dumps(sys.argv[1:]))
out = next(each for each in sys.argv if each.startswith("--benchmark_out=")).partition("=")[2]
pathlib.Path(out).write_text(pathlib.Path(sys.argv[0] + ".json").read_text())
"""


class Clock:
    """Work adds to it; the first call of each kind takes a second more, as a cold one may, and a
    call takes a millisecond more where the device is not held while the host enqueues it."""

    def __init__(self):
        self.now, self.warm, self.is_held = 0.0, set(), False

    def work(self, kind):
        self.now += TIMES[kind] + (0 if kind in self.warm else 1000) + (0 if self.is_held else 1)
        self.warm.add(kind)

    def hold(self, cycles):
        self.is_held = cycles > 0


class Vector:
    """As much of a tensor as is asked for; `made` is how its values were made, up to a constant factor."""

    def __init__(self, n, made):
        self.n = self.size = int(n)
        self.made = made

    def numel(self):
        return self.n

    def same(self, *_, **__):
        return self

    def __add__(self, other):
        return Vector(self.n, f"({self.made} + {other})")

    def __rtruediv__(self, other):
        return Vector(self.n, f"{other} / {self.made}")

    double = to = astype = sum = same
    __getitem__ = __itruediv__ = __mul__ = __rmul__ = same


def modules(asked):
    """torch, cupy and the package wrsgpu, which count in `asked` what is asked of them."""
    clock = Clock()

    class Event:
        def __init__(self, enable_timing):
            self.at = None if enable_timing else 0

        def record(self):
            self.at = clock.now

        def synchronize(self):
            clock.is_held = False

        def elapsed_time(self, end):
            return end.at - self.at

    def work(kind, *what):
        clock.work(kind)
        asked[kind, *what] += 1

    def multinomial(w, samples, replacement=False):
        work("multinomial", w.made, w.n, samples, replacement)
        return Vector(samples, "samples")

    def cumsum(w, axis):
        work("cumsum", w.made, w.n)
        return w

    def searchsorted(sums, words, right=False):
        work("search", sums.made, sums.n, words.n, words.made, right)
        return words

    def choice(n, samples, replace=True, p=None):
        work("choice", p and p.made, p and p.n, n, samples, replace)
        return Vector(samples, "samples")

    class Stream:
        cuda_stream = 0

    cuda = types.SimpleNamespace(Event=Event, is_available=lambda: True, current_stream=Stream,
                                 _sleep=clock.hold)
    torch = types.SimpleNamespace(
        __version__="of this test", cuda=cuda, float64=None, float32=None, manual_seed=lambda seed: None,
        rand=lambda n, **_: Vector(n, "rand"), randperm=lambda n, **_: Vector(n, "randperm"),
        multinomial=multinomial, cumsum=cumsum, searchsorted=searchsorted, int32=32,
        empty=lambda n, dtype, device: Vector(n, f"{dtype} bits"))
    cupy = types.SimpleNamespace(
        __version__="of this test", float64=None, asarray=lambda w: w,
        random=types.SimpleNamespace(choice=choice),
        cuda=types.SimpleNamespace(ExternalStream=lambda stream: contextlib.nullcontext()))

    class Sampler:
        def __init__(self, w, order, seed):
            self.order, self.is_unfinished = order, True

        def rebuild(self, w, check):
            work("rebuild", w.made, w.n, self.order, check)

        def finish(self):
            self.is_unfinished = False

        def draw(self, out):
            work("draw", out.n, out.made, self.order, self.is_unfinished)

    return torch, cupy, types.SimpleNamespace(Sampler=Sampler)


def write_programs(folder, sizes, numbers):
    for name, times in OURS.items():
        rows = [{"run_name": f"{row.format(weights=weights, n=n, samples=samples)}/manual_time",
                 "run_type": "aggregate", "aggregate_name": "median", "repetitions": 9, "real_time": ms,
                 "time_unit": "ms"}
                for row, ms in times.items() for weights in WEIGHTS for n in sizes for samples in numbers]
        unique = list({row["run_name"]: row for row in rows}.values())
        (folder / name).write_text(PROGRAM)
        (folder / name).chmod(0o755)
        (folder / f"{name}.json").write_text(json.dumps({"context": {"commit": "abc"}, "benchmarks": unique}))


def compare(folder, with_others, arguments):
    """The record that peers.py writes, how often the peers were asked for what, and our programs for what."""
    asked = collections.Counter()
    torch, cupy, package = modules(asked)
    sys.modules["torch"] = torch
    sys.modules["cupy"], sys.modules["wrsgpu"] = (cupy, package) if with_others else (None, None)
    out = folder / "peers.json"
    sys.argv = ["peers.py", f"--build={folder}", f"--out={out}", *arguments]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        peers.main()
    ours = {name: {argument for argument in json.loads((folder / "experiments" / f"{name}.asked").read_text())
                   if not argument.startswith("--benchmark_out")} for name in OURS}
    return json.loads(out.read_text()), asked, ours


def expected(with_others, sizes, numbers):
    for weights in WEIGHTS:
        for n in sizes:
            for samples in numbers:
                where = f"{weights}/{n}/{samples}"
                yield f"peers/torch_multinomial/{where}", None if n > 1 << 24 else (0.0, TIMES["multinomial"])
                yield f"peers/torch_search/{where}", (TIMES["cumsum"], TIMES["search"])
                if with_others:
                    yield f"peers/cupy_choice/{where}", (0.0, TIMES["choice"])
                    for peer in ("wrsgpu_package", "wrsgpu_package_any"):
                        yield f"peers/{peer}/{where}", (TIMES["rebuild"], TIMES["draw"])
                yield f"peers/wrsgpu/{where}", (0.125, 0.5)
                yield f"peers/wrsgpu_sectioned/{where}", (0.125, 0.0625)


def expected_work(with_others, sizes, numbers, runs):
    """How often what is asked for: each once more than is timed, for every number of samples."""
    work = collections.Counter()
    for made in WEIGHTS.values():
        for n in sizes:
            for samples in numbers:
                if n <= 1 << 24:
                    work["multinomial", made, n, samples, True] += runs + 1
                work["cumsum", made, n] += runs + 1
                work["search", made, n, samples, "rand", True] += runs + 1
                if with_others:
                    work["choice", made, n, n, samples, True] += runs + 1
                    for order in ("random", "any"):
                        work["rebuild", made, n, order, False] += runs + 1
                        work["draw", samples, "32 bits", order, False] += runs + 1
    return work


def expected_of_ours(sizes, numbers):
    axes = {f"--sizes={','.join(map(str, sizes))}", f"--distributions={','.join(WEIGHTS)}"}
    return {"beyond_construction": axes | {"--benchmark_filter=^construct/merge/"},
            "beyond_sampling": axes | {"--methods=direct,sectioned",
                                       f"--samples={','.join(map(str, numbers))}"}}


def faults_of(folder, with_others, sizes, numbers, runs, arguments):
    (folder / "experiments").mkdir()
    write_programs(folder / "experiments", sizes, numbers)
    record, asked, ours = compare(folder, with_others, arguments)
    found = {row["name"]: None if "refused" in row else (row["construct"], row["draw"])
             for row in record["peers"]}
    wanted = dict(expected(with_others, sizes, numbers))
    for name in wanted.keys() | found.keys():
        if name not in wanted or name not in found or wanted[name] != found[name]:
            yield f"{name}: {found.get(name, 'missing')}, not {wanted.get(name, 'there')}"
    work = expected_work(with_others, sizes, numbers, runs)
    for what in work.keys() | asked.keys():
        if work[what] != asked[what]:
            yield f"{what} is asked for {asked[what]} times, not {work[what]}"
    if ours != expected_of_ours(sizes, numbers):
        yield f"our programs are asked for {ours}"
    versions = {name: record["context"].get(name) for name in ("commit", "torch", "cupy")}
    if versions != {"commit": "abc", "torch": "of this test",
                    "cupy": "of this test" if with_others else "none"}:
        yield f"the context is {versions}"


def faults_of_torch_rows(path):
    """Of what torch_rows.py adds to a record, whose own rows and those of an earlier time it has."""
    own = [{"name": name, "ms": 1} for name in (
        "choose/uniform/1000/10", "choose/uniform/33554432/10", "choose/one_heavy/1000/10", "resample/systematic/1000",
        "resample/residual/1000", "counts/uniform/1000/10", "update/1000/10")]
    path.write_text(json.dumps({"context": {"device": "H200"}, "benchmarks": [*own, {"name": "torch/choose/old/1/1", "ms": 1}]}))
    sys.modules["torch"] = types.SimpleNamespace(__version__="of this test")
    work, timed = torch_rows.call_of, peers.times
    try:
        torch_rows.call_of = lambda torch, name: name
        peers.times = lambda torch, runs, name: [5, len(name), 1]
        with contextlib.redirect_stdout(io.StringIO()):
            torch_rows.main(path)
    finally:
        torch_rows.call_of, peers.times = work, timed
    added = [{"name": name, "ms": 5, "min": 1, "max": len(name), "repetitions": torch_rows.RUNS} for name in (
        "torch/choose/uniform/1000/10", "torch_by_hand/choose/uniform/1000/10",
        "torch_by_hand/choose/uniform/33554432/10", "torch/resample/systematic/1000")]
    found = json.loads(path.read_text())
    if found != {"context": {"device": "H200", "torch": "of this test"}, "benchmarks": own + added}:
        yield f"torch_rows.py makes {found}"


def faults_of_numpy_rows(path):
    """Of what it adds to a record of the CPU, and of what it asks of NumPy."""
    own = [{"name": name, "ms": 1} for name in ("choose_1t/uniform/4/2", "choose_2t/uniform/4/2", "counts_1t/uniform/4/9",
                                                "choose_1t/powerlaw_1_shuffled/4/1")]
    path.write_text(json.dumps({"context": {"device": "none"}, "benchmarks": [*own, {"name": "numpy/old", "ms": 1}]}))
    asked = []

    class Weights(list):
        def sum(self):
            return sum(self)

        def __truediv__(self, by):
            return Weights(each / by for each in self)

        def __rtruediv__(self, what):
            return Weights(what / each for each in self)

        def __add__(self, more):
            return Weights(each + more for each in self)

    generator = types.SimpleNamespace(random=lambda n: Weights([1] * n), permutation=lambda n: Weights(range(n)),
                                      choice=lambda n, k, **how: asked.append((n, k, how["replace"], how["p"])))
    sys.modules["numpy"] = types.SimpleNamespace(__version__="of this test",
                                                 random=types.SimpleNamespace(default_rng=lambda seed: generator))
    with contextlib.redirect_stdout(io.StringIO()):
        torch_rows.main(path)
    found = json.loads(path.read_text())
    names = [row["name"] for row in found["benchmarks"]]
    if found["context"].get("numpy") != "of this test" or names != [row["name"] for row in own] + [
            "numpy/choose_1t/uniform/4/2", "numpy/choose_1t/powerlaw_1_shuffled/4/1"]:
        yield f"torch_rows.py makes {found} of a record of the CPU"
    harmonic = [12 / 25 / rank for rank in (1, 2, 3, 4)]
    runs = torch_rows.RUNS + 1
    if asked[:runs] != [(4, 2, False, [0.25] * 4)] * runs or len(asked) != 2 * runs or any(
            call[:3] != (4, 1, False) or max(abs(a - b) for a, b in zip(call[3], harmonic)) > 1e-9 for call in asked[runs:]):
        yield f"NumPy is asked for {asked}"


def main():
    faults = [] if peers.median([5, 1, 3]) == 3 else ["the median of 5, 1, 3 is not 3"]
    with tempfile.TemporaryDirectory() as folder:
        faults += faults_of_torch_rows(pathlib.Path(folder, "record.json"))
        faults += faults_of_numpy_rows(pathlib.Path(folder, "record.json"))
    # One run, in which the cold one would show; and what the record is from.
    own = (SIZES, SAMPLES, 1, ("--runs=1", "--sizes=1e3,33554432", "--samples=10,1e3"))
    for with_others, how in ((True, own), (False, own), (True, (peers.SIZES, peers.SAMPLES, RUNS, ()))):
        with tempfile.TemporaryDirectory() as folder:
            faults += faults_of(pathlib.Path(folder), with_others, *how)
    return report(faults)


if __name__ == "__main__":
    sys.exit(main())
