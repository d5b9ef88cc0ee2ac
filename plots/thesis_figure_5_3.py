"""The thesis's Figure 5.3: the steps of PSA and of PSA+ for several weight distributions, 10^7 items,
with the chunked pack, which the thesis measured, and with the one in shared memory. The thesis has a
picture, and in its text the gains of PSA+ on the RTX 2080. Steps were timed in runs of their own and
add up to slightly more than the whole. Record: psa_plus_profile."""

import matplotlib.pyplot as plt

import steps
import style

NEEDS = (("gpu", "psa_plus_profile"),)

DISTRIBUTIONS = {"uniform": "uniform", "powerlaw_0.5_shuffled": "$i^{-0.5}$ shuffled",
                 "powerlaw_1_shuffled": "$i^{-1}$ shuffled", "powerlaw_1": "$i^{-1}$",
                 "powerlaw_2": "$i^{-2}$"}


def draw(results):
    record = results.gpu("psa_plus_profile")
    thesis = {row["distribution"]: row["value"] for row in style.published(
        "thesis_text", place="Section 5.2.3", machine="thesis_a",
        quantity="speedup_psa_plus_over_psa")}
    ratios = {}
    figure, panels = plt.subplots(1, 2, figsize=(8, 4.6), sharex=True, sharey=True)
    for axes, (pack, title) in zip(panels, (("chunked", "chunked pack"),
                                            ("shared_memory", "shared memory pack"))):
        labels, ratios[pack] = [], {}
        for d, (distribution, label) in enumerate(DISTRIBUTIONS.items()):
            names = [f"construct/partial_p_ary_{pack}_masses{variant}/{distribution}/10000000"
                     for variant in ("", "_psa_plus")]
            if not all(name in record.rows for name in names):
                continue
            whole = []
            for name, variant in zip(names, ("", "_psa_plus")):
                whole.append(record.milliseconds(name))
                end = 0
                for step, options in zip(steps.STEPS, steps.looks()):
                    width = steps.microseconds(record.rows[name], step)
                    axes.barh(len(labels) + 0.6 * d, width, left=end, height=0.86, **options)
                    end += width
                if variant:
                    ratios[pack][distribution] = whole[0] / whole[1]
                    ratio = f" {whole[0] / whole[1]:.2f}×"
                    if distribution in thesis and pack == "chunked":
                        ratio += f" ({thesis[distribution]:g})"
                    axes.text(end, len(labels) + 0.6 * d, ratio, va="center", fontsize=8)
                labels.append((len(labels) + 0.6 * d, "PSA+" if variant else f"{label}   PSA"))
        axes.set_yticks(*zip(*style.require(labels, record)))
        axes.grid(axis="y", visible=False)
        axes.set_title(title, fontsize=9.5)
        axes.set_xlabel("time, μs")
    style.reach(panels[0], x=(0, 960))
    panels[0].invert_yaxis()
    panels[1].legend(*steps.legend(panels[1]), loc="upper right")
    pays = [{distribution for distribution, ratio in found.items() if ratio > 1}
            for found in ratios.values()]
    figure.suptitle("PSA+ pays where it packs greedily: uniform weights and $i^{-0.5}$ shuffled"
                    if all(found == {"uniform", "powerlaw_0.5_shuffled"} for found in pays)
                    else "The steps of PSA and of PSA+ by distribution", fontsize=10.5)
    style.caption(figure, record, note="10⁷ items; beside PSA+: how many times as fast as PSA it is, "
                  "in brackets what the thesis found on the RTX 2080;\nsteps were timed one by one "
                  "and add up to slightly more than the whole, which the ratios compare")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
