"""The thesis's Figure 5.9: which sampler has the highest throughput, by table size and number of
samples, uniform weights. The thesis has only a picture. Record: sampler_heatmap."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import samplers
import style

NEEDS = (("gpu", "sampler_heatmap"),)

# Hatches tell the samplers apart in print.
HATCHES = dict(zip(samplers.SAMPLERS, ("", "--", "//", "\\\\")))


def look(sampler):
    return {"facecolor": samplers.COLOURS[sampler], "hatch": HATCHES[sampler], "edgecolor": "white",
            "alpha": 0.55}


def fastest(record, set_up):
    """(items, samples) -> (GSamples/s, sampler) of the fastest sampler."""
    best = {}
    for sampler in samplers.SAMPLERS:
        for name, row in record.select("sample", f"{sampler}{set_up}", "uniform"):
            cell = int(name[3]), int(name[4])
            best[cell] = max(best.get(cell, (0, "")), (row["items_per_second"] / 1e9, sampler))
    return best


def draw_cells(axes, best):
    sizes, samples = (sorted({cell[i] for cell in best}) for i in (0, 1))
    for (n, drawn), (rate, sampler) in best.items():
        x, y = sizes.index(n), samples.index(drawn)
        axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, lw=1, **look(sampler)))
        axes.text(x, y, f"{rate:.3g}", ha="center", va="center", fontsize=8.5,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2, "alpha": 0.7})
    axes.set(xlim=(-0.5, len(sizes) - 0.5), ylim=(-0.5, len(samples) - 0.5), xlabel="items",
             ylabel="samples")
    axes.set_xticks(range(len(sizes)), map(style.power_of_ten, sizes))
    axes.set_yticks(range(len(samples)), map(style.power_of_ten, samples))
    axes.grid(visible=False)


def draw(results):
    record = results.gpu("sampler_heatmap")
    best = style.require(fastest(record, ""), record)
    found = samplers.set_ups(record)
    figure, panels = samplers.panels(found)
    for set_up, axes in panels.items():
        draw_cells(axes, fastest(record, set_up))
    samples = sorted({drawn for _, drawn in best})

    def winners():
        won = {drawn: {best[cell][1] for cell in best if cell[1] == drawn} for drawn in samples}
        first_other = min(drawn for drawn in samples if won[drawn] != {"baseline"})
        last = max(drawn for drawn in samples if drawn < first_other)
        if won[samples[-1]] == {"shared_memory"}:
            return (f"Up to {style.power_of_ten(last)} samples the baseline wins everywhere, at "
                    f"{style.power_of_ten(samples[-1])} shared memory")

    figure.suptitle(style.claim(winners, "The fastest sampler by items and samples"), fontsize=10.5)
    samplers.legend_below(panels[""], [Patch(label=label, **look(sampler))
                                       for sampler, label in samplers.SAMPLERS.items()], len(panels) == 1)
    style.caption(figure, record, note="uniform weights; numbers: GSamples/s of the best sampler; "
                  + "; ".join(found.values()))
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
