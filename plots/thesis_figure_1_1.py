"""The thesis's Figure 1.1: the weight distributions that tables are built from, 100 items each, as the
library makes them. The thesis has only a picture.
Record: figure_1_1.csv, written by `illustrations distributions`."""

import matplotlib.pyplot as plt

import style

NEEDS = (("cpu", "figure_1_1.csv"),)

NAMES = {"equal": "uniform", "uniform": "uniform random weights", "normal": "normal",
         "binomial": "binomial", "powerlaw_1": "power law, exponent 1",
         "powerlaw_1_shuffled": "power law, shuffled"}


def draw(results):
    rows = results.table("cpu", "figure_1_1.csv")
    figure, panels = plt.subplots(2, 3, figsize=(7.2, 4.4), sharex=True)
    for i, (axes, (name, label)) in enumerate(zip(panels.flat, NAMES.items())):
        weights = [float(row["weight"]) for row in rows if row["distribution"] == name]
        percent = [100 * weight / sum(weights) for weight in weights]
        axes.fill_between(range(len(percent) + 1), percent + percent[-1:], step="post", lw=0,
                          color=style.COLOURS[i])
        axes.set_title(label, fontsize=9.5)
        axes.set(xlim=(0, len(percent)), ylim=(0, 1.12 * max(percent)))
    for axes in panels[1]:
        axes.set_xlabel("item")
    for axes in panels[:, 0]:
        axes.set_ylabel("probability, %")
    figure.suptitle("A binomial distribution looks like a normal one; shuffling hides a power law",
                    fontsize=10.5)
    style.caption(figure, style.same_everywhere("illustrations distributions", rows), note="seed 1")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
