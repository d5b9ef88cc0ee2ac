#!/usr/bin/env python3
"""What a call of the Python package costs the host, beside torch, CuPy and NumPy, in one run.
  experiments/python_overhead.py --out experiments/results/h200/python_overhead.json
Needs the package wrsgpu and NumPy; torch, CuPy and a GPU are left out where they are missing, and said so.
Rows `host/...` are the time in which a call returns: 100 of 1,000 items, 64-bit samples, a loop of --calls calls
between which nothing waits for the GPU. Rows `draw/...` are the time until the samples are there, on the CPU.
Times are medians, minima and maxima of --runs loops, in milliseconds per call."""

import argparse
import datetime
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
from record_format import text_of

ITEMS, FEW = 1000, 100
SIZES = ((1000, 100), (1000, 1_000_000), (1_000_000, 100), (1_000_000, 1_000_000), (10_000_000, 1_000_000))


def loops(calls, runs, call, wait=lambda: None):
    """Milliseconds per call of each loop, after one that is not timed."""
    times = []
    for _ in range(runs + 1):
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append(1000 * (time.perf_counter() - begin) / calls)
        wait()
    return sorted(times[1:])


def row(name, times):
    print(f"{name:<50} {1000 * times[len(times) // 2]:>12.3f} us")
    return {"name": name, "ms": times[len(times) // 2], "min": times[0], "max": times[-1], "repetitions": len(times)}


def of_torch(calls, runs):
    """Calls with tensors on the GPU."""
    try:
        import torch
    except ImportError:
        print("python_overhead.py: there is no torch here; left out", file=sys.stderr)
        return {}
    if not torch.cuda.is_available():
        print("python_overhead.py: torch finds no GPU here; left out", file=sys.stderr)
        return {}
    import wrsgpu
    import wrsgpu.torch
    weights = torch.rand(ITEMS, device="cuda")
    out = torch.empty(FEW, dtype=torch.int64, device="cuda")
    out32 = torch.empty(FEW, dtype=torch.int32, device="cuda")
    uniform = torch.empty(FEW, device="cuda")
    sampler = wrsgpu.Sampler(weights)
    state = wrsgpu.random_state(1, like=weights)
    table = wrsgpu.torch.table(sampler)
    cases = {
        "torch_rand": lambda: torch.rand(FEW, device="cuda"),
        "torch_rand_out": lambda: torch.rand(FEW, device="cuda", out=uniform),
        "torch_random_": lambda: out.random_(),
        "torch_multinomial": lambda: torch.multinomial(weights, FEW, replacement=True),
        "wrsgpu_torch_out": lambda: sampler.draw(out=out),
        "wrsgpu_torch_out32": lambda: sampler.draw(out=out32),
        "wrsgpu_torch_new": lambda: sampler.draw(FEW),
        "wrsgpu_torch_state": lambda: sampler.draw(out=out, state=state),
        "wrsgpu_torch_operator": lambda: wrsgpu.torch.draw(table, state, FEW),
        "wrsgpu_torch_multinomial": lambda: wrsgpu.torch.multinomial(weights, FEW, replacement=True),
    }
    return {name: loops(calls, runs, call, torch.cuda.synchronize) for name, call in cases.items()}


def of_cupy(calls, runs):
    """Calls with arrays of CuPy."""
    try:
        import cupy
        there = cupy.cuda.runtime.getDeviceCount() > 0
    except Exception as error:  # ImportError, or what CuPy raises without a driver
        print(f"python_overhead.py: CuPy is left out: {error}", file=sys.stderr)
        return {}
    if not there:
        return {}
    import wrsgpu
    weights = cupy.random.random(ITEMS)
    weights /= weights.sum()
    out = cupy.empty(FEW, np.int64)
    sampler = wrsgpu.Sampler(weights)
    cases = {
        "cupy_random": lambda: cupy.random.random(FEW),
        "cupy_choice": lambda: cupy.random.choice(ITEMS, FEW, p=weights),
        "wrsgpu_cupy_out": lambda: sampler.draw(out=out),
        "wrsgpu_cupy_new": lambda: sampler.draw(FEW),
    }
    return {name: loops(calls, runs, call, cupy.cuda.Device().synchronize) for name, call in cases.items()}


def of_numpy(runs, largest):
    """Draws on the CPU: this package, whose table is built before, and Generator.choice, which sums up in each call."""
    import wrsgpu
    generator = np.random.default_rng(7)
    times = {}
    for items, samples in SIZES:
        if items > largest:
            continue
        weights = generator.random(items)
        probabilities = weights / weights.sum()
        sampler = wrsgpu.Sampler(weights)
        calls = max(1, 10_000 // samples) if items == ITEMS else 1
        times[f"wrsgpu_numpy/{items}/{samples}"] = loops(calls, runs, lambda: sampler.draw(samples))
        times[f"numpy_choice/{items}/{samples}"] = loops(
            calls, runs, lambda: generator.choice(items, samples, p=probabilities))
    return times


def first_line(pattern, text):
    return next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith(pattern)), "unknown")


def context():
    from wrsgpu import _core
    root = pathlib.Path(__file__).resolve().parent.parent
    commit = subprocess.run(["git", "-C", root, "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
                            capture_output=True, text=True, check=False).stdout.strip()
    known = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "build_type": "release",
             "commit": commit or "unknown", "compiler": _core.compiler,
             "cpu": first_line("model name", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")),
             "device": "none", "driver": "none", "toolkit": "none", "threads": str(os.cpu_count()),
             "python": sys.version.split()[0], "numpy": np.__version__}
    if _core.has_cuda:
        toolkit, driver = _core.cuda_versions()
        known |= {"toolkit": f"{toolkit // 1000}.{toolkit % 1000 // 10}",
                  "driver": f"{driver // 1000}.{driver % 1000 // 10}"}
    for library in ("torch", "cupy"):
        known[library] = getattr(sys.modules.get(library), "__version__", "none")
    if "torch" in sys.modules and sys.modules["torch"].cuda.is_available():
        known["device"] = sys.modules["torch"].cuda.get_device_name()
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--largest", type=int, default=10_000_000, help="items of the tables on the CPU")
    options = parser.parse_args()
    if options.runs < 1 or options.calls < 1:
        parser.error("--runs and --calls must be at least 1")
    rows = [row(f"host/{name}/{ITEMS}/{FEW}", times)
            for name, times in (of_torch(options.calls, options.runs) | of_cupy(options.calls, options.runs)).items()]
    rows += [row(f"draw/{name}", times) for name, times in of_numpy(options.runs, options.largest).items()]
    options.out.write_text(text_of({"context": context(), "benchmarks": rows}), encoding="utf-8")


if __name__ == "__main__":
    main()
