"""Samplers against the number of samples, for the figures that show this for one table size."""

import matplotlib.pyplot as plt

import samplers
import style


def throughput(record, items):
    """{sampler: {samples: GSamples/s}}"""
    return {sampler: {int(name[4]): row["items_per_second"] / 1e9 for name, row in
                      record.select("sample", sampler, "uniform", str(items))}
            for sampler in samplers.SAMPLERS}


def figure(record, items, title):
    thesis = style.published("thesis_text", place="Section 5.3",
                             quantity="sampling_throughput")[0]["value"]
    picture, axes = plt.subplots()
    style.lines(axes, {samplers.SAMPLERS[sampler]: rates.items()
                       for sampler, rates in throughput(record, items).items()})
    axes.axhline(thesis, color=style.GREY, ls="--", lw=1.2,
                 label=f"RTX 2080 (thesis), sectioned, up to {thesis:g}")
    axes.set(xscale="log", xlabel="samples", ylabel="GSamples/s", ylim=(0, 390))
    axes.legend(loc="upper left")
    axes.set_title(title)
    style.caption(picture, record, note=f"uniform weights, N = {style.power_of_ten(items)}; samples are "
                  "written (the thesis's are not); Philox")
    return picture
