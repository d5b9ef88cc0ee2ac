"""Draws how often each word of the demo was expected and sampled, and prints the words that came most often.

usage: word_frequencies.py COUNTS.csv HISTOGRAM.csv OUTPUT [COMMIT]    writes OUTPUT.png and OUTPUT.svg
"""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Colours that are told apart with any colour vision (Okabe and Ito).
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8C8C8C"
BAND = 3.29  # standard deviations that hold 99.9% of a normal distribution


def labelled(words, expected):
    """The heaviest word and then one about every factor of five, so that labels do not collide."""
    chosen = []
    for i in np.argsort(-expected, kind="stable"):
        if not chosen or expected[i] * 5 < expected[chosen[-1]]:
            chosen.append(i)
    return [(i, words[i]) for i in chosen]


def counts_of(path):
    """The words of a file with the columns word and count, and their counts."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["word"] for row in rows], np.array([float(row["count"]) for row in rows])


def print_most_drawn(words, sampled, expected):
    print(f"{'most drawn':<12}{'sampled':>12}{'expected':>14}")
    for i in np.argsort(-sampled, kind="stable")[:10]:
        print(f"{words[i]:<12}{sampled[i]:>12.0f}{expected[i]:>14.1f}")


def main(weights, histogram, output, commit=""):
    words, weight = counts_of(weights)
    drawn_words, sampled = counts_of(histogram)
    if drawn_words != words:
        sys.exit(f"{histogram} is not a histogram of the words of {weights}")
    samples = int(sampled.sum())
    expected = samples * weight / weight.sum()
    print_most_drawn(words, sampled, expected)
    per_million = 1e6 / samples

    figure, (top, bottom) = plt.subplots(
        2, 1, figsize=(7.2, 7.6), sharex=True, height_ratios=[3, 1.2], layout="constrained")

    x = expected * per_million
    drawn = sampled > 0
    line = np.geomspace(x.min() / 1.5, x.max() * 2, 400)
    spread = BAND * np.sqrt(line / per_million) * per_million
    floor = 0.5 * per_million
    top.fill_between(line, np.maximum(line - spread, floor), line + spread, color=GREY, alpha=0.3,
                     lw=0, label=f"± {BAND} standard deviations (99.9%)")
    top.plot(line, line, color=ORANGE, lw=1, zorder=1.5, label="sampled = expected")
    top.plot(x[drawn], sampled[drawn] * per_million, ".", color=BLUE, ms=4, alpha=0.5, mew=0,
             label=f"one word ({len(words):,} words, {np.count_nonzero(~drawn):,} never drawn)")
    for i, word in labelled(words, expected):
        top.annotate(word, (x[i], sampled[i] * per_million), xytext=(-9, 9),
                     textcoords="offset points", ha="right", fontsize=9,
                     arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.6})
    top.set(xscale="log", yscale="log", ylabel="sampled frequency, per million",
            xlim=(line[0], line[-1]), ylim=(0.7 * max(floor, sampled[drawn].min() * per_million),
                                            line[-1]))
    top.legend(loc="lower right", frameon=False, markerscale=3)
    top.set_title(f"{samples:,} words drawn from the word counts of the King James Bible")

    deviation = (sampled - expected) / np.sqrt(expected * (1 - expected / samples))
    bottom.axhspan(-BAND, BAND, color=GREY, alpha=0.3, lw=0)
    bottom.axhline(0, color=ORANGE, lw=1)
    bottom.plot(x, deviation, ".", color=BLUE, ms=4, alpha=0.5, mew=0)
    bottom.set(xlabel="expected frequency, per million",
               ylabel="sampled − expected,\nstandard deviations")
    limit = max(5.0, 1.1 * np.abs(deviation).max())
    bottom.set_ylim(-limit, limit)

    for axes in (top, bottom):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(True, which="major", color="#E6E6E6", lw=0.6)
        axes.set_axisbelow(True)
    if commit:
        figure.supxlabel(f"commit {commit}", fontsize=7.5, color="#555555")
    figure.savefig(f"{output}.png", dpi=160)
    figure.savefig(f"{output}.svg")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
