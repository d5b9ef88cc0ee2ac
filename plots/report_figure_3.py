"""Time to build a table of 10^7 uniform weights as the techniques of the report's Section 4 are
added one by one (report, Figure 3; its data points are not published, its text says 3.7 times from
the baseline to the last version). Record: progress."""

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "progress"),)
STEPS = {"3_cub_partition": "baseline", "4_partial_p_ary_split": "partial\np-ary split",
         "5_shared_memory": "l and h in\nshared memory",
         "6_masses_in_l_and_h": "weights in\nl and h", "7_chunked": "chunked\nloading",
         "8_psa_plus": "PSA+,\nchunked"}


def draw(results):
    record = results.gpu("progress")
    found = {step: record.milliseconds(f"construct/{step}/uniform/10000000") for step in STEPS}
    found = {step: time for step, time in found.items() if time}
    if "3_cub_partition" not in found:
        raise style.Missing("progress has no baseline")
    times = list(found.values())
    gains = [times[0] / t for t in times]
    published, = style.published("report_text", quantity="speedup_baseline_to_last_version")

    figure, axes = plt.subplots()
    bars = axes.bar(range(len(times)), times, width=0.65, color=style.BLUE)
    axes.bar_label(bars, [f"{t:.2f} ms\n{gain:.1f}×" for t, gain in zip(times, gains)],
                   fontsize=8, padding=2)
    axes.axhline(times[0] / published["value"], color=style.ORANGE, lw=1.2, ls="--",
                 label=f"our baseline / {published['value']:g}, the report's gain on the RTX 2080")
    axes.set_xticks(range(len(times)), [STEPS[step] for step in found])
    axes.grid(axis="x", visible=False)
    axes.set(ylabel="construction, ms", ylim=(0, 1.2 * max(times)))
    axes.legend(loc="upper right")
    gain = dict(zip(found, gains))
    with_plus = gain.pop("8_psa_plus", None)
    figure.suptitle(f"The techniques make construction {max(gain.values()):.1f} times as fast as the "
                    "baseline" + (f", with PSA+ {with_plus:.1f} times" if with_plus else ""),
                    fontsize=10.5)
    style.caption(figure, record, note="10⁷ uniform weights, 32 rows a section, of shared memory and chunks 64; × is against the baseline,\nwhich has "
                  "CUB's partition here and not in the thesis (Figure 5.5); chunked\nloading replaces "
                  "copying whole sections to shared memory")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
