"""How far the worst item's probability is from its weight, by construction, from accuracy.json: in
buckets (1/N), and relative to the item's own probability."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "accuracy"),)
CONSTRUCTIONS = {"vose": "Vose, double", "sweep": "sweep, double",
                 "partial_p_ary_shared_memory_masses": "PSA on the GPU, double",
                 "partial_p_ary_shared_memory_masses_psa_plus": "PSA+ on the GPU, double",
                 "gpu_merge_fixed_compact": "merge on the GPU,\nfixed point"}
DISTRIBUTIONS = {"uniform": "uniform", "powerlaw_1_shuffled": "$i^{-1}$, shuffled",
                 "powerlaw_1": "$i^{-1}$"}
ERRORS = {"worst_error_in_buckets": "worst error, buckets of 1/N",
          "worst_relative_error": "worst error, relative to the item's own"}


def draw(results):
    record = results.gpu("accuracy")
    figure = plt.figure(figsize=(8.4, 5.6))
    grid = figure.add_gridspec(2, 2)
    for row, n in enumerate((10**6, 10**8)):
        for column, (error, label) in enumerate(ERRORS.items()):
            axes = figure.add_subplot(grid[row, column])
            for i, (distribution, name) in enumerate(DISTRIBUTIONS.items()):
                found = [record.rows[f"accuracy/{key}/{distribution}/{n}"][error]
                         for key in CONSTRUCTIONS]
                axes.plot(found, [k + 0.18 * (i - 1) for k in range(len(found))], ls="", label=name,
                          color=style.COLOURS[i], marker=style.MARKERS[i])
            axes.set(xscale="log", xlim=(1e-12, 1e-5) if column == 0 else (3e-15, 1e-1),
                     ylim=(len(CONSTRUCTIONS) - 0.5, -0.5))
            axes.set_yticks(range(len(CONSTRUCTIONS)),
                            CONSTRUCTIONS.values() if column == 0 else [""] * len(CONSTRUCTIONS))
            axes.set_title(f"N = {style.power_of_ten(n)}", fontsize=9.5)
            if row == 1:
                axes.set_xlabel(label)
    figure.axes[0].legend(loc="lower right")
    figure.suptitle("At $10^8$ items the fixed-point merge has the smallest errors in buckets, "
                    "but the largest relative to light items", fontsize=10.5)
    style.caption(figure, record)
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
