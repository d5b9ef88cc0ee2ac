"""The thesis's Figure 5.4: construction time by the share of heavy items, for weights 1 and 2 and the
chunked pack, 10^7 items: the heavy ones at random places, or all in front. The thesis has only a
picture. Steps were timed in runs of their own and add up to slightly more than the whole.
Record: heavy_fraction."""

import matplotlib.pyplot as plt

import steps
import style

NEEDS = (("gpu", "heavy_fraction"),)


def draw(results):
    record = results.gpu("heavy_fraction")
    pack = {}
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 4.2), sharex=True, sharey=True)
    places = (("random", "heavy items at random places"), ("leading", "heavy items in front"))
    for axes, (place, title) in zip(panels, places):
        rows = sorted((int(name[2].split("_")[2]), row) for name, row in record.select(
            "construct", "partial_p_ary_chunked_masses") if name[2].endswith(place))
        style.require(rows, record)
        pack[place] = {percent: steps.microseconds(row, "pack") for percent, row in rows}
        percents = [percent for percent, _ in rows]
        below = [0] * len(rows)
        for step, options in zip(steps.STEPS, steps.looks()):
            above = [b + steps.microseconds(row, step) for b, (_, row) in zip(below, rows)]
            axes.fill_between(percents, below, above, **options)
            below = above
        axes.set_title(title, fontsize=9.5)
        axes.set(xlabel="heavy items, %", xlim=(1, 99))
        axes.set_xticks([1, 20, 40, 60, 80, 99])
    panels[0].set(ylabel="time, μs")
    style.reach(panels[0], y=(0, 850))
    handles, labels = steps.legend(panels[0])
    panels[1].legend(handles[::-1], labels[::-1], loc="upper right", ncols=3)
    longest = max(pack["random"], key=pack["random"].get)
    evenly = 40 <= longest <= 60 and pack["random"][longest] > max(pack["leading"].values())
    figure.suptitle("Packing takes longest where light and heavy items are mixed evenly and at random"
                    if evenly else "The steps of construction by share of heavy items", fontsize=10.5)
    style.caption(figure, record, note="10⁷ items of weight 1 and 2, chunked pack, 64 rows a section")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
