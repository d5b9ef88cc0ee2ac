#!/usr/bin/env python3
"""Construction and drawing on one GPU in one run: torch.multinomial, cupy.random.choice, cumulative
sum and search (torch), and wrsgpu. Needs torch and cupy; what is not there is left out and said so.
  experiments/peers.py --build <build folder> --out experiments/results/h200/peers.json
Weights are floats in device memory; samples go to device memory. Times are medians of --runs runs,
in milliseconds, of the device's own clock; it is held while the host enqueues. cupy.random.choice
waits for the device in between, so its launches are in its time; it is given probabilities, of 64 bits. `draw`
of a peer that keeps no structure includes all that it does for every call. `wrsgpu` draws in random order, as the
peers do, with the sampler `direct`; `wrsgpu_sectioned` section by section, with `sectioned`; both with
Philox of 10 rounds. `wrsgpu_package` and `wrsgpu_package_any` are the Python package, in random and in any order, where it
is installed: a rebuild without check from a tensor, and a draw into one of 32 bits. Samples of the peers have 64 bits, as they come by default, ours 32."""

import argparse
import pathlib
import sys

import records
import running
from record_format import text_of

SIZES = (1_000_000, 10_000_000, 100_000_000)
SAMPLES = (1_000_000, 100_000_000)
DISTRIBUTIONS = ("uniform", "powerlaw_1_shuffled")
# Those of the peers are in random order, and so is the first of ours.
OURS = {"wrsgpu": "direct", "wrsgpu_sectioned": "sectioned"}
PACKAGE = {"wrsgpu_package": "random", "wrsgpu_package_any": "any"}
MOST_OF_TORCH = 1 << 24  # categories that torch.multinomial takes


def median(values):
    return sorted(values)[len(values) // 2]


# Some 0.2 ms in which the host enqueues: on an idle device its launches would be in the time. The
# same for ours (common/cuda_timer.hpp).
HOLD_CYCLES = 400_000


def times(torch, runs, call):
    call()  # warm
    found = []
    for _ in range(runs):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(HOLD_CYCLES)
        begin.record()
        call()
        end.record()
        end.synchronize()
        found.append(begin.elapsed_time(end))
    return found


def timed(torch, runs, call):
    return median(times(torch, runs, call))


def weights(torch, distribution, n):
    torch.manual_seed(1)
    if distribution == "uniform":
        return torch.rand(n, device="cuda")
    ranks = torch.randperm(n, device="cuda").to(torch.float64) + 1
    return (1 / ranks).to(torch.float32)


def measure_torch(torch, runs, w, samples):
    if w.numel() > MOST_OF_TORCH:
        return {"refused": f"torch.multinomial takes at most 2^24 categories, not {w.numel()}"}
    draw = timed(torch, runs, lambda: torch.multinomial(w, samples, replacement=True))
    return {"construct": 0.0, "draw": draw}


def measure_search(torch, runs, w, samples):
    sums = None

    def construct():
        nonlocal sums
        sums = torch.cumsum(w.double(), 0)

    def draw():
        words = torch.rand(samples, device="cuda", dtype=torch.float64) * sums[-1]
        return torch.searchsorted(sums, words, right=True)

    return {"construct": timed(torch, runs, construct), "draw": timed(torch, runs, draw)}


def measure_cupy(torch, cupy, runs, w, samples):
    p = cupy.asarray(w).astype(cupy.float64)
    p /= p.sum()
    n = int(p.size)
    stream = torch.cuda.current_stream()
    with cupy.cuda.ExternalStream(stream.cuda_stream):
        draw = timed(torch, runs, lambda: cupy.random.choice(n, samples, p=p))
    return {"construct": 0.0, "draw": draw}


def measure_package(torch, wrsgpu, runs, w, samples, order):
    sampler = wrsgpu.Sampler(w, order=order, seed=7)
    out = torch.empty(samples, dtype=torch.int32, device="cuda")
    construct = timed(torch, runs, lambda: sampler.rebuild(w, check=False))
    sampler.finish()
    return {"construct": construct, "draw": timed(torch, runs, lambda: sampler.draw(out=out))}


def our_medians(build, experiment, arguments):
    """name -> milliseconds, and the record's context."""
    record = running.run(build / "experiments" / experiment, arguments)
    return {name: row["ms"] for name, row in records.benchmarks(record).items()}, record["context"]


def comma(values):
    return ",".join(str(value) for value in values)


def counts(text):
    try:
        return [int(float(part)) for part in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sizes", type=counts, default=SIZES)
    parser.add_argument("--samples", type=counts, default=SAMPLES)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    running.require(parser, options.build, ("beyond_construction", "beyond_sampling"), options.out)
    try:
        import torch
    except ImportError:
        sys.exit("peers.py: there is no torch here; install it to compare with it")
    if not torch.cuda.is_available():
        sys.exit("peers.py: torch finds no GPU here")
    try:
        import cupy
    except ImportError:
        cupy = None
        print("peers.py: there is no cupy here; left out", file=sys.stderr)
    try:
        import wrsgpu
    except ImportError:
        wrsgpu = None
        print("peers.py: the Python package wrsgpu is not installed here; left out", file=sys.stderr)

    built, context = our_medians(
        options.build, "beyond_construction",
        ["--benchmark_filter=^construct/merge/", f"--sizes={comma(options.sizes)}",
         f"--distributions={comma(DISTRIBUTIONS)}"])
    drawn, _ = our_medians(
        options.build, "beyond_sampling",
        [f"--methods={comma(OURS.values())}", f"--sizes={comma(options.sizes)}",
         f"--samples={comma(options.samples)}", f"--distributions={comma(DISTRIBUTIONS)}"])

    rows = []

    def add(peer, distribution, n, samples, result):
        rows.append({"name": f"peers/{peer}/{distribution}/{n}/{samples}", **result})
        shown = result.get("refused") or f"{result['construct'] + result['draw']:.3f} ms"
        print(f"{rows[-1]['name']:<70} {shown}")

    for distribution in DISTRIBUTIONS:
        for n in options.sizes:
            w = weights(torch, distribution, n)
            for samples in options.samples:
                add("torch_multinomial", distribution, n, samples,
                    measure_torch(torch, options.runs, w, samples))
                add("torch_search", distribution, n, samples,
                    measure_search(torch, options.runs, w, samples))
                if cupy:
                    add("cupy_choice", distribution, n, samples,
                        measure_cupy(torch, cupy, options.runs, w, samples))
                for peer, order in PACKAGE.items() if wrsgpu else ():
                    add(peer, distribution, n, samples,
                        measure_package(torch, wrsgpu, options.runs, w, samples, order))
                ours = {name.split("/")[1]: time for name, time in drawn.items()
                        if name.endswith(f"/{distribution}/{n}/{samples}")}
                for peer, sampler in OURS.items():
                    if sampler in ours:
                        add(peer, distribution, n, samples,
                            {"construct": built[f"construct/merge/{distribution}/{n}"],
                             "draw": ours[sampler]})
    context["torch"] = torch.__version__
    context["cupy"] = cupy.__version__ if cupy else "none"
    options.out.write_text(text_of({"context": context, "peers": rows}))


if __name__ == "__main__":
    running.end_when_terminated()
    main()
