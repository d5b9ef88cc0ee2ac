"""Time to build by rows a section, the one parameter that decides several of the thesis's comparisons of
packs: its program packs 1,400 sections of lists in global memory, 7,143 rows each of 10^7. Records:
pack_methods, uncompetitive_packs."""

import matplotlib.pyplot as plt
import matplotlib.ticker

import style

NEEDS = (("gpu", "pack_methods"), ("gpu", "uncompetitive_packs"))
AS_THERE = 7143
# Panels: title, record, (pack, label); with masses in the lists and without, where there are both.
PANELS = (
    ("lists in global memory", "pack_methods",
     (("baseline", "baseline"), ("baseline_branched", "baseline, branched reads"))),
    ("lists in shared memory, whole or by chunks", "pack_methods",
     (("shared_memory", "shared memory"), ("shared_memory_branched", "shared memory, branched"),
      ("chunked", "chunked"), ("chunked_branched", "chunked, branched"),
      ("chunked_tuned", "chunked, 8 workers"), ("chunked_tuned_async", "the same, asynchronous"))),
    ("uncompetitive packs", "uncompetitive_packs",
     (("baseline", "baseline"), ("sweeping", "sweeping"), ("sweeping_shared_loop", "sweeping, one loop"),
      ("precomputed_weights", "precomputed weights"), ("prefilled", "prefilled"),
      ("prefilled_by_memcpy", "prefilled by a copy"), ("reordered_round_robin", "reordered, dealt"),
      ("reordered_random", "reordered, at random"))),
)


def points_of(record, pack):
    return sorted((int(parts[4].removeprefix("rows:")), record.milliseconds("/".join(parts)))
                  for parts, _ in record.select("pack", f"partial_p_ary_{pack}", "uniform", "10000000"))


def draw_packs(axes, record, packs):
    for i, (pack, label) in enumerate(packs):
        of = style.look(i)
        for masses in ("", "_masses") if record.name == "pack_methods" else ("",):
            if points := points_of(record, pack + masses):
                axes.plot(*zip(*points), color=of["color"], marker=of["marker"], ls="-" if masses else "--",
                          mfc=of["color"] if masses else "white", label=None if masses else label)
    if axes.lines:
        axes.legend(loc="upper left", fontsize=7.5)


def draw(results):
    records = {name: results.gpu(name) for name in ("pack_methods", "uncompetitive_packs")}
    figure, panels = plt.subplots(1, 3, figsize=(11, 4.6), sharey=True)
    for axes, (title, name, packs) in zip(panels, PANELS):
        draw_packs(axes, records[name], packs)
        axes.axvline(AS_THERE, color="#999999", lw=0.8, zorder=0)
        axes.set(title=title, xlabel="rows a section", xscale="log", yscale="log")
        axes.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        axes.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        axes.set_yticks([0.5, 1, 2, 5, 10, 20])
    style.require(any(axes.get_legend() for axes in panels), records["pack_methods"])
    panels[0].set(ylabel="construction, ms")
    panels[0].annotate("1,400 splits", (AS_THERE, 0.02), xycoords=("data", "axes fraction"), rotation=90,
                       ha="right", va="bottom", fontsize=7.5, color="#555555")

    def ratio(name, slow):
        slow, base = (records[name].milliseconds(f"pack/partial_p_ary_{pack}/uniform/10000000/rows:{AS_THERE}")
                      for pack in (slow, "baseline"))
        return slow / base

    def slowdowns():
        return (f"With 1,400 splits branched reads take {ratio('pack_methods', 'baseline_branched'):.2f} and sweeping "
                f"{ratio('uncompetitive_packs', 'sweeping'):.2f} times the baseline's time; with short sections all "
                "wait for memory")

    figure.suptitle(style.claim(slowdowns, "Time to build by rows a section"), fontsize=10.5)
    style.caption(figure, *records.values(), note="$10^7$ uniform weights, whole construction with partial p-ary "
                  "split; filled markers and solid lines: masses in the lists, others: indices\n"
                  "fewer than 32 rows, the best of some packs, are in the record `tuning`")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
