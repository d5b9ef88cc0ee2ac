"""Time for a split by the number of splits, and how much faster partial p-ary search is than the
baseline's binary search by distribution: 10^7 items, the split step alone (report, Figure 2; its
data points are not published, its text says up to 1.5 times). Record: split_methods."""

import matplotlib.pyplot as plt
from matplotlib import ticker

import style

NEEDS = (("gpu", "split_methods"),)
ITEMS = 10**7
METHODS = {"baseline": "baseline", "partial_p_ary": "partial p-ary search"}
DISTRIBUTIONS = {"uniform": "uniform", "powerlaw_0.5_shuffled": "$i^{-0.5}$ shuffled",
                 "powerlaw_1_shuffled": "$i^{-1}$ shuffled"}


def times(record, method, distribution):
    """{splits: milliseconds}"""
    return {int(name[4]): record.milliseconds("/".join(name)) for name, _ in
            record.select("split", method, distribution, str(ITEMS))}


def draw(results):
    record = results.gpu("split_methods")
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.9))
    uniform = {label: times(record, method, "uniform") for method, label in METHODS.items()}
    style.lines(left, {label: [(s, 1e6 * t / s) for s, t in found.items()]
                       for label, found in uniform.items()})
    left.set(xscale="log", yscale="log", xlabel="splits", ylabel="time for a split, ns",
             title="uniform weights")
    left.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: f"{y:g}"))
    left.legend()

    gains = {}
    for distribution, label in DISTRIBUTIONS.items():
        baseline, p_ary = (times(record, method, distribution) for method in METHODS)
        gains[label] = [(s, baseline[s] / t) for s, t in p_ary.items() if s in baseline]
    style.require(any(gains.values()), record)
    style.lines(right, gains)
    published, = style.published("report_text", quantity="speedup_over_baseline_split")
    right.axhline(published["value"], color=style.BLACK, lw=0.8, ls="--")
    right.annotate(f"RTX 2080: up to {published['value']:g}", (1100, published["value"]),
                   xytext=(0, 3), textcoords="offset points", fontsize=7.5)
    right.set(xscale="log", xlabel="splits", ylabel="baseline / partial p-ary search",
              ylim=(0, None), title="gain by distribution")
    right.legend(loc="upper left")
    best, at = max((gain, splits) for line in gains.values() for splits, gain in line)
    few = max((gain for line in gains.values() for splits, gain in line if splits < 20_000), default=1)
    figure.suptitle(f"Partial p-ary search gains up to {best:.1f} times"
                    + (", but little below 20,000 splits" if few < 1.2 < best else ""), fontsize=10.5)
    style.caption(figure, record, note="10⁷ items, the split step alone; the largest gain is at "
                  f"{at:,} splits")
    return figure


if __name__ == "__main__":
    style.main(__file__, draw)
