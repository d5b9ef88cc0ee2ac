"""The thesis's Figure 5.2: construction time per item by pack method and table size, uniform weights,
partial p-ary split included. The thesis has a picture, and in its text that weights in the lists make
the shared memory method 15% faster on the RTX 2080. Record: pack_methods."""

import math

import matplotlib.pyplot as plt

import style

NEEDS = (("gpu", "pack_methods"),)

METHODS = {"baseline": "baseline", "shared_memory": "shared memory", "chunked": "chunked"}


def draw(results):
    record = results.gpu("pack_methods")
    figure, axes = plt.subplots()
    time = {}
    for i, (method, label) in enumerate(METHODS.items()):
        for kind, with_weights in (("", ""), ("_masses", ", weights in lists")):
            name = f"partial_p_ary_{method}{kind}"
            points = sorted((int(parts[3]), record.milliseconds("/".join(parts)) * 1e9 / int(parts[3]))
                            for parts, _ in record.select("construct", name, "uniform"))
            time[name] = dict(points)
            axes.plot([n / 1e6 for n, _ in points], [ps for _, ps in points], label=label + with_weights,
                      color=style.COLOURS[i], marker=style.MARKERS[i], ls="-" if kind else "--",
                      mfc=style.COLOURS[i] if kind else "white")
    style.require(any(time.values()), record)
    last = 10_000_000
    gain = {method: time[f"partial_p_ary_{method}"][last] / time[f"partial_p_ary_{method}_masses"][last]
            for method in METHODS if all(last in time[f"partial_p_ary_{method}{kind}"]
                                         for kind in ("", "_masses"))}
    best = "partial_p_ary_shared_memory_masses"
    thesis = style.published("thesis_text", place="Section 5.2.2",
                             quantity="speedup_over_shared_memory_pack")[0]["value"]
    axes.set(xlabel="items, millions", ylabel="construction, ps per item", ylim=(0, None))
    axes.set_xticks([1, 2, 5, 10, 15, 20])
    axes.legend(ncols=3, loc="lower center", columnspacing=1.4)

    def fastest():
        lost = max((n for n in time[best] for found in time.values()
                    if found.get(n, math.inf) < time[best][n]), default=0)
        return (f"From {style.power_of_ten(min(n for n in time[best] if n > lost))} items on, shared "
                "memory with weights in the lists is fastest")

    axes.set_title(style.claim(fastest, "Time to build by pack method"))
    style.caption(figure, record, note="uniform weights, whole construction with partial p-ary "
                  "split, 32 rows a section, of shared memory and chunks 64, 32 workers\nweights in the lists, at $10^7$ items: "
                  + ", ".join(f"{label} {gain[method]:.2f}" for method, label in METHODS.items()
                              if method in gain)
                  + f" times as fast; thesis (RTX 2080): shared memory {1 + thesis / 100:.2f}")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
