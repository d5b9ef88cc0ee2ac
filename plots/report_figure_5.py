"""The fastest sampler by table size and number of samples, uniform weights
(report, Figure 5, which is a picture only). Numbers are its GSamples/s; a pale cell is one where
another sampler comes within 5%. Record: sampler_heatmap."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import samplers
import style

NEEDS = (("gpu", "sampler_heatmap"),)
NEAR = 0.95
SHORT = {"baseline": "B", "cached": "C", "cached_limited": "L", "shared_memory": "S"}


def rates_of(record, set_up):
    """(items, samples) -> {sampler: GSamples/s}"""
    rates = {}
    for sampler in samplers.SAMPLERS:
        for name, row in record.select("sample", f"{sampler}{set_up}", "uniform"):
            rates.setdefault((int(name[3]), int(name[4])), {})[sampler] = row["items_per_second"] / 1e9
    return rates


def draw_cells(axes, rates):
    sizes, counts = (sorted({key[i] for key in rates}) for i in (0, 1))
    for (n, samples), found in rates.items():
        x, y = counts.index(samples), sizes.index(n)
        (winner, rate), (_, second) = sorted((*found.items(), ("", 0)), key=lambda item: -item[1])[:2]
        axes.add_patch(plt.Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, lw=0,
                                     color=samplers.COLOURS[winner],
                                     alpha=0.22 if second >= NEAR * rate else 0.62))
        axes.annotate(f"{SHORT[winner]} {rate:.3g}", (x, y), ha="center", va="center", fontsize=7.5)
    axes.set(xlim=(-0.5, len(counts) - 0.5), ylim=(-0.5, len(sizes) - 0.5), xlabel="samples",
             ylabel="rows of the table")
    axes.set_xticks(range(len(counts)), map(style.power_of_ten, counts))
    axes.set_yticks(range(len(sizes)), map(style.power_of_ten, sizes))
    axes.grid(visible=False)


def draw(results):
    record = results.gpu("sampler_heatmap")
    rates = style.require(rates_of(record, ""), record)
    set_ups = samplers.set_ups(record)
    figure, panels = samplers.panels(set_ups)
    for set_up, axes in panels.items():
        draw_cells(axes, rates_of(record, set_up))
    counts = sorted({samples for _, samples in rates})
    samplers.legend_below(panels[""], [Patch(color=samplers.COLOURS[name], alpha=0.62, lw=0,
                                             label=f"{SHORT[name]}: {label}")
                                       for name, label in samplers.SAMPLERS.items()], len(panels) == 1)
    few, many = ([max(found, key=found.get) for (_, samples), found in rates.items() if samples == count]
                 for count in (counts[0], counts[-1]))
    figure.suptitle("Few samples are drawn fastest without sections, many with sections in shared memory"
                    if set(few) == {"baseline"} and set(many) == {"shared_memory"}
                    else "The fastest sampler by size of the table and number of samples", fontsize=10.5)
    style.caption(figure, record, note="GSamples/s of the fastest sampler; pale: another one is "
                  "within 5%; " + "; ".join(set_ups.values()))
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
