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


def pays_from(rates):
    """"sections pay from 10^7 samples on, 2.8 times in the end"; nothing where they do not or it was not measured."""
    try:
        first, gain = sections_pay(rates)
    except ValueError:
        return ""
    return f"sections pay from {style.power_of_ten(first)} samples on, {gain:.1f} times in the end"


def panel(axes, record, items, set_up):
    """Draws the samplers in one set-up and returns their rates."""
    rates = throughput(record, items, set_up)
    style.lines(axes, {samplers.SAMPLERS[sampler]: points.items() for sampler, points in rates.items()})
    axes.set(xscale="log", xlabel="samples", ylabel="GSamples/s")
    style.reach(axes, y=(0, 390))
    return rates


def figure(record, items):
    thesis = style.published("thesis_text", place="Section 5.3",
                             quantity="sampling_throughput")[0]["value"]
    style.require(any(throughput(record, items).values()), record)
    found = samplers.set_ups(record)
    picture, panels = samplers.panels(found)
    for set_up, axes in panels.items():
        rates = panel(axes, record, items, set_up)
        axes.axhline(thesis, color=style.GREY, ls="--", lw=1.2,
                     label=f"RTX 2080 (thesis), sectioned, up to {thesis:g}")
        axes.set_title("\n".join(filter(None, (found[set_up], pays_from(rates)))), fontsize=9.5)
    panels[""].legend(loc="upper left")
    picture.suptitle(f"Samplers by number of samples, {style.power_of_ten(items)} rows", fontsize=10.5)
    style.caption(picture, record, note=f"uniform weights, N = {style.power_of_ten(items)}")
    return picture
