"""The thesis's Figure 2.1: how an alias table is built. Left the weights of 8 items (i^-0.5,
shuffled), right the table that our sweeping construction makes of them: each bucket holds W/N, its
own item below and the item's alias above. The thesis has only a picture.
Record: figure_2_1.csv, written by `illustrations table`, which verifies the table first."""

import matplotlib.pyplot as plt

import style

NEEDS = (("cpu", "figure_2_1.csv"),)

# Only heavy items give weight to other buckets, so that only they need a look of their own.
HATCHES = ("//", "\\\\", "xx", "++")


def draw(results):
    rows = results.table("cpu", "figure_2_1.csv")
    weights = [float(row["weight"]) for row in rows]
    mean = sum(weights) / len(weights)
    heavy = [i for i, weight in enumerate(weights) if weight > mean]
    look = {i: {"color": "#C9C9C9", "hatch": ""} for i in range(len(rows))}
    look |= {i: {"color": style.COLOURS[k], "hatch": HATCHES[k]} for k, i in enumerate(heavy)}

    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6), sharey=True)
    for i, weight in enumerate(weights):
        left.bar(i, weight, width=0.86, edgecolor="white", lw=0.6, **look[i])
    left.axhline(mean, color=style.BLACK, lw=1, ls="--")
    left.text(len(rows) - 0.5, mean, "average W/N", ha="right", va="bottom", fontsize=8.5)
    left.set(title="weights", xlabel="item", ylabel="weight", ylim=(0, 1.08 * max(weights)))

    for i, row in enumerate(rows):
        own, alias = float(row["own_share"]) * mean, int(row["alias"])
        right.bar(i, own, width=0.86, edgecolor="white", lw=0.6, **look[i])
        if own < mean:
            right.bar(i, mean - own, bottom=own, width=0.86, edgecolor="white", lw=0.6, **look[alias])
            right.annotate(f"{alias}", (i, mean), xytext=(0, 3), textcoords="offset points",
                           ha="center", fontsize=8.5)
    right.axhline(mean, color=style.BLACK, lw=1, ls="--")
    right.text((len(rows) - 1) / 2, 1.12 * mean, "alias of the bucket", ha="center", va="bottom",
               fontsize=8.5)
    right.set(title="alias table", xlabel="bucket")
    for axes in (left, right):
        axes.set_xticks(range(len(rows)))
        axes.grid(axis="x", visible=False)
    figure.suptitle("Excess of heavy items (coloured) fills the buckets of light ones: all hold "
                    "the same", fontsize=10.5)
    style.caption(figure, style.same_everywhere("illustrations table", rows),
                  note="sweep, floating-point masses · seed 1")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
