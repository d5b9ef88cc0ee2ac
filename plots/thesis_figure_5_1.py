"""The thesis's Figure 5.1: time per split against the number of splits, 10^7 uniform weights, and the
gain of partial p-ary search. The thesis has a picture, and in its text a gain of up to 1.5 on the RTX
2080. The inverse methods, three orders of magnitude slower, are left out as there.
Record: split_methods."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator

import style

NEEDS = (("gpu", "split_methods"),)

METHODS = {"baseline": "baseline", "baseline_group_1": "baseline, blocks of one thread",
           "partial_p_ary": "partial p-ary"}


def draw(results):
    record = results.gpu("split_methods")
    times = {method: {int(name[4]): record.milliseconds("/".join(name)) for name, _ in
                      record.select("split", method, "uniform", "10000000")} for method in METHODS}
    gain = style.require({s: ms / times["partial_p_ary"][s] for s, ms in times["baseline"].items()
                          if s in times["partial_p_ary"]}, record)
    thesis = style.published("thesis_text", place="Section 5.2.1",
                             quantity="speedup_over_baseline_split")[0]["value"]

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 5.4), sharex=True, height_ratios=[2, 1])
    style.lines(top, {label: [(s, 1e6 * ms / s) for s, ms in times[method].items()]
                      for method, label in METHODS.items()})
    top.set(xscale="log", yscale="log", ylabel="ns per split")
    top.set_yticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
    top.legend()
    few = [value for s, value in gain.items() if s < 10_000]
    top.set_title(f"Partial p-ary search gains up to {max(gain.values()):.1f} times with many splits"
                  + (f", at most {max(few):.2f} below $10^4$" if few else ""))
    style.lines(bottom, {record.device(): gain.items()}, color=style.GREEN)
    bottom.axhline(thesis, color=style.GREY, ls="--", lw=1.2, label=f"RTX 2080 (thesis), up to {thesis:g}")
    bottom.set(xlabel="splits", ylabel="baseline / p-ary")
    style.reach(bottom, y=(0.8, 3.2))
    bottom.legend(loc="upper left")
    bottom.xaxis.set_major_locator(FixedLocator([1024, 4096, 10240, 40960, 163840, 655360]))
    bottom.xaxis.set_major_formatter(lambda s, _: f"{s:,.0f}")
    for axes in (top, bottom):
        axes.minorticks_off()
    style.caption(figure, record, note="10⁷ uniform weights, the split step alone")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
