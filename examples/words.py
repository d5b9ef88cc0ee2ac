#!/usr/bin/env python3
"""Draws words of a book by their frequency, and draws a picture of how often each was drawn.
  python examples/words.py --samples 10000000 --out words.png
"""

import argparse
import csv
import pathlib

import matplotlib
import numpy as np

import wrsgpu

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

WORDS = pathlib.Path(__file__).resolve().parent / "data" / "kjv_word_counts.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--out", default="words.png")
    options = parser.parse_args()

    with open(WORDS, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = [row["word"] for row in rows]
    counts = np.array([int(row["count"]) for row in rows])

    sampler = wrsgpu.Sampler(counts, seed=7)
    print("ten words:", *(words[item] for item in sampler.draw(10)))
    drawn = sampler.histogram(options.samples)

    # The number of times that a word is drawn is binomial: its deviation in standard deviations.
    p = counts / counts.sum()
    often = options.samples * p > 200  # nearly normal
    deviations = ((drawn - options.samples * p) / np.sqrt(options.samples * p * (1 - p)))[often]
    print(f"largest deviation: {np.abs(deviations).max():.2f} sigma, of {len(deviations)} words")

    figure, (frequencies, distances) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    ranks = np.arange(1, len(words) + 1)
    order = np.argsort(-counts, kind="stable")
    frequencies.loglog(ranks, drawn[order] / options.samples, ".", markersize=3, label="drawn")
    frequencies.loglog(ranks, p[order], label="in the book")
    frequencies.set(xlabel="rank of the word", ylabel="frequency")
    frequencies.legend()
    distances.hist(deviations, np.linspace(-5, 5, 61), density=True, label="frequent words")
    at = np.linspace(-5, 5, 200)
    distances.plot(at, np.exp(-at**2 / 2) / np.sqrt(2 * np.pi), label="normal distribution")
    distances.set(xlabel="deviation from the expected count (sigma)", ylabel="density")
    distances.legend(loc="upper left", fontsize="small")
    figure.savefig(options.out, dpi=100)


if __name__ == "__main__":
    main()
