"""Samplers against the number of samples, for the figures that show this for one table size."""

import samplers
import style


def throughput(record, items, set_up=""):
    """{sampler: {samples: GSamples/s}}"""
    return {sampler: {int(name[4]): row["items_per_second"] / 1e9 for name, row in
                      record.select("sample", f"{sampler}{set_up}", "uniform", str(items))}
            for sampler in samplers.SAMPLERS}


def sections_pay(rates):
    """The number of samples from which on the fastest sampler with sections beats the baseline, and how
    many times as fast it is with most samples; from what `throughput` returns."""
    gain = {s: max(found[s] for name, found in rates.items() if name != "baseline" and s in found) / rate
            for s, rate in rates["baseline"].items()}
    lost = max((s for s in gain if gain[s] <= 1), default=0)
    return min(s for s in gain if s > lost), gain[max(gain)]


def figure(record, items):
    thesis = style.published("thesis_text", place="Section 5.3",
                             quantity="sampling_throughput")[0]["value"]
    rates = throughput(record, items)
    style.require(any(rates.values()), record)
    found = samplers.set_ups(record)
    picture, panels = samplers.panels(found)
    for set_up, axes in panels.items():
        style.lines(axes, {samplers.SAMPLERS[sampler]: points.items()
                           for sampler, points in throughput(record, items, set_up).items()})
        axes.axhline(thesis, color=style.GREY, ls="--", lw=1.2,
                     label=f"RTX 2080 (thesis), sectioned, up to {thesis:g}")
        axes.set(xscale="log", xlabel="samples", ylabel="GSamples/s")
        style.reach(axes, y=(0, 390))
    panels[""].legend(loc="upper left")

    def paying():
        first, gain = sections_pay(rates)
        return (f"{style.power_of_ten(items)} rows: sections pay from {style.power_of_ten(first)} samples "
                f"on, {gain:.1f} times in the end")

    picture.suptitle(style.claim(paying, f"Samplers by number of samples, {style.power_of_ten(items)} rows"),
                     fontsize=10.5)
    style.caption(picture, record, note=f"uniform weights, N = {style.power_of_ten(items)}; "
                  + "; ".join(found.values()))
    return picture
