#!/usr/bin/env python3
"""Drawing on the CPU in one run: NumPy's Generator.choice and this library, 12,762 words of a book.
  experiments/cpu_peers.py --build <build folder> --out experiments/results/cpu/cpu_peers.json
Needs numpy. Times are medians, in milliseconds of wall time; samples go to memory. NumPy draws on one thread and
sums the probabilities up in each call. The library's sampler, `batched` on exact compact rows, is measured by
`cpu_sampling` with one thread and with all; its table is built before. NumPy's samples have 64 bits, ours 32."""

import argparse
import csv
import os
import pathlib
import statistics
import sys
import time

import records
import running
from record_format import text_of

WORDS = pathlib.Path(__file__).resolve().parent.parent / "examples" / "data" / "kjv_word_counts.csv"
SAMPLER, DISTRIBUTION = "batched_fixed_compact", "words"


def counts_of_words():
    with open(WORDS, encoding="utf-8", newline="") as file:
        return [int(row["count"]) for row in csv.DictReader(file)]


def name_of(peer, threads, items, samples):
    return f"peers/{peer}_{threads}t/{DISTRIBUTION}/{items}/{samples}"


def measure_numpy(numpy, weights, samples, runs):
    """Milliseconds of `runs` draws, after one that is not timed."""
    p = numpy.array(weights) / sum(weights)
    generator = numpy.random.default_rng(7)
    times = []
    for _ in range(runs + 1):
        begin = time.perf_counter()
        generator.choice(len(p), samples, p=p)
        times.append(1000 * (time.perf_counter() - begin))
    return times[1:]


def measure_ours(build, items, samples, runs):
    """Threads -> median of milliseconds; and the record's context."""
    threads = sorted({1, os.cpu_count()})
    record = running.run(build / "experiments" / "cpu_sampling", [
        f"--methods={SAMPLER}", f"--distributions={DISTRIBUTION}", f"--sizes={items}",
        f"--samples={samples}", f"--threads={','.join(map(str, threads))}",
        f"--benchmark_repetitions={runs}"])
    rows = records.benchmarks(record)
    times = {count: rows[f"sample/{SAMPLER}_{count}t/{DISTRIBUTION}/{items}/{samples}"]["ms"] for count in threads}
    return times, record["context"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--samples", type=lambda text: int(float(text)), default=10**8)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if options.runs < 2 or options.samples < 1:
        parser.error("--runs must be at least 2, --samples at least 1")
    running.require(parser, options.build, ("cpu_sampling",), options.out)
    try:
        import numpy
    except ImportError:
        sys.exit("cpu_peers.py: there is no numpy here; install it to compare with it")
    weights = counts_of_words()
    of_numpy = measure_numpy(numpy, weights, options.samples, options.runs)
    ours, context = measure_ours(options.build, len(weights), options.samples, options.runs)
    times = {("numpy_choice", 1): statistics.median(of_numpy),
             **{("wrsgpu", count): found for count, found in ours.items()}}
    rows = [{"name": name_of(peer, count, len(weights), options.samples), "draw": found}
            for (peer, count), found in times.items()]
    for row in rows:
        print(f"{row['name']:<60} {row['draw']:.1f} ms")
    context["numpy"] = numpy.__version__
    options.out.write_text(text_of({"context": context, "peers": rows}))


if __name__ == "__main__":
    running.end_when_terminated()
    main()
