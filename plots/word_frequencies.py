"""Draws how often each word was expected and sampled, from what wrsgpu_demo wrote.

usage: word_frequencies.py DEMO.json OUTPUT [COMMIT]    writes OUTPUT.png and OUTPUT.svg
"""

import json
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


def main(source, output, commit=""):
    with open(source, encoding="utf-8") as file:
        run = json.load(file)
    words = [item["word"] for item in run["items"]]
    expected = np.array([item["expected"] for item in run["items"]])
    sampled = np.array([item["sampled"] for item in run["items"]], dtype=float)
    samples = run["samples"]
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
    top.set_title(f"{samples:,} words drawn from the word counts of {run['text']}")

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
    caption = (f"{run['method']} · {run['device']} · seed {run['seed']}\n"
               f"chi-squared p = {run['chi_squared']['p_value']:.3g}, "
               f"Kolmogorov–Smirnov p = {run['kolmogorov_smirnov']['p_value']:.3g}")
    if commit:
        caption += f" · commit {commit}"
    figure.supxlabel(caption, fontsize=7.5, color="#555555")
    figure.savefig(f"{output}.png", dpi=160)
    figure.savefig(f"{output}.svg")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
