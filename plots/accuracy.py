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


def errors(record, construction, distribution, n):
    return record.rows.get(f"accuracy/{construction}/{distribution}/{n}")


def draw(results):
    record = results.gpu("accuracy")
    sizes = style.require([n for n in (10**6, 10**8) if any(
        int(parts[3]) == n for parts, _ in record.select("accuracy"))], record)
    figure = plt.figure(figsize=(8.4, 2.8 * len(sizes) + (0.6 if len(sizes) == 1 else 0)))
    grid = figure.add_gridspec(len(sizes), 2)
    for row, n in enumerate(sizes):
        for column, (error, label) in enumerate(ERRORS.items()):
            axes = figure.add_subplot(grid[row, column])
            for i, (distribution, name) in enumerate(DISTRIBUTIONS.items()):
                found = [(k, errors(record, key, distribution, n)) for k, key
                         in enumerate(CONSTRUCTIONS)]
                found = [(row[error], k + 0.18 * (i - 1)) for k, row in found if row]
                if found:
                    axes.plot(*zip(*found), ls="", label=name, color=style.COLOURS[i],
                              marker=style.MARKERS[i])
            axes.set(xscale="log", ylim=(len(CONSTRUCTIONS) - 0.5, -0.5))
            style.reach(axes, x=(1e-12, 1e-5) if column == 0 else (3e-15, 1e-1))
            axes.set_yticks(range(len(CONSTRUCTIONS)),
                            CONSTRUCTIONS.values() if column == 0 else [""] * len(CONSTRUCTIONS))
            axes.set_title(f"N = {style.power_of_ten(n)}", fontsize=9.5)
            if row == len(sizes) - 1:
                axes.set_xlabel(label)
    figure.axes[0].legend(loc="lower right")

    def extremes():
        best, worst = (pick(CONSTRUCTIONS, key=lambda key: max(
            errors(record, key, distribution, sizes[-1])[error] for distribution in DISTRIBUTIONS))
            for pick, error in zip((min, max), ERRORS))
        if best == worst == "gpu_merge_fixed_compact":
            return (f"At {style.power_of_ten(sizes[-1])} items the fixed-point merge has the smallest "
                    "errors in buckets, but the largest relative to light items")

    figure.suptitle(style.claim(extremes, "The worst item's error by construction"), fontsize=10.5)
    style.caption(figure, record)
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
