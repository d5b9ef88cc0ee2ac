#!/usr/bin/env python3
"""Adds what torch takes for the same work, on the same card, to a record of `without_replacement` or `resampling`, as
rows of the names that stand there after `torch/`, and what NumPy takes to one of `cpu_without_replacement`, after `numpy/`;
other records stay as they are. Needs torch or NumPy; without it, says so.
  experiments/torch_rows.py <record>
`torch/choose/...` is torch.multinomial without replacement, which takes at most 2^24 weights; `torch_by_hand/choose/...`
the first of as many clocks, by exponential_, a division and topk; `torch/resample/systematic/...` a cumulative sum, of
64 bits, and a search in it. All allocate their results. Times are of the device's own clock, which is held while the host enqueues.
`numpy/choose_1t/...` is Generator.choice without replacement, on one thread, given probabilities. Times are wall time.
"""

import importlib
import json
import pathlib
import sys
import time

import peers
from record_format import text_of

RUNS = 9
MOST_ITEMS = 100_000_000  # by hand


def names_beside(name, on_cpu=False):
    """Of the rows that torch, or NumPy, has beside one of ours."""
    what, *parts = name.split("/")
    if on_cpu:  # one thread, or what is not said to have several
        return [f"numpy/{name}"] if what in ("choose", "choose_1t") else []
    if what == "choose" and parts[0] in peers.DISTRIBUTIONS:
        items = int(parts[1])
        return [f"{peer}/{name}" for peer, most in (("torch", peers.MOST_OF_TORCH), ("torch_by_hand", MOST_ITEMS))
                if items <= most]
    return [f"torch/{name}"] if what == "resample" and parts[0] == "systematic" else []


def call_of(torch, name):
    peer, what, distribution, *numbers = name.split("/")
    items, *chosen = map(int, numbers)
    if what == "choose":
        w = peers.weights(torch, distribution, items)
        if peer == "torch":
            return lambda: torch.multinomial(w, *chosen, replacement=False)
        return lambda: torch.empty_like(w).exponential_().reciprocal_().mul_(w).topk(*chosen).indices
    w = peers.weights(torch, "uniform", items)
    strata = torch.arange(items, device="cuda", dtype=torch.float64)

    def resample():
        sums = torch.cumsum(w, 0, dtype=torch.float64)
        points = (strata + torch.rand(1, device="cuda")) * (sums[-1] / items)
        return torch.searchsorted(sums, points)

    return resample


def times_of_numpy(numpy, runs, name):
    """Of `runs` choices, after one that is not timed."""
    _, _, distribution, items, chosen = name.split("/")
    items = int(items)
    generator = numpy.random.default_rng(7)
    w = generator.random(items) if distribution == "uniform" else 1 / (generator.permutation(items) + 1)
    p = w / w.sum()
    times = []
    for _ in range(runs + 1):
        begin = time.perf_counter()
        generator.choice(items, int(chosen), replace=False, p=p)
        times.append(1000 * (time.perf_counter() - begin))
    return times[1:]


def main(path):
    record = json.loads(path.read_text())
    on_cpu = record["context"].get("device", "none") == "none"
    library = "numpy" if on_cpu else "torch"
    own = [row for row in record.get("benchmarks", ()) if not row["name"].startswith(library)]
    wanted = [name for row in own for name in names_beside(row["name"], on_cpu)]
    if not wanted:
        return
    try:
        peer = importlib.import_module(library)
    except ImportError:
        print(f"torch_rows.py: there is no {library} here; left out", file=sys.stderr)
        return
    rows = []
    for name in wanted:
        times = sorted(times_of_numpy(peer, RUNS, name) if on_cpu else peers.times(peer, RUNS, call_of(peer, name)))
        rows.append({"name": name, "ms": peers.median(times), "min": times[0], "max": times[-1], "repetitions": RUNS})
        print(f"{name:<70} {peers.median(times):.4f} ms")
    record["context"][library] = peer.__version__
    path.write_text(text_of(record | {"benchmarks": own + rows}))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
