"""The shuffling paper's Figure 8: the maximum mean discrepancy of VariablePhilox and of our bijection by
number of items, and, for 5 items, by rounds, from verify_shuffles.csv. The paper has only a picture."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)


def by_rounds(axes, results, series):
    rows = shuffles.verified(results, "mmd_by_rounds", *series)
    for i, (method, _) in enumerate(series.items()):
        for sign, face in ((1, style.COLOURS[i]), (-1, "white")):
            chosen = [(int(row["rounds"]), abs(float(row["statistic"]))) for row in rows
                      if row["method"] == method and float(row["statistic"]) * sign > 0]
            if chosen:
                axes.plot(*zip(*chosen), mfc=face, color=style.COLOURS[i], marker=style.MARKERS[i],
                          ls="")
    axes.axhline(float(rows[0]["threshold_asymptotic"]), color=style.BLACK, ls="--", lw=1)
    axes.axhline(float(rows[0]["threshold_hoeffding"]), color=style.GREY, ls=":", lw=1.2)
    axes.set(xlabel="rounds", title="5 items, by rounds")
    axes.title.set_fontsize(9.5)
    return rows


def draw(results):
    series = {"var_philox": "VariablePhilox", "lazy": "our Feistel network over a × b"}
    figure = plt.figure(figsize=(8, 4.8))
    grid = figure.add_gridspec(2, 2, height_ratios=[1, 0.16])
    left = figure.add_subplot(grid[0, 0])
    right = figure.add_subplot(grid[0, 1], sharey=left)
    lengths = shuffles.discrepancy_axes(left, results, series)
    left.set_title("24 rounds, by length", fontsize=9.5)
    rounds = by_rounds(right, results, series)
    verdict, items = shuffles.verdicts(lengths)
    failed = max((int(row["rounds"]) for row in rounds if row["verdict"] == "fail"), default=0)
    enough = min((int(row["rounds"]) for row in rounds if int(row["rounds"]) > failed), default=0)
    figure.suptitle("Both bijections pass at every length with 24 rounds, and at 5 items with "
                    f"{enough} or more"
                    if verdict == "passes" and 0 < enough < 24
                    else "Discrepancy of two bijections by length and by rounds", fontsize=10.5)
    shuffles.legend_in(figure, grid[1, :], 3, left)
    style.caption(figure, style.same_everywhere("verify_shuffles", lengths),
                  note=f"{shuffles.permutations(lengths)}, {items}; {shuffles.limits(lengths)} (by length)")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
