#!/usr/bin/env python3
"""What `experiments/peers.py` does with what it measures, where there is neither GPU nor torch nor cupy:
modules stand for them whose clock says how long each kind of work takes, and scripts for our experiments.

Usage: test_peers.py
"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments"))

import peers
from faults import report

TIMES = {"multinomial": 7.0, "cumsum": 0.25, "search": 2.0, "choice": 5.0}  # milliseconds
OURS = {"beyond_construction": {"construct/merge/{weights}/{n}": 0.125},
        "beyond_sampling": {"sample/direct/{weights}/{n}/{samples}": 0.5,
                            "sample/sectioned/{weights}/{n}/{samples}": 0.0625}}
SIZES, SAMPLES = (1000, 1 << 25), (10, 1000)
PROGRAM = """#!/usr/bin/env python3
import pathlib, sys
out = next(each for each in sys.argv if each.startswith("--benchmark_out=")).partition("=")[2]
pathlib.Path(out).write_text(pathlib.Path(sys.argv[0] + ".json").read_text())
"""


class Clock:
    """Work adds to it; the first call of each kind takes a second more, as a cold one may."""

    def __init__(self):
        self.now, self.warm = 0.0, set()

    def work(self, kind):
        self.now += TIMES[kind] + (0 if kind in self.warm else 1000)
        self.warm.add(kind)


class Vector:
    """As much of a tensor as is asked for."""

    def __init__(self, n):
        self.n = self.size = int(n)

    def numel(self):
        return self.n

    def same(self, *_, **__):
        return self

    double = to = astype = sum = same
    __getitem__ = __add__ = __rtruediv__ = __itruediv__ = __mul__ = __rmul__ = same


def modules():
    """torch and cupy."""
    clock = Clock()

    class Event:
        def __init__(self, enable_timing):
            self.at = None if enable_timing else 0

        def record(self):
            self.at = clock.now

        def synchronize(self):
            pass

        def elapsed_time(self, end):
            return end.at - self.at

    def works(kind, result):
        def call(*arguments, **_):
            clock.work(kind)
            return result(*arguments)
        return call

    class Stream:
        cuda_stream = 0

    cuda = types.SimpleNamespace(Event=Event, is_available=lambda: True, current_stream=Stream)
    torch = types.SimpleNamespace(
        __version__="of this test", cuda=cuda, float64=None, float32=None, manual_seed=lambda seed: None,
        rand=lambda n, **_: Vector(n), randperm=lambda n, **_: Vector(n),
        multinomial=works("multinomial", lambda w, samples: Vector(samples)),
        cumsum=works("cumsum", lambda w, axis: w),
        searchsorted=works("search", lambda sums, words: words))
    cupy = types.SimpleNamespace(
        __version__="of this test", float64=None, asarray=lambda w: w,
        random=types.SimpleNamespace(choice=works("choice", lambda n, samples: Vector(samples))),
        cuda=types.SimpleNamespace(ExternalStream=lambda stream: contextlib.nullcontext()))
    return torch, cupy


def write_programs(folder):
    for name, times in OURS.items():
        rows = [{"run_name": f"{row.format(weights=weights, n=n, samples=samples)}/manual_time",
                 "run_type": "aggregate", "aggregate_name": "median", "real_time": ms, "time_unit": "ms"}
                for row, ms in times.items() for weights in peers.DISTRIBUTIONS for n in SIZES
                for samples in SAMPLES]
        unique = list({row["run_name"]: row for row in rows}.values())
        (folder / name).write_text(PROGRAM)
        (folder / name).chmod(0o755)
        (folder / f"{name}.json").write_text(json.dumps({"context": {"commit": "abc"}, "benchmarks": unique}))


def compare(folder, with_cupy):
    """The record that peers.py writes."""
    torch, cupy = modules()
    sys.modules["torch"], sys.modules["cupy"] = torch, cupy if with_cupy else None
    out = folder / "peers.json"
    # One run, in which the cold one would show.
    sys.argv = ["peers.py", f"--build={folder}", f"--out={out}", "--runs=1",
                f"--sizes={peers.comma(SIZES)}", f"--samples={peers.comma(SAMPLES)}"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        peers.main()
    return json.loads(out.read_text())


def expected(with_cupy):
    for weights in peers.DISTRIBUTIONS:
        for n in SIZES:
            for samples in SAMPLES:
                where = f"{weights}/{n}/{samples}"
                yield f"peers/torch_multinomial/{where}", None if n > 1 << 24 else (0.0, TIMES["multinomial"])
                yield f"peers/torch_search/{where}", (TIMES["cumsum"], TIMES["search"])
                if with_cupy:
                    yield f"peers/cupy_choice/{where}", (0.0, TIMES["choice"])
                yield f"peers/wrsgpu/{where}", (0.125, 0.5)
                yield f"peers/wrsgpu_sectioned/{where}", (0.125, 0.0625)


def faults_of(record, with_cupy):
    found = {row["name"]: None if "refused" in row else (row["construct"], row["draw"])
             for row in record["peers"]}
    wanted = dict(expected(with_cupy))
    for name in wanted.keys() | found.keys():
        if name not in wanted or name not in found or wanted[name] != found[name]:
            yield f"{name}: {found.get(name, 'missing')}, not {wanted.get(name, 'there')}"
    versions = {name: record["context"].get(name) for name in ("commit", "torch", "cupy")}
    if versions != {"commit": "abc", "torch": "of this test",
                    "cupy": "of this test" if with_cupy else "none"}:
        yield f"the context is {versions}"


def main():
    faults = [] if peers.median([5, 1, 3]) == 3 else ["the median of 5, 1, 3 is not 3"]
    for with_cupy in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "experiments").mkdir()
            write_programs(folder / "experiments")
            faults += faults_of(compare(folder, with_cupy), with_cupy)
    return report(faults)


if __name__ == "__main__":
    sys.exit(main())
