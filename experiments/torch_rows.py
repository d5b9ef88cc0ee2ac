#!/usr/bin/env python3
"""Adds what torch takes for the same work, on the same card, to a record of `without_replacement` or `resampling`, as
rows of the names that stand there after `torch/`; other records stay as they are. Needs torch; without it, says so.
  experiments/torch_rows.py <record>
`torch/choose/...` is torch.multinomial without replacement, which takes at most 2^24 weights; `torch_by_hand/choose/...`
the first of as many clocks, by exponential_, a division and topk; `torch/resample/systematic/...` a cumulative sum, of
64 bits, and a search in it. All allocate their results. Times are of the device's own clock, which is held while the host enqueues.
"""

import json
import pathlib
import sys

import peers
from record_format import text_of

RUNS = 9
MOST_ITEMS = 100_000_000  # by hand


def names_beside(name):
    """Of the rows that torch has beside one of ours."""
    what, *parts = name.split("/")
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


def main(path):
    record = json.loads(path.read_text())
    if record["context"].get("device", "none") == "none":  # a record of the CPU
        return
    own = [row for row in record.get("benchmarks", ()) if not row["name"].startswith("torch")]
    wanted = [name for row in own for name in names_beside(row["name"])]
    if not wanted:
        return
    try:
        import torch
    except ImportError:
        print("torch_rows.py: there is no torch here; left out", file=sys.stderr)
        return
    rows = []
    for name in wanted:
        times = sorted(peers.times(torch, RUNS, call_of(torch, name)))
        rows.append({"name": name, "ms": peers.median(times), "min": times[0], "max": times[-1], "repetitions": RUNS})
        print(f"{name:<70} {peers.median(times):.4f} ms")
    record["context"]["torch"] = torch.__version__
    path.write_text(text_of(record | {"benchmarks": own + rows}))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
