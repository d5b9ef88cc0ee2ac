"""The shuffling paper's Figure 8: the maximum mean discrepancy of VariablePhilox and of our bijection by
number of items, and, for 5 items, by rounds, from verify_shuffles.csv. The paper has only a picture."""

import matplotlib.pyplot as plt

import shuffles
import style

NEEDS = (("cpu", "verify_shuffles.csv"),)


def by_rounds(axes, results, series):
    rows = [row for row in results.table("cpu", "verify_shuffles.csv")
            if row["figure"] == "mmd_by_rounds" and row["rounds"]]
    for i, (method, _) in enumerate(series.items()):
        for sign, face in ((1, style.COLOURS[i]), (-1, "white")):
            chosen = [(int(row["rounds"]), abs(float(row["statistic"]))) for row in rows
                      if row["method"] == method and float(row["statistic"]) * sign > 0]
            axes.plot(*zip(*chosen), mfc=face, color=style.COLOURS[i], marker=style.MARKERS[i], ls="")
    axes.axhline(float(rows[0]["threshold_asymptotic"]), color=style.BLACK, ls="--", lw=1)
    axes.axhline(float(rows[0]["threshold_hoeffding"]), color=style.GREY, ls=":", lw=1.2)
    axes.set(xlabel="rounds", title="5 items, by rounds")
    axes.title.set_fontsize(9.5)


def draw(results):
    series = {"var_philox": "VariablePhilox", "lazy": "our Feistel network over a × b"}
    figure = plt.figure(figsize=(8, 4.8))
    grid = figure.add_gridspec(2, 2, height_ratios=[1, 0.16])
    left = figure.add_subplot(grid[0, 0])
    right = figure.add_subplot(grid[0, 1], sharey=left)
    shuffles.discrepancy_axes(left, results, series)
    left.set_title("24 rounds, by length", fontsize=9.5)
    by_rounds(right, results, series)
    figure.suptitle("With 24 rounds both bijections pass at every length; at 5 items 8 rounds pass, "
                    "too",
                    fontsize=10.5)
    shuffles.legend_in(figure, grid[1, :], 3, left)
    style.caption(figure, shuffles.VERIFIED, note="100,000 permutations a point, 5 to 1025 items")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
