"""The thesis's Figure 5.5: its milestones, each of which adds one idea to the one before it; 10^7
uniform weights. The thesis has a picture, and in its text gains on the RTX 2080: 10 from its first
implementations to the baseline, 4 from there to the last. The baseline is what 10 was gained for, reads
without branches. Record: progress."""

import math

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "progress"),)

LABELS = {"1_branched_reads": "reads in branches", "2_pointer_arithmetic": "pointers (baseline)",
          "3_cub_partition": "CUB's partition", "4_partial_p_ary_split": "partial p-ary split",
          "5_shared_memory": "shared memory pack", "6_masses_in_l_and_h": "weights in the lists",
          "7_chunked": "chunked pack", "8_psa_plus": "PSA+"}


def draw(results):
    record = results.gpu("progress")
    found = {name: record.milliseconds(f"construct/{name}/uniform/10000000") for name in LABELS}
    found = style.require({name: time for name, time in found.items() if time}, record)
    times = list(found.values())
    base = style.require(found.get("2_pointer_arithmetic"), record)
    before, after = (style.published("thesis_text", place="Section 5.2.5", quantity=f"speedup_{which}")
                     [0]["value"] for which in ("first_version_to_baseline",
                                                "baseline_to_last_version"))
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    axes.barh(range(len(times)), times, height=0.7, color=style.BLUE, label=record.device())
    for y, ms in enumerate(times):
        axes.text(ms, y, f" {ms:.2f} ms, {base / ms:.2f}×", va="center", fontsize=8.5)
    axes.axvline(base / after, color=style.GREY, ls="--", lw=1.2,
                 label=f"{after:g} times as fast as the baseline: RTX 2080 (thesis), last milestone")
    axes.set_yticks(range(len(times)), [LABELS[name] for name in found])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="construction, ms", xlim=(0, 1.25 * max(times)))
    loses = found.get("7_chunked", 0) > found.get("6_masses_in_l_and_h", math.inf)
    figure.suptitle(f"From the baseline on the milestones gain {base / times[-1]:.1f} times"
                    + (", though the chunked pack loses" if loses else ""), fontsize=10.5)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.16), ncols=2)
    style.caption(figure, record, note="10⁷ uniform weights, whole construction, 32 rows a section, from shared memory on 64; × is against the\n"
                  f"baseline, for which the thesis had gained {before:g} times over its first "
                  "implementations")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
